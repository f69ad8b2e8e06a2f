"""`--gpus`: the slice is on the card with that UUID, whatever the program's own order of cards is."""

from __future__ import annotations

from ctypes import byref, c_int

from gpucheck.support.cuda import OUT_OF_MEMORY, SUCCESS, Cuda
from gpucheck.support.report import equal, skip
from gpucheck.support.slices import Slice, Tenant
from gpucheck.support.units import GIB


def run() -> None:
    """With one card there is only the UUID to try."""
    cuda = Cuda()
    chosen = cuda.uuid()
    with Slice(1, chosen) as slice_, slice_.tenant() as tenant:
        equal("a card by its UUID", int(tenant.ask("total", 0)["total"]), GIB, "bytes")
    if cuda.count() < 2:
        skip("a card beside the chosen one has nothing to give", "there is one card")
        return
    cuda.call("cuDeviceGet", byref(cuda.device), c_int(1))
    other = cuda.uuid()
    with Slice(1, chosen) as slice_:
        with slice_.tenant() as tenant:
            equal("a context on a card beside the chosen one returns", tenant.code("context", 1), OUT_OF_MEMORY)
        with Tenant({**slice_.environment, "CUDA_VISIBLE_DEVICES": f"{other},{chosen}"}) as tenant:
            name = "the limit follows the card when CUDA_VISIBLE_DEVICES reorders"
            equal(name, int(tenant.ask("total", 1)["total"]), GIB, "bytes")
            equal("and the card can be used", tenant.code("context", 1), SUCCESS)
