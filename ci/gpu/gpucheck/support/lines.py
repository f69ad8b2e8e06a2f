"""Reading a pipe line by line without waiting longer than one wants to."""

from __future__ import annotations

import os
import select
from typing import IO, List


class Lines:
    """The lines of a pipe, as they come."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe, self._rest = pipe, b""
        self.ended = False
        """Whether nobody can write to it any more."""

    def wait(self, seconds: float) -> bool:
        """Whether there is something to read within this time."""
        return bool(select.select([self._pipe], [], [], max(0.0, seconds))[0])

    def read(self, seconds: float) -> List[bytes]:
        """What became whole within this time."""
        if not self.wait(seconds):
            return []
        piece = os.read(self._pipe.fileno(), 1 << 16)
        self.ended = piece == b""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        return lines

    def close(self) -> None:
        """Lets go of it."""
        self._pipe.close()
