"""Whether memory made by cuMemCreate outlives a reset of the primary context."""

from __future__ import annotations

from ctypes import Structure, byref, c_int, c_size_t, c_ubyte, c_uint64, c_ulonglong, c_void_p

from gpucheck.support.cuda import Cuda
from gpucheck.support.nvml import Nvml
from gpucheck.support.report import fact
from gpucheck.support.units import MIB

_SIZE = 256 * MIB
from gpucheck.support.room import need


class _Properties(Structure):
    """`CUmemAllocationProp`: pinned memory on device 0."""

    _fields_ = [("type", c_int), ("handle_types", c_int), ("location_type", c_int), ("location_id", c_int)]
    _fields_ += [("win32", c_void_p), ("flags", c_ubyte * 8)]


def run() -> None:
    """Seen from NVML, as there is no context in between. What linear memory does shows that NVML follows."""
    need(2 * _SIZE)
    cuda = Cuda.with_context()
    nvml = Nvml(cuda.uuid())
    properties, handle, address = _Properties(type=1, location_type=1), c_ulonglong(), c_uint64()
    cuda.call("cuMemCreate", byref(handle), c_size_t(_SIZE), byref(properties), c_ulonglong(0))
    cuda.call("cuMemAddressReserve", byref(address), c_size_t(_SIZE), c_size_t(0), c_uint64(0), c_ulonglong(0))
    cuda.call("cuMemMap", address, c_size_t(_SIZE), c_size_t(0), handle, c_ulonglong(0))
    cuda.allocate(_SIZE)
    used = nvml.memory().used
    how = "NVML v1's used, against just before the reset with 256 MiB mapped and 256 MiB linear"
    cuda.call("cuDevicePrimaryCtxReset_v2", cuda.device)
    fact("the reset gives back", used - nvml.memory().used, "bytes", how)
    cuda.retain()
    cuda.synchronize()
    fact("given back, once there is a context again", used - nvml.memory().used, "bytes", how)
    fact("cuMemUnmap after the reset returns code", cuda.code("cuMemUnmap", address, c_size_t(_SIZE)))
    fact("cuMemRelease after the reset returns code", cuda.code("cuMemRelease", handle))
    fact("given back after both", used - nvml.memory().used, "bytes", how)
