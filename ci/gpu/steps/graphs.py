"""Memory of graphs: when an allocation inside a graph is taken from the device."""

from ctypes import byref, c_size_t, c_uint, c_uint64, c_void_p

from driver import MIB, SUCCESS, Driver
from report import fact, give_up, mib

SIZE = 64 * MIB
RELAXED = 2

driver = Driver()
stream = driver.stream()
if driver.code("cuStreamBeginCapture_v2", stream, c_uint(RELAXED)) != SUCCESS:
    give_up("the driver does not capture streams")
pointer, graph, executable = c_uint64(), c_void_p(), c_void_p()
code = driver.code("cuMemAllocAsync", byref(pointer), c_size_t(SIZE), stream)
if code != SUCCESS:
    give_up(f"cuMemAllocAsync in a capture returns {code}")
driver.call("cuMemFreeAsync", pointer, stream)
driver.call("cuStreamEndCapture", stream, byref(graph))

free = driver.free()
driver.call("cuGraphInstantiateWithFlags", byref(executable), graph, c_uint64(0))
fact("instantiating a graph that allocates 64 MiB takes", mib(free - driver.free()))
free = driver.free()
driver.call("cuGraphUpload", executable, stream)
driver.synchronize()
fact("uploading it takes", mib(free - driver.free()))
free = driver.free()
driver.call("cuGraphLaunch", executable, stream)
driver.synchronize()
fact("launching it takes", mib(free - driver.free()))
free = driver.free()
driver.call("cuGraphExecDestroy", executable)
driver.call("cuGraphDestroy", graph)
fact("destroying it gives back", mib(driver.free() - free))
free = driver.free()
driver.call("cuDeviceGraphMemTrim", driver.device)
fact("trimming gives back", mib(driver.free() - free))
