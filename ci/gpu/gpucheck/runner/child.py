"""Running one step in a process of its own, so that its crash or hang is its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Sequence

from gpucheck.support.lines import Lines
from gpucheck.support.process import last_line

Message = Dict[str, Any]

_ROUND_SECONDS = 0.2
_END_SECONDS = 2.0
_LOG_TAIL = 4096


class Child:
    """A step that runs. Everything it starts belongs to one session, by which it can all be ended."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        """Starts it. What it sends on standard output is for `follow`, the rest is added to `log`."""
        self._log = log
        with log.open("ab") as output:
            self._begin = output.tell()
            self._process = subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=output,
                start_new_session=True,
            )
        assert self._process.stdout is not None
        self._lines = Lines(self._process.stdout)

    def follow(self, seconds: float, on_message: Callable[[Message], None]) -> str:
        """Passes on each message as it comes. Returns what went wrong with the process, or nothing."""
        deadline, nonsense = time.monotonic() + seconds, ""
        # A program that the step has left behind may keep the pipe open: then the step's own end counts.
        while not self._lines.ended and (self._process.poll() is None or self._lines.wait(0)):
            if time.monotonic() > deadline:
                return f"not finished in {seconds:.0f} s{self._said()}"
            for line in self._lines.read(_ROUND_SECONDS):
                try:
                    on_message(json.loads(line))
                except ValueError:
                    nonsense = f"it sent what is no message: {line.decode(errors='replace')}"
        return self._ending(deadline) or nonsense

    def end(self) -> None:
        """Ends whatever is left of it: politely first, so that `vgpu run` can tidy up."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            deadline = time.monotonic() + _END_SECONDS
            for pid in _session(self._process.pid):
                with contextlib.suppress(ProcessLookupError):  # It may just have ended.
                    os.kill(pid, number)
            while _session(self._process.pid) and time.monotonic() < deadline:
                self._process.poll()
                time.sleep(0.02)
        self._process.poll()
        self._lines.close()

    def _ending(self, deadline: float) -> str:
        try:
            status = self._process.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return f"it says no more and does not end{self._said()}"
        if status < 0:
            return f"killed by {signal.Signals(-status).name}{self._said()}"
        return f"exit status {status}{self._said()}" if status else ""

    def _said(self) -> str:
        """The last thing it wrote in the log: mostly the reason."""
        with self._log.open("rb") as log:
            log.seek(max(self._begin, os.fstat(log.fileno()).st_size - _LOG_TAIL))
            said = log.read().decode(errors="replace")
        return f": {last_line(said)}" if said.strip() else ""


def _session(leader: int) -> List[int]:
    """The living processes of a session."""
    members = []
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit():
            try:
                fields = (directory / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue  # It has just ended.
            if fields[0] not in ("Z", "X") and int(fields[3]) == leader:
                members.append(int(directory.name))
    return members
