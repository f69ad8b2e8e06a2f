"""What can go wrong when a library of the driver is called."""

from __future__ import annotations


class CallFailed(Exception):
    """A call that had to succeed and did not."""

    def __init__(self, call: str, code: int) -> None:
        super().__init__(f"{call} returned {code}")
        self.code = code


class Unsupported(CallFailed):
    """A call that this driver, or this card, does not have."""


class Missing(Unsupported):
    """A function that the library does not export."""

    def __init__(self, call: str) -> None:
        super().__init__(call, 0)
        self.args = (f"there is no {call}",)


class NoRoom(Exception):
    """The card has less free memory than a step needs."""


class CannotStart(Exception):
    """A program did not start, or ended before it did what it was started for."""
