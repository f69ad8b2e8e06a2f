"""Times calls that take a pointer or two, at the speed of C although there is no compiler.

The C library's `qsort` calls a comparison with pointers to two elements, again and again. A driver call that writes to
those pointers and returns 0 passes for a comparison that finds everything equal, so `qsort` makes a number of calls
that depends on the number of elements alone. What `qsort` itself takes is found with a comparison that does nothing,
and is subtracted.
"""

from __future__ import annotations

import ctypes
import time
from ctypes import CFUNCTYPE, c_int, c_size_t, c_uint64, c_void_p
from statistics import median
from typing import Any, Dict, Sequence

from gpucheck.support import channel
from gpucheck.support.cuda import Cuda
from gpucheck.support.errors import CallFailed

_ELEMENTS = 1 << 8
_ROUNDS = 15
_CALLS = {
    "cuCtxGetCurrent": "cuCtxGetCurrent",
    "cuCtxGetDevice": "cuCtxGetDevice",
    "cuMemGetInfo": "cuMemGetInfo_v2",
}

_Elements = c_uint64 * _ELEMENTS


def run(_: Sequence[str]) -> None:
    """Sends the nanoseconds of each call."""
    cuda = Cuda.with_context()
    qsort = ctypes.CDLL(None).qsort
    calls = _count(qsort)
    # Compares two pointers, which are never equal, and returns 0.
    nothing = _nanoseconds(qsort, ctypes.CDLL(None).pthread_equal)
    costs: Dict[str, float] = {}
    for name, symbol in _CALLS.items():
        function = getattr(cuda.handle, symbol)
        code = function(ctypes.byref(c_uint64()), ctypes.byref(c_uint64()))
        if code != 0:
            raise CallFailed(symbol, code)
        costs[name] = (_nanoseconds(qsort, function) - nothing) / calls
    channel.send(costs)


def _count(qsort: Any) -> int:
    """How many comparisons of equal elements a sort makes."""
    calls = 0

    def equal(_first: int, _second: int) -> int:
        nonlocal calls
        calls += 1
        return 0

    comparison = CFUNCTYPE(c_int, c_void_p, c_void_p)(equal)
    qsort(_Elements(), c_size_t(_ELEMENTS), c_size_t(8), comparison)
    return calls


def _nanoseconds(qsort: Any, function: Any) -> float:
    """The time of one sort."""
    address = ctypes.cast(function, c_void_p)
    times = []
    for _ in range(_ROUNDS):
        elements = _Elements()
        start = time.perf_counter_ns()
        qsort(elements, c_size_t(_ELEMENTS), c_size_t(8), address)
        times.append(time.perf_counter_ns() - start)
    return median(times)
