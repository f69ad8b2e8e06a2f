"""A program inside 1 GiB: what it is told, the last byte that fits, the first that does not."""

from __future__ import annotations

import os

from gpucheck.support import settings
from gpucheck.support.cuda import OUT_OF_MEMORY, SUCCESS, Cuda
from gpucheck.support.nvml import Nvml
from gpucheck.support.process import finish, last_line
from gpucheck.support.report import equal, fact, promise, skip
from gpucheck.support.slices import Slice, Tenant
from gpucheck.support.units import GIB, MIB, size

_LIMIT = GIB
_CHUNK = 2 * MIB


def run() -> None:
    """Watches the program from outside of the slice too, where NVML says what is really used."""
    outside = Nvml(Cuda().uuid())
    with Slice(1) as slice_, slice_.tenant() as tenant:
        equal("cuDeviceTotalMem", int(tenant.ask("start")["total"]), _LIMIT, "bytes")
        free, total = tenant.memory()
        equal("cuMemGetInfo's total", total, _LIMIT, "bytes")
        _context(tenant, total - free, outside)
        _nvml(tenant, free)
        _last_byte(tenant, free, outside)
        _too_much(tenant, free)
    _shipped_program()


def _context(tenant: Tenant, charged: int, outside: Nvml) -> None:
    """What the slice is charged for a context, against what the card has really lost."""
    fact("charged for the context", charged, "bytes", "cuMemGetInfo in the slice, total - free")
    real = outside.used_by(tenant.pid)
    if real is None:
        skip("the context's charge is NVML's figure", "NVML does not list the process under its own number")
        return
    # The driver may take a last chunk between the two readings.
    promise(
        "the context's charge is NVML's figure", abs(charged - real) <= _CHUNK, f"{size(charged)}, NVML {size(real)}"
    )


def _nvml(tenant: Tenant, free: int) -> None:
    """Both versions of NVML's call say the same as cuMemGetInfo."""
    answer = tenant.ask("nvml")
    for version, memory in answer.items():
        equal(f"NVML {version}: total", memory["total"], _LIMIT, "bytes")
        equal(f"NVML {version}: free is cuMemGetInfo's", memory["free"], free, "bytes")
        equal(f"NVML {version}: used is the rest", memory["used"], _LIMIT - free, "bytes")


def _last_byte(tenant: Tenant, free: int, outside: Nvml) -> None:
    filled = tenant.fill()
    equal("granted, down to single bytes", filled.size, free, "bytes")
    equal("the next byte is refused with", filled.code, OUT_OF_MEMORY)
    promise("the refused call left its output alone", filled.untouched, "")
    equal("free then", tenant.free_memory(), 0, "bytes")
    equal("a pitched allocation is refused with", tenant.code("pitched", 64, 64), OUT_OF_MEMORY)
    equal("the context is healthy after refusals", tenant.code("synchronize"), SUCCESS)
    real = outside.used_by(tenant.pid)
    if real is not None:
        fact("the full slice really uses", real, "bytes", "NVML's process list, outside of the slice")
    tenant.release_all()
    equal("free after freeing all", tenant.free_memory(), free, "bytes")


def _too_much(tenant: Tenant, free: int) -> None:
    equal("one byte more than free is refused with", tenant.allocate(free + 1).code, OUT_OF_MEMORY)
    equal("more than the card is refused with", tenant.allocate(1 << 50).code, OUT_OF_MEMORY)
    equal("a size that overflows is refused with", tenant.allocate(2**64 - 1).code, OUT_OF_MEMORY)
    equal("all that is free, in one piece, returns", tenant.allocate(free).code, SUCCESS)
    tenant.release_all()


def _shipped_program() -> None:
    """The program of the quick start, as a user runs it."""
    program = settings.program("fill")
    if not program.exists():
        skip("vgpu run -- fill", "not in the bundle")
        return
    finished = finish([*settings.vgpu_run("--memory", "1Gi"), str(program)], os.environ, 20.0)
    refused = "refused with CUDA_ERROR_OUT_OF_MEMORY" in finished.stdout
    promise("vgpu run -- fill", finished.returncode == 0 and refused, last_line(finished.stdout or finished.stderr))
