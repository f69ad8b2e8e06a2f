"""Stream-ordered memory: how the default pool grows and shrinks, and a request of nothing."""

from ctypes import byref, c_size_t, c_uint64, c_void_p

from driver import KIB, MIB, SUCCESS, Driver
from report import fact, give_up, mib

RESERVED, USED = 5, 7

driver = Driver()
pool = c_void_p()
if driver.code("cuDeviceGetDefaultMemPool", byref(pool), driver.device) != SUCCESS:
    give_up("the driver has no default memory pool")


def attribute(number):
    value = c_uint64()
    driver.call("cuMemPoolGetAttribute", pool, number, byref(value))
    return value.value


def allocate(size):
    pointer = c_uint64()
    code = driver.code("cuMemAllocAsync", byref(pointer), c_size_t(size), None)
    return code, pointer.value


code, pointer = allocate(0)
fact("cuMemAllocAsync of 0 bytes", f"returns {code}, {'a null' if pointer == 0 else 'some'} pointer")

pointers = []
for size in [1, 64 * KIB, 2 * MIB, 31 * MIB, 32 * MIB, 33 * MIB, 100 * MIB]:
    reserved, used, free = attribute(RESERVED), attribute(USED), driver.free()
    code, pointer = allocate(size)
    if code != SUCCESS:
        fact(f"pool: allocating {size} bytes", f"returns {code}")
        continue
    pointers.append(pointer)
    driver.synchronize()
    fact(
        f"pool: allocating {size} bytes",
        f"used +{attribute(USED) - used}, reserved +{mib(attribute(RESERVED) - reserved)}, "
        f"free -{mib(free - driver.free())}",
    )
for pointer in pointers:
    driver.call("cuMemFreeAsync", c_uint64(pointer), None)
fact("pool: reserved after freeing", mib(attribute(RESERVED)))
driver.synchronize()
fact("pool: reserved after freeing and synchronising", mib(attribute(RESERVED)))
