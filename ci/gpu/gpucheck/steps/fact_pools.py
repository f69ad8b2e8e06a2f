"""Stream-ordered memory: how the default pool grows and shrinks, and a request of nothing."""

from __future__ import annotations

from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p
from typing import List, Tuple

from gpucheck.support.cuda import SENTINEL, SUCCESS, Cuda
from gpucheck.support.report import fact
from gpucheck.support.room import need
from gpucheck.support.units import KIB, MIB
from gpucheck.support.units import size as size_text

_RESERVED, _USED = 5, 7  # CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT
_SIZES = [1, 64 * KIB, 2 * MIB, 31 * MIB, 32 * MIB, 33 * MIB, 100 * MIB]


def run() -> None:
    """Allocations of growing sizes that are all kept, then freed."""
    need(512 * MIB)
    cuda = Cuda.with_context()
    pool = _Pool(cuda)
    code, pointer = pool.allocate(0)
    shown = {0: "null", SENTINEL: "untouched"}.get(pointer, "an address")
    fact("cuMemAllocAsync of 0 bytes", f"code {code}, output {shown}")
    pointers: List[int] = []
    for size in _SIZES:
        reserved, used, free = pool.attribute(_RESERVED), pool.attribute(_USED), cuda.free_memory()
        code, pointer = pool.allocate(size)
        if code != SUCCESS:
            fact(f"allocating {size_text(size)}", f"code {code}")
            continue
        pointers.append(pointer)
        cuda.synchronize()
        name = f"allocating {size_text(size)}"
        fact(f"{name}: reserved grows by", pool.attribute(_RESERVED) - reserved, "bytes", "attribute of the pool")
        fact(f"{name}: used grows by", pool.attribute(_USED) - used, "bytes", "attribute of the pool")
        fact(f"{name}: the card loses", free - cuda.free_memory(), "bytes", "cuMemGetInfo before and after")
    for pointer in pointers:
        cuda.call("cuMemFreeAsync", c_uint64(pointer), None)
    fact("reserved after freeing", pool.attribute(_RESERVED), "bytes", "attribute of the pool")
    cuda.synchronize()
    fact("reserved after freeing and synchronising", pool.attribute(_RESERVED), "bytes", "attribute of the pool")


class _Pool:
    """The device's default pool."""

    def __init__(self, cuda: Cuda) -> None:
        self._cuda, self._pool = cuda, c_void_p()
        cuda.call("cuDeviceGetDefaultMemPool", byref(self._pool), cuda.device)

    def attribute(self, number: int) -> int:
        """One of the pool's 64-bit attributes."""
        value = c_uint64()
        self._cuda.call("cuMemPoolGetAttribute", self._pool, c_int(number), byref(value))
        return value.value

    def allocate(self, size: int) -> Tuple[int, int]:
        """Code and address of an allocation on the default stream."""
        pointer = c_uint64(SENTINEL)
        code = self._cuda.code("cuMemAllocAsync", byref(pointer), c_size_t(size), None)
        return code, pointer.value
