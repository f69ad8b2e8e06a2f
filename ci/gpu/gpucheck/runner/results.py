"""The results so far: on disk as soon as they are known."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, Dict, List

NAME = "results.jsonl"

Record = Dict[str, Any]
"""One line: `step`, `name`, `outcome` (`ok`, `failed`, `fact`, `skipped`, or `end` for a step as a whole), `text`."""


class Results:
    """A file of one JSON object a line, and the same in memory."""

    def __init__(self, directory: Path) -> None:
        """Begins a new file. One of an earlier run is kept under another name: it may be all that is left of a card."""
        directory.mkdir(parents=True, exist_ok=True)
        self.path = directory / NAME
        _set_aside(self.path)
        self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._start = time.monotonic()
        self.records: List[Record] = []

    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._start

    def add(self, record: Record) -> None:
        """Writes a record through to the disk: the next thing that is tried may take the machine with it."""
        record = {**record, "at": round(self.seconds(), 3)}
        self.records.append(record)
        # One call, so that no interruption leaves half a line.
        os.write(self._descriptor, (json.dumps(record) + "\n").encode())
        os.fsync(self._descriptor)

    def count(self, outcome: str) -> int:
        """How many records have this outcome."""
        return sum(record.get("outcome") == outcome for record in self.records)

    def passed(self, step: str) -> bool:
        """Whether a step has run to its end without a failure."""
        mine = [record for record in self.records if record.get("step") == step]
        ended = any(record["outcome"] == "end" for record in mine)
        return ended and not any(record["outcome"] == "failed" for record in mine)


def _set_aside(path: Path) -> None:
    number = 1
    while path.exists():
        older = path.with_name(f"results.{number}.jsonl")
        if not older.exists():
            path.rename(older)
        number += 1
