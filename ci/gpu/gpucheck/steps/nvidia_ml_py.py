"""nvidia-ml-py inside of a slice: its size, its use, its programs and no others."""

from __future__ import annotations

import os

from gpucheck.support.cuda import Cuda
from gpucheck.support.frameworks import is_installed
from gpucheck.support.process import ask_once, worker
from gpucheck.support.report import equal, promise
from gpucheck.support.slices import Slice, preloaded
from gpucheck.support.units import GIB

_SECONDS = 20.0


def run() -> None:
    """A program is inside that has allocated, and one outside that must not be seen."""
    if not is_installed("pynvml", "nvidia-ml-py"):
        return
    # This process's own context is the one that nobody in the slice may see.
    cuda = Cuda.with_context()
    ask = worker("pynvml_program", cuda.uuid())
    native, loaded = ask_once(ask, os.environ, _SECONDS), ask_once(ask, preloaded(), _SECONDS)
    equal("no limit: the total is the native one", loaded["total"], native["total"], "bytes")
    with Slice(1) as slice_, slice_.tenant() as tenant:
        tenant.start().allocate(GIB // 4)
        free, total = tenant.memory()
        inside = ask_once(ask, slice_.environment, _SECONDS)
        equal("in a slice: the total", inside["total"], total, "bytes")
        equal("in a slice: free is cuMemGetInfo's", inside["free"], free, "bytes")
        equal("in a slice: used is the rest", inside["used"], total - free, "bytes")
        pids = [pid for pid, _ in inside["processes"]]
        promise("in a slice: its programs and no others", pids == [tenant.pid], f"{len(pids)} listed")
