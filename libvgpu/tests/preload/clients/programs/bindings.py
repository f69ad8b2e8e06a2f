"""NVIDIA's bindings of the driver API: every function is looked up by cuGetProcAddress."""

from blocks import take
from cuda.bindings import driver


class OutOfMemory(Exception):
    pass


def checked(answer):
    result, *values = answer
    if result == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
        raise OutOfMemory
    assert result == driver.CUresult.CUDA_SUCCESS, result
    return values[0] if values else None


checked(driver.cuInit(0))
device = checked(driver.cuDeviceGet(0))
context = checked(driver.cuDevicePrimaryCtxRetain(device))
checked(driver.cuCtxSetCurrent(context))
_, free, total = driver.cuMemGetInfo()
print("total", total >> 20)

text = b"there and back"
memory = checked(driver.cuMemAlloc(len(text)))
checked(driver.cuMemcpyHtoD(memory, text, len(text)))
back = bytearray(len(text))
checked(driver.cuMemcpyDtoH(back, memory, len(text)))
print("copied", back.decode())
checked(driver.cuMemFree(memory))

blocks = take(lambda size: checked(driver.cuMemAlloc(size)), OutOfMemory)
for block in blocks:
    checked(driver.cuMemFree(block))
_, after, _ = driver.cuMemGetInfo()
print("given back", after == free)
