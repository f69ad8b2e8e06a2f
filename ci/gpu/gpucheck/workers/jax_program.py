"""A small JAX program: a computation that is compared, then, if told to, all the memory it can get."""

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
    jax: Any = importlib.import_module("jax")
    try:
        device = jax.devices("gpu")[0]
    except RuntimeError as error:
        first_line = str(error).split("\n")[0]
        channel.send({"unusable": f"JAX {jax.__version__} finds no CUDA here: {first_line}"})
        return
    stats = device.memory_stats() or {}
    answer: Dict[str, Any] = {"digest": _compute(jax), "arena": int(stats.get("bytes_limit", 0))}
    if "fill" in arguments:
        answer.update(_fill(jax))
    channel.send(answer)


def _compute(jax: Any) -> str:
    """Arithmetic on whole numbers: the same on every card, in every order."""
    numbers = importlib.import_module("jax.numpy")
    values = numbers.arange(1 << 20, dtype=numbers.uint32)

    @jax.jit  # type: ignore[untyped-decorator]
    def step(values: Any, turn: Any) -> Any:
        return (values * numbers.uint32(1664525) + turn) ^ numbers.roll(values, 1)

    for turn in range(8):
        values = step(values, numbers.uint32(turn))
    return hashlib.sha256(bytes(memoryview(jax.device_get(values)).cast("B"))).hexdigest()


def _fill(jax: Any) -> Dict[str, Any]:
    """Allocates until JAX says that there is no more, frees, and allocates again."""
    numbers = importlib.import_module("jax.numpy")
    arrays: List[Any] = []
    caught = ""
    try:
        while len(arrays) < _PIECES:
            arrays.append(numbers.zeros(_PIECE, dtype=numbers.uint8).block_until_ready())
    except RuntimeError as error:
        caught = type(error).__name__ if "RESOURCE_EXHAUSTED" in str(error) else ""
    filled, refused = len(arrays) * _PIECE, len(arrays) < _PIECES
    arrays.clear()
    again = numbers.ones(max(1, filled // 4), dtype=numbers.uint8)
    recovered = filled > 0 and int(again.sum(dtype=numbers.uint32)) == filled // 4
    return {"filled": filled, "refused": refused, "caught": caught, "recovered": recovered}
