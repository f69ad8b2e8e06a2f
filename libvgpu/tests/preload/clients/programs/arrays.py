"""pycuda: linked against libcuda, so that its calls are bound by the dynamic linker and never looked up."""

import numpy
import pycuda.driver as driver
from blocks import take

driver.init()
context = driver.Device(0).make_context()
print("total", driver.Device(0).total_memory() >> 20, driver.mem_get_info()[1] >> 20)
numbers = numpy.arange(1000, dtype=numpy.float32)
there = driver.mem_alloc(numbers.nbytes)
driver.memcpy_htod(there, numbers)
back = numpy.empty_like(numbers)
driver.memcpy_dtoh(back, there)
print("copied", bool((back == numbers).all()))
blocks = take(driver.mem_alloc, driver.MemoryError)
for block in blocks:
    block.free()
context.pop()
