"""Whether memory made by cuMemCreate outlives a reset of the primary context."""

from __future__ import annotations

from ctypes import byref, c_size_t, c_uint64, c_ulonglong

from gpucheck.support.cuda import Cuda
from gpucheck.support.kinds import PhysicalProperties
from gpucheck.support.nvml import Nvml
from gpucheck.support.report import fact
from gpucheck.support.room import need
from gpucheck.support.units import MIB

_SIZE = 256 * MIB


def run() -> None:
    """Seen from NVML, as there is no context in between. What linear memory does shows that NVML follows."""
    need(2 * _SIZE)
    cuda = Cuda.with_context()
    nvml = Nvml(cuda.uuid())
    properties, handle, address = PhysicalProperties.on_first_device(), c_ulonglong(), c_uint64()
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
