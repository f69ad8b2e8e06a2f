"""How many launches a stream takes before the next one waits."""

from __future__ import annotations

import time

from gpucheck.support.cuda import Cuda
from gpucheck.support.kernels import Spin
from gpucheck.support.report import fact
from gpucheck.support.room import need
from gpucheck.support.units import MIB

_SPIN_MILLISECONDS = 1000
_WAITING_SECONDS = 0.05
_MOST = 20_000


def run() -> None:
    """One long kernel, and short ones behind it until a launch takes long."""
    need(64 * MIB)
    cuda = Cuda.with_context()
    long, short, stream = Spin(cuda, _SPIN_MILLISECONDS), Spin(cuda, 0.001), cuda.stream()
    short.launch(stream)
    cuda.synchronize()
    start = time.monotonic()
    long.launch(stream)
    depth = 1
    while depth < _MOST and time.monotonic() - start < _SPIN_MILLISECONDS / 1e3:
        before = time.monotonic()
        short.launch(stream)
        if time.monotonic() - before > _WAITING_SECONDS:
            fact("launches in a stream before one waits", depth, how="behind a kernel of 1 s; a launch of 50 ms waits")
            break
        depth += 1
    else:
        fact("launches in a stream before one waits, at least", depth, how="none waited while a kernel of 1 s ran")
    cuda.synchronize()
