"""JAX: the same results with the library as without, and its out-of-memory error at the limit."""

from __future__ import annotations

import os

from gpucheck.support.frameworks import GIB_OF_SLICE, LIMIT, can_be_tried, filled, is_usable, same_bits
from gpucheck.support.process import ask_once, worker
from gpucheck.support.report import promise
from gpucheck.support.slices import Slice, preloaded
from gpucheck.support.units import size

_SECONDS = 50.0
_AS_IT_NEEDS = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
"""Natively it would take three quarters of the card at once."""


def run() -> None:
    """In the slice it may take what it takes by default."""
    if not can_be_tried("jax", LIMIT):
        return
    program = worker("jax_program")
    native = ask_once(program, {**os.environ, **_AS_IT_NEEDS}, _SECONDS)
    if not is_usable(native):
        return
    loaded = ask_once(program, {**preloaded(), **_AS_IT_NEEDS}, _SECONDS)
    with Slice(GIB_OF_SLICE) as slice_:
        limited = ask_once([*program, "fill"], slice_.environment, _SECONDS)
    same_bits(native, {"preloaded, no limit": loaded, "in a slice": limited})
    arena = limited["arena"]
    promise("what it takes beforehand is of the slice's size", 0 < arena <= LIMIT, size(arena))
    filled(limited)
