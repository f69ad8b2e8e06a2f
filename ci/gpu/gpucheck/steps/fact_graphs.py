"""Memory of graphs: when an allocation inside a graph is taken from the card, and when it comes back."""

from __future__ import annotations

from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Callable

from gpucheck.support.cuda import Cuda
from gpucheck.support.report import fact
from gpucheck.support.room import need
from gpucheck.support.units import MIB

_SIZE = 64 * MIB
_RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED
_RESERVED = 2  # CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT


def run() -> None:
    """A graph of one allocation and its end, from birth to trim."""
    need(512 * MIB)
    cuda = Cuda.with_context()
    stream, graph, executable = cuda.stream(), _capture(cuda), c_void_p()

    def instantiate() -> None:
        cuda.call("cuGraphInstantiateWithFlags", byref(executable), graph, c_uint64(0))

    def launch() -> None:
        cuda.call("cuGraphLaunch", executable, stream)
        cuda.synchronize()

    def destroy() -> None:
        cuda.call("cuGraphExecDestroy", executable)
        cuda.call("cuGraphDestroy", graph)

    _observe(cuda, "instantiating", instantiate)
    _observe(cuda, "uploading", lambda: cuda.call("cuGraphUpload", executable, stream))
    _observe(cuda, "the first launch", launch)
    _observe(cuda, "the second launch", launch)
    _observe(cuda, "destroying", destroy)
    _observe(cuda, "trimming", lambda: cuda.call("cuDeviceGraphMemTrim", cuda.device))


def _capture(cuda: Cuda) -> c_void_p:
    stream, pointer, graph = cuda.stream(), c_uint64(), c_void_p()
    cuda.call("cuStreamBeginCapture_v2", stream, c_int(_RELAXED))
    cuda.call("cuMemAllocAsync", byref(pointer), c_size_t(_SIZE), stream)
    cuda.call("cuMemFreeAsync", pointer, stream)
    cuda.call("cuStreamEndCapture", stream, byref(graph))
    return graph


def _observe(cuda: Cuda, name: str, act: Callable[[], None]) -> None:
    """By how much `act` changes what the card and its graph pool have."""
    free, reserved = cuda.free_memory(), _reserved(cuda)
    act()
    fact(f"{name}: the card loses", free - cuda.free_memory(), "bytes", "cuMemGetInfo, graph that allocates 64 MiB")
    fact(f"{name}: the graph pool grows by", _reserved(cuda) - reserved, "bytes", "cuDeviceGetGraphMemAttribute")


def _reserved(cuda: Cuda) -> int:
    value = c_uint64()
    cuda.call("cuDeviceGetGraphMemAttribute", cuda.device, c_uint(_RESERVED), byref(value))
    return value.value
