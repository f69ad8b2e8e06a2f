"""A small CuPy program: a computation that is compared, then, if told to, all the memory it can get."""

from __future__ import annotations

import hashlib
import importlib
from typing import Any, Dict, List, Sequence

from gpucheck.support import channel
from gpucheck.support.units import MIB

_PIECE = 128 * MIB
_PIECES = 64
"""More than the slice has."""


def run(arguments: Sequence[str]) -> None:
    """Sends what it found."""
    cupy: Any = importlib.import_module("cupy")

    if not cupy.is_available():
        channel.send({"unusable": f"CuPy {cupy.__version__} finds no CUDA here"})
        return
    _, total = cupy.cuda.runtime.memGetInfo()
    answer: Dict[str, Any] = {"digest": _compute(cupy), "total": total}
    if "fill" in arguments:
        answer.update(_fill(cupy))
    channel.send(answer)


def _compute(cupy: Any) -> str:
    """Arithmetic on whole numbers: the same on every card, in every order."""
    values = cupy.arange(1 << 20, dtype=cupy.uint64)
    for step in range(8):
        values = (values * 6364136223846793005 + step) ^ cupy.roll(values, step + 1)
    return hashlib.sha256(cupy.asnumpy(values).tobytes()).hexdigest()


def _fill(cupy: Any) -> Dict[str, Any]:
    """Allocates until CuPy says that there is no more, frees, and allocates again."""
    arrays: List[Any] = []
    caught = ""
    try:
        while len(arrays) < _PIECES:
            arrays.append(cupy.empty(_PIECE, dtype=cupy.uint8))
    except cupy.cuda.memory.OutOfMemoryError as error:
        caught = type(error).__name__
    filled, refused = len(arrays) * _PIECE, len(arrays) < _PIECES
    arrays.clear()
    cupy.get_default_memory_pool().free_all_blocks()
    again = cupy.ones(filled // 4, dtype=cupy.uint8)
    return {
        "filled": filled,
        "refused": refused,
        "caught": caught,
        "recovered": filled > 0 and int(again.sum()) == filled // 4,
    }
