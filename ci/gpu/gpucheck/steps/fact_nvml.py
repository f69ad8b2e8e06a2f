"""What NVML says of memory and of processes, and what it costs to ask."""

from __future__ import annotations

import os
import time
from statistics import median

from gpucheck.support.cuda import Cuda
from gpucheck.support.library import Library
from gpucheck.support.nvml import NOT_SUPPORTED, PROCESS_VERSIONS, Nvml
from gpucheck.support.report import fact, subject
from gpucheck.support.room import need
from gpucheck.support.units import GIB

_ROUNDS = 9


def run() -> None:
    """With a context and 1 GiB allocated, so that there is something to see."""
    with subject("starting NVML"):
        _start()
    need(GIB)
    cuda = Cuda.with_context()
    cuda.allocate(GIB)
    nvml = Nvml(cuda.uuid())
    with subject("NVML's memory"):
        _memory(cuda, nvml)
    for version in PROCESS_VERSIONS:
        name = f"nvmlDeviceGetComputeRunningProcesses{version}"
        with subject(name):
            listed = [process.pid for process in nvml.processes(version)]
            fact(f"{name} lists this process as getpid() says", os.getpid() in listed, how=f"{len(listed)} listed")
    with subject("what NVML knows of this process"):
        used = nvml.used_by(os.getpid())
        fact("what NVML knows of this process", used if used is not None else "nothing", "bytes", "context and 1 GiB")


def _memory(cuda: Cuda, nvml: Nvml) -> None:
    v1 = nvml.memory()
    for name in ("total", "used", "free"):
        fact(f"v1 {name}", getattr(v1, name), "bytes")
    free, total = cuda.memory()
    fact("cuMemGetInfo's total - NVML's total", total - v1.total, "bytes")
    fact("cuMemGetInfo's free - NVML's free", free - v1.free, "bytes")
    v2 = nvml.memory_v2()
    for name in ("total", "reserved", "used", "free"):
        fact(f"v2 {name}", getattr(v2, name), "bytes")
    fact("v1 used - v2 used", v1.used - v2.used, "bytes", "v2's used excludes what is reserved if that is it")
    fact("v2 used + free is its total", v2.used + v2.free == v2.total)
    fact("v2 used + free + reserved is its total", v2.used + v2.free + v2.reserved == v2.total)


def _start() -> None:
    """Before anything else in this process uses NVML: it counts its users, and only the first one pays."""
    library, costs = Library("libnvidia-ml.so.1", NOT_SUPPORTED), []
    for _ in range(_ROUNDS):
        start = time.perf_counter_ns()
        library.call("nvmlInit_v2")
        middle = time.perf_counter_ns()
        library.call("nvmlShutdown")
        costs.append((middle - start, time.perf_counter_ns() - middle))
    fact(
        "nvmlInit_v2",
        round(median(start for start, _ in costs) / 1e3),
        "us",
        "median of 9, no other user in the process",
    )
    fact("nvmlShutdown", round(median(end for _, end in costs) / 1e3), "us", "median of 9")
