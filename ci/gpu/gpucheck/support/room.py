"""Staying within what is free: others may be using the card."""

from __future__ import annotations

from .cuda import Cuda
from .errors import CallFailed, NoRoom
from .nvml import Nvml
from .units import MIB
from .units import size as size_text

_MARGIN = 512 * MIB
"""For contexts, and for what others take meanwhile."""


def need(size: int) -> None:
    """Gives up the step unless the card has `size` bytes free, and some to spare."""
    cuda = Cuda()
    # Of a MIG instance, NVML tells what the whole card has, and CUDA how large the instance is.
    free = min(_free(cuda), cuda.total())
    if free < size + _MARGIN:
        raise NoRoom(f"{size_text(free)} free on the card, {size_text(size + _MARGIN)} needed")


def _free(cuda: Cuda) -> int:
    """By NVML, as asking CUDA would take a context. Cards without memory of their own do not tell."""
    try:
        return int(Nvml(cuda.uuid()).memory().free)
    except CallFailed:
        return cuda.total()
