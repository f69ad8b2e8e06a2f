"""The CUDA driver API, as far as the checks need it."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any, Optional, Tuple

from .errors import CallFailed
from .library import Library

SUCCESS = 0
OUT_OF_MEMORY = 2
NOT_SUPPORTED = 801
SYSTEM_NOT_READY = 802

SENTINEL = 0x0DDB_A11D_0DDB_A11D
"""What an output argument holds before a call that must not touch it."""

_NON_BLOCKING = 1


class Cuda(Library):
    """libcuda, initialised."""

    def __init__(self, ordinal: int = 0) -> None:
        super().__init__("libcuda.so.1", NOT_SUPPORTED)
        self.call("cuInit", c_uint(0))
        self.device = c_int()
        self.call("cuDeviceGet", byref(self.device), c_int(ordinal))

    @classmethod
    def with_context(cls) -> Cuda:
        """With the primary context of the first device current."""
        cuda = cls()
        cuda.retain()
        return cuda

    def retain(self) -> None:
        """Makes the primary context current; also after a reset."""
        context = c_void_p()
        self.call("cuDevicePrimaryCtxRetain", byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def uuid(self) -> str:
        """The device's UUID, written as NVML writes it."""
        raw = (ctypes.c_ubyte * 16)()
        self.call("cuDeviceGetUuid", byref(raw), self.device)
        digits = bytes(raw).hex()
        parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
        return "GPU-" + "-".join(parts)

    def count(self) -> int:
        """How many devices this process sees."""
        count = c_int()
        self.call("cuDeviceGetCount", byref(count))
        return count.value

    def attribute(self, number: int) -> int:
        """An attribute of the device, by its number in `CUdevice_attribute`."""
        value = c_int()
        self.call("cuDeviceGetAttribute", byref(value), c_int(number), self.device)
        return value.value

    def total(self) -> int:
        """The device's size, as cuDeviceTotalMem says."""
        total = c_size_t()
        self.call("cuDeviceTotalMem_v2", byref(total), self.device)
        return total.value

    def memory(self) -> Tuple[int, int]:
        """Free and total bytes, as cuMemGetInfo says."""
        free, total = c_size_t(), c_size_t()
        self.call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value, total.value

    def free_memory(self) -> int:
        """Free bytes, as cuMemGetInfo says."""
        return self.memory()[0]

    def try_allocate(self, size: int) -> Tuple[int, int]:
        """The code of an allocation, and what is in the output argument then."""
        pointer = c_uint64(SENTINEL)
        code = self.code("cuMemAlloc_v2", byref(pointer), c_size_t(size))
        return code, pointer.value

    def allocate(self, size: int) -> int:
        """Allocates linear memory and returns its address."""
        code, pointer = self.try_allocate(size)
        if code != SUCCESS:
            raise CallFailed("cuMemAlloc_v2", code)
        return pointer

    def release(self, pointer: int) -> None:
        """Frees linear memory."""
        self.call("cuMemFree_v2", c_uint64(pointer))

    def synchronize(self) -> None:
        """Waits for everything in the context."""
        self.call("cuCtxSynchronize")

    def stream(self) -> c_void_p:
        """A new stream that does not wait for the default one."""
        stream = c_void_p()
        self.call("cuStreamCreate", byref(stream), c_uint(_NON_BLOCKING))
        return stream

    def kernel(self, image: str, name: str) -> c_void_p:
        """A kernel of a module given as text."""
        module, function = c_void_p(), c_void_p()
        self.call("cuModuleLoadData", byref(module), c_char_p(image.encode()))
        self.call("cuModuleGetFunction", byref(function), module, c_char_p(name.encode()))
        return function

    def launch(self, function: c_void_p, *parameters: Any, stream: Optional[c_void_p] = None) -> None:
        """Launches one block of one thread. Parameters are ctypes values."""
        addresses = (c_void_p * max(1, len(parameters)))(*[ctypes.addressof(value) for value in parameters])
        shape = [c_uint(1)] * 6
        self.call("cuLaunchKernel", function, *shape, c_uint(0), stream, addresses, None)
