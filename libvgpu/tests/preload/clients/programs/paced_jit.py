"""numba-cuda: launches a kernel again and again, between two copies, and says how long that took."""

import time

import numpy
from numba import cuda

LAUNCHES = 500


@cuda.jit
def add(to, what):
    place = cuda.grid(1)
    if place < to.size:
        to[place] += what[place]


numbers = numpy.arange(1000, dtype=numpy.float32)
there = cuda.to_device(numbers)
copy = cuda.device_array_like(there)
copy.copy_to_device(there)
add[4, 256](copy, there)
cuda.synchronize()
begin = time.monotonic()
for _ in range(LAUNCHES):
    add[4, 256](copy, there)
cuda.synchronize()
took = time.monotonic() - begin
print("copied", bool((there.copy_to_host() == numbers).all()), "launched", LAUNCHES)
print("seconds", took)
