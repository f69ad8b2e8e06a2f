"""How cuMemAlloc rounds, shares chunks among small allocations, and gives them back."""

from __future__ import annotations

from typing import List

from gpucheck.support.cuda import Cuda
from gpucheck.support.report import fact
from gpucheck.support.room import need
from gpucheck.support.units import KIB, MIB
from gpucheck.support.units import size as size_text

_SIZES = [4 * KIB, 256 * KIB, 512 * KIB, MIB, MIB + 1, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 3 * MIB]
_EACH = 8
_SMALL = 10_000


def run() -> None:
    """cuMemGetInfo before and after, everywhere."""
    need(256 * MIB)
    cuda = Cuda.with_context()
    cuda.allocate(1)  # Whatever the first allocation of all sets up is not to be counted below.
    first, second = cuda.allocate(1), cuda.allocate(1)
    fact("distance of two allocations of 1 byte", abs(second - first), "bytes", "their addresses")
    for size in _SIZES:
        _several(cuda, size)
    _many(cuda)


def _several(cuda: Cuda, size: int) -> None:
    free = cuda.free_memory()
    pointers = [cuda.allocate(size) for _ in range(_EACH)]
    fact(f"{_EACH} allocations of {size_text(size)} take", free - cuda.free_memory(), "bytes")
    for pointer in pointers:
        cuda.release(pointer)
    fact(f"{_EACH} allocations of {size_text(size)}, freed, still take", free - cuda.free_memory(), "bytes")


def _many(cuda: Cuda) -> None:
    free = cuda.free_memory()
    pointers = [cuda.allocate(KIB) for _ in range(_SMALL)]
    name = f"{_SMALL:,} allocations of 1 KiB"
    fact(f"{name} take", free - cuda.free_memory(), "bytes")
    kept = _release_every_second(cuda, pointers)
    fact(f"{name}, every second one freed, take", free - cuda.free_memory(), "bytes")
    half = len(kept) // 2
    for pointer in kept[:half]:
        cuda.release(pointer)
    fact(
        f"{name}, only the last quarter left, take", free - cuda.free_memory(), "bytes", "empty chunks are back if less"
    )
    for pointer in kept[half:]:
        cuda.release(pointer)
    fact(f"{name}, all freed, take", free - cuda.free_memory(), "bytes")


def _release_every_second(cuda: Cuda, pointers: List[int]) -> List[int]:
    for pointer in pointers[::2]:
        cuda.release(pointer)
    return pointers[1::2]
