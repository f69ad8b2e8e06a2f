"""Memory of each kind that a program can ask for, in pieces that take whole chunks of the card."""

from __future__ import annotations

from ctypes import Structure, byref, c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_ulonglong, c_void_p
from typing import Any, Dict, List, Type

from .cuda import SENTINEL, SUCCESS, Cuda

_ROW = 2048
"""Bytes of a row of an array, so that 2 MiB are 1,024 rows."""


class PhysicalProperties(Structure):
    """`CUmemAllocationProp`; as made by `on_first_device`, pinned memory on device 0."""

    _fields_ = [("type", c_int), ("handle_types", c_int), ("location_type", c_int), ("location_id", c_int)]
    _fields_ += [("win32", c_void_p), ("flags", c_ubyte * 8)]

    @classmethod
    def on_first_device(cls) -> PhysicalProperties:
        """Pinned memory on the first device that this process sees."""
        return cls(type=1, location_type=1)


class _ArrayDescriptor(Structure):
    """`CUDA_ARRAY_DESCRIPTOR`: `format` 1 is a byte."""

    _fields_ = [("width", c_size_t), ("height", c_size_t), ("format", c_uint), ("channels", c_uint)]


class Kind:
    """Allocations of one kind."""

    def __init__(self, cuda: Cuda) -> None:
        self._cuda = cuda
        self._held: List[int] = []

    def allocate(self, size: int) -> int:
        """The code of asking for `size` bytes, a multiple of 2 MiB; what is granted is kept."""
        handle = c_uint64(SENTINEL)
        code = self._create(handle, size)
        if code == SUCCESS:
            self._held.append(handle.value)
        return code

    def untouched(self, size: int) -> bool:
        """Whether asking for too much leaves the output argument alone."""
        handle = c_uint64(SENTINEL)
        self._create(handle, size)
        return handle.value == SENTINEL

    def release_all(self) -> None:
        """Frees everything, last first, and lets go of what the driver keeps for later."""
        while self._held:
            self._destroy(c_uint64(self._held.pop()))

    def _create(self, handle: c_uint64, size: int) -> int:
        raise NotImplementedError

    def _destroy(self, handle: c_uint64) -> None:
        raise NotImplementedError


class _Linear(Kind):
    def _create(self, handle: c_uint64, size: int) -> int:
        return self._cuda.code("cuMemAlloc_v2", byref(handle), c_size_t(size))

    def _destroy(self, handle: c_uint64) -> None:
        self._cuda.call("cuMemFree_v2", handle)


class _Managed(_Linear):
    def _create(self, handle: c_uint64, size: int) -> int:
        attached_to_all = c_uint(1)
        return self._cuda.code("cuMemAllocManaged", byref(handle), c_size_t(size), attached_to_all)


class _Physical(Kind):
    def _create(self, handle: c_uint64, size: int) -> int:
        properties = PhysicalProperties.on_first_device()
        return self._cuda.code("cuMemCreate", byref(handle), c_size_t(size), byref(properties), c_ulonglong(0))

    def _destroy(self, handle: c_uint64) -> None:
        self._cuda.call("cuMemRelease", handle)


class _Array(Kind):
    def _create(self, handle: c_uint64, size: int) -> int:
        descriptor = _ArrayDescriptor(width=_ROW, height=size // _ROW, format=1, channels=1)
        return self._cuda.code("cuArrayCreate_v2", byref(handle), byref(descriptor))

    def _destroy(self, handle: c_uint64) -> None:
        self._cuda.call("cuArrayDestroy", handle)


class _Pool(Kind):
    def _create(self, handle: c_uint64, size: int) -> int:
        code = self._cuda.code("cuMemAllocAsync", byref(handle), c_size_t(size), None)
        self._cuda.synchronize()
        return code

    def _destroy(self, handle: c_uint64) -> None:
        self._cuda.call("cuMemFreeAsync", handle, None)

    def release_all(self) -> None:
        super().release_all()
        self._cuda.synchronize()
        pool = c_void_p()
        self._cuda.call("cuDeviceGetDefaultMemPool", byref(pool), self._cuda.device)
        self._cuda.call("cuMemPoolTrimTo", pool, c_size_t(0))


KINDS: Dict[str, Type[Kind]] = {
    "linear": _Linear,
    "managed": _Managed,
    "physical": _Physical,
    "array": _Array,
    "pool": _Pool,
}
"""By the names that `vgpu ps` gives them."""


class AllocatingGraph:
    """A graph that allocates memory and frees it, ready to be launched."""

    def __init__(self, cuda: Cuda, size: int) -> None:
        self._cuda, self._stream = cuda, cuda.stream()
        graph = self._capture(size)
        self._executable = c_void_p()
        cuda.call("cuGraphInstantiateWithFlags", byref(self._executable), graph, c_uint64(0))
        cuda.call("cuGraphDestroy", graph)

    def launch(self) -> int:
        """The code of launching it; waits for its end."""
        code = self._cuda.code("cuGraphLaunch", self._executable, self._stream)
        self._cuda.synchronize()
        return code

    def destroy(self) -> None:
        """Destroys it and lets go of the memory that the driver keeps for the next graph."""
        self._cuda.call("cuGraphExecDestroy", self._executable)
        self._cuda.call("cuDeviceGraphMemTrim", self._cuda.device)

    def _capture(self, size: int) -> Any:
        pointer, graph = c_uint64(), c_void_p()
        relaxed = c_int(2)
        self._cuda.call("cuStreamBeginCapture_v2", self._stream, relaxed)
        self._cuda.call("cuMemAllocAsync", byref(pointer), c_size_t(size), self._stream)
        self._cuda.call("cuMemFreeAsync", pointer, self._stream)
        self._cuda.call("cuStreamEndCapture", self._stream, byref(graph))
        return graph
