"""Starting other programs of this check, and talking with them one JSON object a line."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, TypeVar

from . import settings
from .errors import CannotStart
from .lines import Lines

_ANSWER_SECONDS = 30.0


def worker(name: str, *arguments: str) -> List[str]:
    """The command line of a worker."""
    return [settings.python(), str(settings.CHECK), "--child", "worker", name, *arguments]


def ask_once(command: Sequence[str], environment: Mapping[str, str], seconds: float) -> Dict[str, Any]:
    """Runs a command that sends one message, to its end, and returns the message."""
    finished = finish(command, environment, seconds)
    sys.stderr.write(finished.stderr)
    lines = finished.stdout.splitlines()
    if finished.returncode != 0 or not lines:
        raise CannotStart(f"{_shown(command)}: exit status {finished.returncode}: {last_line(finished.stderr)}")
    message: Dict[str, Any] = json.loads(lines[-1])
    return message


def finish(command: Sequence[str], environment: Mapping[str, str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end and returns what it printed."""
    try:
        return subprocess.run(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except OSError as error:
        raise CannotStart(f"{command[0]}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise CannotStart(f"{_shown(command)}: not finished in {seconds:.0f} s") from error


def last_line(output: str) -> str:
    """The last line of what a program printed: where programs say what went wrong."""
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it printed nothing"


_Self = TypeVar("_Self", bound="Conversation")


class Conversation:
    """A running program that answers each line it is sent with one line."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Optional[Mapping[str, str]] = None,
        patience: float = _ANSWER_SECONDS,
    ) -> None:
        """Starts it. `patience` is for how many seconds an answer may be waited for."""
        self._patience = patience
        self._shown = _shown(command)
        self._waiting: List[bytes] = []
        try:
            self.process = subprocess.Popen(
                command,
                env=None if environment is None else dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        except OSError as error:
            raise CannotStart(f"{command[0]}: {error.strerror}") from error
        assert self.process.stdout is not None
        self._lines = Lines(self.process.stdout)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, *request: Any) -> None:
        """Sends a request; `receive` takes its answer."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write((json.dumps(request) + "\n").encode())
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise CannotStart(self._ended()) from error

    def wait(self, seconds: float) -> bool:
        """Whether something of an answer comes within this time."""
        return bool(self._waiting) or self._lines.wait(seconds)

    def receive(self) -> Dict[str, Any]:
        """The next answer. An answer that does not come is an error, not a wait without end."""
        line = self._line(time.monotonic() + self._patience)
        message: Dict[str, Any] = json.loads(line)
        if "error" in message:
            raise CannotStart(f"{self._shown}: {message['error']}")
        return message

    def ask(self, *request: Any) -> Dict[str, Any]:
        """Sends a request and returns its answer."""
        self.send(*request)
        return self.receive()

    def kill(self) -> None:
        """Ends the program as `kill -9` does, and returns when it is gone."""
        self.process.kill()
        self.process.wait()
        self._lines.close()

    def close(self) -> None:
        """Lets the program end by itself."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # It may have ended already.
            self.process.stdin.close()
        try:
            self.process.wait(timeout=_ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self._lines.close()

    def _line(self, deadline: float) -> bytes:
        while not self._waiting:
            left = deadline - time.monotonic()
            if left <= 0:
                raise CannotStart(f"{self._shown}: no answer in {self._patience:.0f} s")
            self._waiting = self._lines.read(left)
            if self._lines.ended:
                raise CannotStart(self._ended())
        return self._waiting.pop(0)

    def _ended(self) -> str:
        return f"{self._shown}: ended with exit status {self.process.wait()}"


def _shown(command: Sequence[str]) -> str:
    """A command line without what every one of them has."""
    words = [os.path.basename(word) if word.startswith("/") else word for word in command]
    return " ".join(word for word in words if word not in ("--child", "worker"))
