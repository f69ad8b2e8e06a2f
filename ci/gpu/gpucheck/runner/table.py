"""The results for people."""

from __future__ import annotations

from typing import List

from .results import Record, Results

_WORDS = {"ok": "ok", "failed": "FAILED", "fact": "=", "skipped": "skipped"}
_NAME_WIDTH = 62


def render(results: Results) -> str:
    """Every result, step by step, and a summary."""
    lines: List[str] = []
    step = ""
    for record in results.records:
        if record.get("outcome") not in _WORDS:
            continue
        if record["step"] != step:
            step = record["step"]
            lines.append(f"\n{step}{_duration(results, step)}")
        lines.append(_line(record))
    return "\n".join([*lines, "", *_failures(results), _summary(results)])


def _line(record: Record) -> str:
    word = _WORDS[record["outcome"]]
    how = f"   ({record['how']})" if record.get("how") else ""
    return f"  {record['name']:<{_NAME_WIDTH}} {word:<7} {record['text']}{how}".rstrip()


def _duration(results: Results, step: str) -> str:
    ends = [record for record in results.records if record.get("step") == step and record.get("outcome") == "end"]
    return f"   {ends[0]['seconds']:.1f} s" if ends else ""


def _failures(results: Results) -> List[str]:
    """Once more what nobody should have to look for."""
    failed = [record for record in results.records if record.get("outcome") == "failed"]
    return [f"FAILED: {record['step']}: {record['name']}: {record['text']}" for record in failed]


def _summary(results: Results) -> str:
    counts = [("ok", "promises kept"), ("failed", "failed"), ("fact", "facts"), ("skipped", "skipped")]
    numbers = ", ".join(f"{results.count(outcome)} {words}" for outcome, words in counts)
    return f"{numbers}; {results.seconds():.0f} s; {results.path}"
