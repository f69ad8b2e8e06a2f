"""cuda.core: memory comes from the device's default pool, in stream order."""

from blocks import take
from cuda.core import Device
from cuda.core._utils.cuda_utils import CUDAError

device = Device(0)
device.set_current()
stream = device.create_stream()
print("name", device.name)
blocks = take(lambda size: device.memory_resource.allocate(size, stream=stream), CUDAError)
for block in blocks:
    block.close(stream)
stream.sync()
again = device.memory_resource.allocate(100 << 20, stream=stream)
again.close(stream)
print("given back", True)
