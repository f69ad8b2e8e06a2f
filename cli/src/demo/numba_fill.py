"""Asks numba-cuda for memory, and runs a kernel in it."""

import sys
import warnings

import numpy
from numba import cuda

MIB = 1 << 20
warnings.simplefilter("ignore")  # one thread is not what a GPU is for


@cuda.jit
def touch(array):
    array[cuda.grid(1)] = 1


wanted = int(sys.argv[1]) * MIB
free, total = cuda.current_context().get_memory_info()
print(f"numba-cuda: {free // MIB:,} MiB free of {total // MIB:,} MiB")
array = cuda.device_array(256, dtype=numpy.uint8)
touch[1, 256](array)
cuda.synchronize()
print("a kernel was compiled and has run")
try:
    cuda.device_array(wanted, dtype=numpy.uint8)
    print(f"allocated {wanted // MIB:,} MiB")
except Exception as error:  # numba has several kinds for this
    if "OUT_OF_MEMORY" not in str(error):
        raise
    print(f"{wanted // MIB:,} MiB are refused with CUDA_ERROR_OUT_OF_MEMORY")
