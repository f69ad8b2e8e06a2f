"""The results for people."""

from __future__ import annotations

from typing import List

from .results import Record, Results

_WORDS = {"ok": "ok", "failed": "FAILED", "fact": "=", "skipped": "skipped"}
_NAME_WIDTH = 62
_STEP_WIDTH = 18


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
    return "\n".join([*lines, "", *_short(results), "", *_failures(results), _summary(results)])


def _short(results: Results) -> List[str]:
    """A line a step, for who sees no more than the end of all this."""
    titles = ("kept", "FAILED", "facts", "skipped", "s")
    lines = [f"{'step':<{_STEP_WIDTH}} " + " ".join(f"{title:>7}" for title in titles)]
    for step in dict.fromkeys(record["step"] for record in results.records if "step" in record):
        mine = [record for record in results.records if record.get("step") == step]
        counts = [sum(record["outcome"] == outcome for record in mine) for outcome in _WORDS]
        seconds = [f"{record['seconds']:.1f}" for record in mine if record["outcome"] == "end"]
        cells = [*(str(count or "-") for count in counts), *(seconds or ["-"])]
        lines.append(f"{step:<{_STEP_WIDTH}} " + " ".join(f"{cell:>7}" for cell in cells))
    return lines


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
