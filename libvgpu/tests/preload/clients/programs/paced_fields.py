"""taichi: launches a kernel again and again, between two copies, and says how long that took."""

import time

import numpy
import taichi

LAUNCHES = 500

taichi.init(arch=taichi.cuda, device_memory_GB=0.125, log_level=taichi.ERROR)


@taichi.kernel
def double(numbers: taichi.types.ndarray()):
    for place in numbers:
        numbers[place] *= 2


given = numpy.arange(1000, dtype=numpy.float32)
numbers = taichi.ndarray(taichi.f32, shape=1000)
numbers.from_numpy(given)
double(numbers)
taichi.sync()
begin = time.monotonic()
for _ in range(LAUNCHES):
    double(numbers)
taichi.sync()
took = time.monotonic() - begin
print("copied", bool((numbers.to_numpy() == given).all()), "launched", LAUNCHES)
print("seconds", took)
