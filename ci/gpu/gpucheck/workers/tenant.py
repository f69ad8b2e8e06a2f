"""A program inside a slice that does what it is told, one request a line."""

from __future__ import annotations

import json
import sys
from ctypes import byref, c_size_t, c_uint, c_uint64
from typing import Any, Callable, Dict, List, Sequence

from gpucheck.support import channel
from gpucheck.support.cuda import OUT_OF_MEMORY, SENTINEL, SUCCESS, Cuda
from gpucheck.support.errors import CallFailed
from gpucheck.support.library import Library
from gpucheck.support.nvml import Nvml
from gpucheck.support.units import MIB

_FIRST_PIECE = 256 * MIB

Answer = Dict[str, Any]


class _Tenant:
    """What the requests act on."""

    def __init__(self) -> None:
        self._pointers: List[int] = []

    def initialise(self) -> Answer:
        """The codes of the first call of each library."""
        cuda = Library("libcuda.so.1", -1).code("cuInit", c_uint(0))
        nvml = Library("libnvidia-ml.so.1", -1).code("nvmlInit_v2")
        return {"code": cuda, "nvml": nvml}

    def start(self, ordinal: int = 0) -> Answer:
        """Makes the primary context of a device current; `total` is what the device's size was before."""
        self._cuda = Cuda(ordinal)
        total = self._cuda.total()
        self._cuda.retain()
        return {"code": SUCCESS, "total": total}

    def total(self, ordinal: int) -> Answer:
        """The size of a device, without a context."""
        return {"code": SUCCESS, "total": Cuda(ordinal).total()}

    def context(self, ordinal: int) -> Answer:
        """The code of making a context on a device."""
        cuda = Cuda(ordinal)
        try:
            cuda.retain()
        except CallFailed as error:
            return {"code": error.code}
        return {"code": SUCCESS}

    def memory(self) -> Answer:
        """What cuMemGetInfo says."""
        free, total = self._cuda.memory()
        return {"code": SUCCESS, "free": free, "total": total}

    def nvml(self) -> Answer:
        """What NVML says of the memory of the current device."""
        nvml = Nvml(self._cuda.uuid())
        v1 = nvml.memory()
        answer: Answer = {"v1": {"total": v1.total, "free": v1.free, "used": v1.used}}
        if nvml.has_memory_v2():
            v2 = nvml.memory_v2()
            answer["v2"] = {"total": v2.total, "free": v2.free, "used": v2.used, "reserved": v2.reserved}
        return answer

    def allocate(self, size: int) -> Answer:
        """One allocation."""
        code, pointer = self._cuda.try_allocate(size)
        if code == SUCCESS:
            self._pointers.append(pointer)
        return {"code": code, "size": size if code == SUCCESS else 0, "untouched": pointer == SENTINEL}

    def fill(self) -> Answer:
        """Allocations of halving sizes until one byte is refused."""
        filled, piece, answer = 0, _FIRST_PIECE, {"code": SUCCESS, "untouched": True}
        while piece:
            answer = self.allocate(piece)
            filled += int(answer["size"])
            if answer["code"] == OUT_OF_MEMORY:
                piece //= 2
            elif answer["code"] != SUCCESS:
                break
        return {**answer, "size": filled}

    def release_all(self) -> Answer:
        """Frees everything, last first."""
        while self._pointers:
            self._cuda.release(self._pointers.pop())
        return {"code": SUCCESS}

    def synchronize(self) -> Answer:
        """Whether the context is still healthy."""
        return {"code": self._cuda.code("cuCtxSynchronize")}

    def pitched(self, width: int, height: int) -> Answer:
        """One pitched allocation, of which only the code is of interest."""
        pointer, pitch = c_uint64(), c_size_t()
        arguments = (byref(pointer), byref(pitch), c_size_t(width), c_size_t(height), c_uint(4))
        code = self._cuda.code("cuMemAllocPitch_v2", *arguments)
        if code == SUCCESS:
            self._pointers.append(pointer.value)
        return {"code": code}


def run(_: Sequence[str]) -> None:
    """Answers requests until standard input ends."""
    tenant = _Tenant()
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        request: Callable[..., Answer] = getattr(tenant, name)
        try:
            channel.send(request(*arguments))
        except (CallFailed, OSError) as error:
            channel.send({"error": str(error)})
