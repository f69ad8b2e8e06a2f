"""Whether memory made by cuMemCreate outlives a reset of the primary context."""

import ctypes
from ctypes import byref, c_int, c_size_t, c_uint64, c_ulonglong

from driver import MIB, SUCCESS, Driver
from nvml import Nvml
from report import fact, give_up, mib

SIZE = 64 * MIB


class Properties(ctypes.Structure):
    """CUmemAllocationProp: pinned memory on device 0."""

    _fields_ = [("type", c_int), ("handle_types", c_int), ("location_type", c_int), ("location_id", c_int)]
    _fields_ += [("win32", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8)]


driver, nvml = Driver(), Nvml()
properties = Properties(type=1, location_type=1)
handle, address = c_ulonglong(), c_uint64()
code = driver.code("cuMemCreate", byref(handle), c_size_t(SIZE), byref(properties), c_ulonglong(0))
if code != SUCCESS:
    give_up(f"cuMemCreate returns {code}")
driver.call("cuMemAddressReserve", byref(address), c_size_t(SIZE), c_size_t(0), c_uint64(0), c_ulonglong(0))
driver.call("cuMemMap", address, c_size_t(SIZE), c_size_t(0), handle, c_ulonglong(0))

used = nvml.memory().used
linear = driver.allocate(SIZE)
fact("linear memory takes of the device", mib(nvml.memory().used - used))
driver.call("cuDevicePrimaryCtxReset_v2", driver.device)
fact("after a reset of the context the device's use changed by", mib(nvml.memory().used - used))
driver.retain()
driver.call("cuCtxSynchronize")
fact("with a new context it changed by", mib(nvml.memory().used - used))
fact("freeing the linear memory of before returns", driver.code("cuMemFree_v2", c_uint64(linear)))
fact("unmapping returns", driver.code("cuMemUnmap", address, c_size_t(SIZE)))
fact("releasing the handle returns", driver.code("cuMemRelease", handle))
fact("after that the device's use changed by", mib(nvml.memory().used - used))
