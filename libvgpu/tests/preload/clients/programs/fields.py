"""taichi: a compiler of its own, plain dlsym, and memory in stream order from the default pool.

On the simulated card a kernel takes its time and does nothing, so that only the copies have results to look at.
"""

import numpy
import taichi
from blocks import take

taichi.init(arch=taichi.cuda, device_memory_GB=0.125, log_level=taichi.ERROR)


@taichi.kernel
def double(numbers: taichi.types.ndarray()):
    for place in numbers:
        numbers[place] *= 2


print("arch", taichi.lang.impl.current_cfg().arch)
numbers = taichi.ndarray(taichi.f32, shape=1000)
numbers.from_numpy(numpy.arange(1000, dtype=numpy.float32))
double(numbers)
taichi.sync()
print("launched")
blocks = take(lambda size: taichi.ndarray(taichi.u8, shape=size), RuntimeError)
