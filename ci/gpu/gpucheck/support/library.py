"""Calling a shared library of the driver through ctypes."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

from .errors import CallFailed, Missing, Unsupported


class Library:
    """A shared library whose functions return a code, 0 for success.

    Arguments are ctypes values: a bare Python number would be passed as a C `int`.
    """

    def __init__(self, name: str, unsupported: int) -> None:
        """Loads it. `unsupported` is the code by which its functions say that this driver or card cannot do that."""
        self.handle = ctypes.CDLL(name)
        self._unsupported = unsupported

    def has(self, name: str) -> bool:
        """Whether the library exports `name`."""
        return hasattr(self.handle, name)

    def code(self, name: str, *arguments: Any) -> int:
        """Calls a function and returns its code."""
        function: Optional[Any] = getattr(self.handle, name, None)
        if function is None:
            raise Missing(name)
        return int(function(*arguments))

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function that has to succeed."""
        code = self.code(name, *arguments)
        if code == self._unsupported:
            raise Unsupported(name, code)
        if code != 0:
            raise CallFailed(name, code)
