"""Local memory: whether the first launch that needs it takes card memory for every thread the card can hold."""

from __future__ import annotations

from gpucheck.support.cuda import Cuda
from gpucheck.support.kernels import SCRATCH_BYTES, Scratch
from gpucheck.support.report import fact, skip
from gpucheck.support.room import need
from gpucheck.support.units import GIB, MIB

_MULTIPROCESSORS, _THREADS = 16, 39  # Numbers of CUdevice_attribute.


def run() -> None:
    """cuMemGetInfo around loading a module and two launches."""
    need(4 * GIB)
    cuda = Cuda.with_context()
    expected = SCRATCH_BYTES * cuda.attribute(_THREADS) * cuda.attribute(_MULTIPROCESSORS)
    if expected > 3 * GIB:
        skip("all", f"it might take {expected // MIB} MiB on this card")
        return
    free = cuda.free_memory()
    scratch = Scratch(cuda)
    loaded = cuda.free_memory()
    fact("loading a small module", free - loaded, "bytes", "cuMemGetInfo before and after")
    scratch.launch()
    launched = cuda.free_memory()
    fact("bytes of all threads of the card", expected, "bytes", f"{SCRATCH_BYTES} a thread")
    fact("first launch that needs them", loaded - launched, "bytes", "cuMemGetInfo before and after")
    scratch.launch()
    fact("second launch", launched - cuda.free_memory(), "bytes", "cuMemGetInfo before and after")
