"""How cuMemAllocPitch rounds a row."""

from __future__ import annotations

from ctypes import byref, c_size_t, c_uint, c_uint64

from gpucheck.support.cuda import Cuda
from gpucheck.support.report import fact
from gpucheck.support.room import need
from gpucheck.support.units import MIB

_WIDTHS = [1, 100, 512, 513, 1000, 4097, 100_000]
_ELEMENTS = [4, 8, 16]
_HEIGHT = 3


def run() -> None:
    """The pitch of rows of several widths and elements."""
    need(64 * MIB)
    cuda = Cuda.with_context()
    for width in _WIDTHS:
        pitches = [_pitch(cuda, width, element) for element in _ELEMENTS]
        shown = ", ".join(str(pitch) for pitch in pitches)
        fact(f"pitch of a row of {width:,} bytes", shown, "bytes", "elements of 4, 8 and 16 bytes")


def _pitch(cuda: Cuda, width: int, element: int) -> int:
    pointer, pitch = c_uint64(), c_size_t()
    arguments = (byref(pointer), byref(pitch), c_size_t(width), c_size_t(_HEIGHT), c_uint(element))
    cuda.call("cuMemAllocPitch_v2", *arguments)
    cuda.release(pointer.value)
    return pitch.value
