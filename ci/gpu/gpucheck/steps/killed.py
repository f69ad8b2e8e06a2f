"""`kill -9`: the memory of a dead program is back within a second, and at once for a request that needs it."""

from __future__ import annotations

import time

from gpucheck.support import settings
from gpucheck.support.cuda import SUCCESS
from gpucheck.support.report import fact, promise
from gpucheck.support.slices import Slice, Tenant
from gpucheck.support.units import GIB, size

_PIECE = GIB


def run() -> None:
    """One program is killed, another one looks, and then asks."""
    with Slice(4) as slice_, slice_.tenant() as watcher:
        watcher.start()
        before = watcher.free_memory()
        _looks(slice_.tenant(), watcher, before)
        _asks(slice_.tenant(), watcher, before)


def _looks(victim: Tenant, watcher: Tenant, before: int) -> None:
    victim.start().allocate(_PIECE)
    start = time.monotonic()
    victim.kill()
    # A busy machine is no broken promise: the rehearsal waits longer.
    patience = 20.0 if settings.simulated() else 1.0
    free = watcher.free_memory()
    while free < before and time.monotonic() - start < patience:
        time.sleep(0.005)
        free = watcher.free_memory()
    fact("memory is back after", round((time.monotonic() - start) * 1e3), "ms", "from kill -9 to cuMemGetInfo")
    promise("a dead program's memory comes back", free == before, f"{size(free)} free, {size(before)} before")


def _asks(victim: Tenant, watcher: Tenant, before: int) -> None:
    victim.start().allocate(_PIECE)
    victim.kill()
    start = time.monotonic()
    code = watcher.allocate(before).code
    fact("the request took", round((time.monotonic() - start) * 1e3), "ms", "right after the kill, in one call")
    promise("a request that needs it has it at once", code == SUCCESS, f"code {code} for {size(before)}")
