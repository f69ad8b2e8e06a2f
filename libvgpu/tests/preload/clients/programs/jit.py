"""numba-cuda: kernels are compiled when they are first called, linked, and launched by cuLaunchKernelEx.

On the simulated card a kernel takes its time and does nothing, so that only the copies have results to look at.
"""

import numpy
from blocks import take
from numba import cuda
from numba.cuda.cudadrv.driver import CudaAPIError


@cuda.jit
def add(to, what):
    place = cuda.grid(1)
    if place < to.size:
        to[place] += what[place]


print("total", cuda.current_context().get_memory_info().total >> 20)
numbers = numpy.arange(1000, dtype=numpy.float32)
there = cuda.to_device(numbers)
copy = cuda.device_array_like(there)
copy.copy_to_device(there)
print("copied", bool((copy.copy_to_host() == numbers).all()))
add[4, 256](copy, there)
cuda.synchronize()
print("launched")
blocks = take(lambda size: cuda.device_array(size, dtype=numpy.uint8), CudaAPIError)
