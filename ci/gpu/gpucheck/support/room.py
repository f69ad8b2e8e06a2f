"""Staying within what is free: others may be using the card."""

from __future__ import annotations

from .cuda import Cuda
from .errors import NoRoom
from .nvml import Nvml
from .units import MIB
from .units import size as size_text

_MARGIN = 512 * MIB
"""For contexts, and for what others take meanwhile."""


def need(size: int) -> None:
    """Gives up the step unless the card has `size` bytes free, and some to spare."""
    free = Nvml(Cuda().uuid()).memory().free
    if free < size + _MARGIN:
        raise NoRoom(f"{size_text(free)} free on the card, {size_text(size + _MARGIN)} needed")
