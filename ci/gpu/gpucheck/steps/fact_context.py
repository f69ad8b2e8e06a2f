"""What a context costs."""

from __future__ import annotations

import os
from ctypes import byref, c_uint, c_void_p

from gpucheck.support.cuda import Cuda
from gpucheck.support.nvml import Nvml
from gpucheck.support.report import fact, skip, subject
from gpucheck.support.room import need
from gpucheck.support.units import GIB


def run() -> None:
    """The primary context first; then one more, and what it gives back."""
    need(GIB)
    cuda = Cuda()
    nvml = Nvml(cuda.uuid())
    before = nvml.memory().used
    cuda.retain()
    fact("primary context", nvml.memory().used - before, "bytes", "growth of the device's use in NVML v1")
    own = nvml.used_by(os.getpid())
    if own is None:
        skip("primary context, by NVML's process list", "this process is not listed under its own number")
    else:
        fact("primary context, by NVML's process list", own, "bytes", "usedGpuMemory of this process")
    with subject("a context made by cuCtxCreate"):
        _second(cuda)


def _second(cuda: Cuda) -> None:
    free = cuda.free_memory()
    context = c_void_p()
    cuda.call("cuCtxCreate_v2", byref(context), c_uint(0), cuda.device)
    fact("a second context, by cuCtxCreate", free - cuda.free_memory(), "bytes", "cuMemGetInfo before and after")
    cuda.call("cuCtxDestroy_v2", context)
    cuda.retain()
    fact("missing after destroying it", free - cuda.free_memory(), "bytes", "cuMemGetInfo before and after")
