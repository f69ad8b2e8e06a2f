"""CuPy: the same results with the library as without, and its out-of-memory error at the limit."""

from __future__ import annotations

import os

from gpucheck.support import settings
from gpucheck.support.frameworks import LIMIT, can_be_tried, filled, is_usable, same_bits, same_view
from gpucheck.support.process import ask_once, worker
from gpucheck.support.report import promise
from gpucheck.support.slices import preloaded
from gpucheck.support.units import size

_SECONDS = 40.0


def run() -> None:
    """Skipped where there is no CuPy."""
    if not can_be_tried("cupy", LIMIT):
        return
    program = worker("cupy_program")
    native = ask_once(program, os.environ, _SECONDS)
    if not is_usable(native):
        return
    loaded = ask_once(program, preloaded(), _SECONDS)
    limited = ask_once([*settings.vgpu_run("--memory", "4Gi"), *program, "fill"], os.environ, _SECONDS)
    same_bits(native, {"preloaded, no limit": loaded, "in a slice": limited})
    same_view(native, loaded)
    promise("it sees the slice's size", limited["total"] == LIMIT, size(limited["total"]))
    filled(limited)
