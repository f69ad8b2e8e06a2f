"""The CUDA driver API by ctypes: no package needed, only the driver."""

import ctypes
import os
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

SUCCESS = 0
OUT_OF_MEMORY = 2

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

SIMULATED = os.environ.get("VGPU_CHECK_SIMULATED") == "1"


class DriverError(Exception):
    """A driver call that did not return success."""

    def __init__(self, call, code):
        super().__init__(f"{call} returned {code}")
        self.code = code


class Driver:
    """libcuda, initialised, with the primary context of device 0 current."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", c_uint(0))
        self.device = c_int()
        self.call("cuDeviceGet", byref(self.device), c_int(0))
        self.retain()

    def retain(self):
        """Makes the primary context current; also after a reset."""
        context = c_void_p()
        self.call("cuDevicePrimaryCtxRetain", byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def code(self, name, *arguments):
        """Calls a function and returns its code, None where the driver has no such function."""
        function = getattr(self.library, name, None)
        return None if function is None else function(*arguments)

    def call(self, name, *arguments):
        """Calls a function that has to succeed."""
        code = self.code(name, *arguments)
        if code != SUCCESS:
            raise DriverError(name, code)

    def memory(self):
        """Free and total bytes, as cuMemGetInfo says."""
        free, total = c_size_t(), c_size_t()
        self.call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value, total.value

    def free(self):
        return self.memory()[0]

    def allocate(self, size):
        """Allocates linear memory and returns its address."""
        pointer = c_uint64()
        self.call("cuMemAlloc_v2", byref(pointer), c_size_t(size))
        return pointer.value

    def try_allocate(self, size):
        """The code of an allocation and its address."""
        pointer = c_uint64()
        return self.code("cuMemAlloc_v2", byref(pointer), c_size_t(size)), pointer.value

    def release(self, pointer):
        self.call("cuMemFree_v2", c_uint64(pointer))

    def synchronize(self):
        self.call("cuCtxSynchronize")

    def stream(self):
        """A new stream that does not wait for the default one."""
        stream = c_void_p()
        self.call("cuStreamCreate", byref(stream), c_uint(1))
        return stream

    def kernel(self, image, name):
        """A kernel of a module given as text."""
        module, function = c_void_p(), c_void_p()
        self.call("cuModuleLoadData", byref(module), c_char_p(image.encode()))
        self.call("cuModuleGetFunction", byref(function), module, c_char_p(name.encode()))
        return function

    def launch(self, function, *parameters, stream=None):
        """Launches one block of one thread. Parameters are ctypes values."""
        pointers = (c_void_p * max(1, len(parameters)))(*[ctypes.addressof(p) for p in parameters])
        shape = [c_uint(1)] * 6
        self.call("cuLaunchKernel", function, *shape, c_uint(0), stream, pointers, None)
