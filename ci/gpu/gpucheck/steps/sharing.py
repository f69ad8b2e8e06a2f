"""Two programs in one slice: they share one limit, and see one picture."""

from __future__ import annotations

from gpucheck.support.cuda import OUT_OF_MEMORY, SUCCESS
from gpucheck.support.report import equal, fact, promise
from gpucheck.support.slices import Slice
from gpucheck.support.units import GIB, MIB, size

_LIMIT = 3 * GIB
_PIECE = 512 * MIB


def run() -> None:
    """What one takes, the other cannot have."""
    with Slice(3) as slice_, slice_.tenant() as first, slice_.tenant() as second:
        first.start()
        alone = first.free_memory()
        second.start()
        both = first.free_memory()
        fact("charged for the first context", _LIMIT - alone, "bytes")
        fact("charged for the second context", alone - both, "bytes")

        equal("the first allocates", first.allocate(_PIECE).code, SUCCESS)
        equal("the second sees it", second.free_memory(), both - _PIECE, "bytes")
        equal("the second gets the rest", second.fill().size, both - _PIECE, "bytes")
        equal("the first is refused with", first.allocate(1).code, OUT_OF_MEMORY)
        second.release_all()
        equal("the first sees what was freed", first.free_memory(), both - _PIECE, "bytes")
        first.release_all()

        for tenant in (first, second):
            tenant.send("fill")
        taken = sum(int(tenant.receive()["size"]) for tenant in (first, second))
        promise("racing, they stay inside", taken <= both, f"{size(taken)} of {size(both)}")
        equal("what the race left is granted", first.fill().size, both - taken, "bytes")
