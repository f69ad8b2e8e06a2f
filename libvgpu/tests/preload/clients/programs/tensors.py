"""tinygrad: the driver by ctypes, in a context of its own."""

from blocks import take
from tinygrad import Device

device = Device["CUDA"]
text = b"there and back  "
memory = device.allocator.alloc(len(text))
device.allocator._copyin(memory, memoryview(bytearray(text)))
back = bytearray(len(text))
device.allocator._copyout(memoryview(back), memory)
device.synchronize()
print("copied", back.decode())
blocks = take(device.allocator.alloc, MemoryError)
