"""One of two programs that share memory by a handle (`cuIpc*`), one request a line."""

from __future__ import annotations

import ctypes
import json
import sys
from ctypes import byref, c_char, c_size_t, c_ubyte, c_uint, c_uint64
from typing import Any, Callable, Dict, Sequence

from gpucheck.support import channel
from gpucheck.support.cuda import Cuda
from gpucheck.support.errors import CallFailed

_LAZY_PEER_ACCESS = 1
_WARM_UP = 4096

Answer = Dict[str, Any]


class _Handle(ctypes.Structure):
    """`CUipcMemHandle`, which is passed by value."""

    _fields_ = [("reserved", c_char * 64)]


class _Sharer:
    """What the requests act on."""

    def __init__(self) -> None:
        self._cuda = Cuda.with_context()
        self._own, self._opened = 0, c_uint64()
        # What the driver loads for its first fill and copy is not to be counted with the memory that is shared.
        self._opened.value = self._cuda.allocate(_WARM_UP)
        self._fill(self._opened.value, _WARM_UP, 0)
        self.look(_WARM_UP)
        self._cuda.release(self._opened.value)

    def free(self) -> Answer:
        """What cuMemGetInfo says is free."""
        return {"free": self._cuda.free_memory()}

    def export(self, size: int, byte: int) -> Answer:
        """Allocates memory, fills it with a byte, and names it."""
        self._own = self._cuda.allocate(size)
        self._fill(self._own, size, byte)
        handle = _Handle()
        code = self._cuda.code("cuIpcGetMemHandle", byref(handle), c_uint64(self._own))
        return {"code": code, "handle": bytes(handle).hex()}

    def open(self, name: str) -> Answer:
        """Opens the other's memory."""
        handle = _Handle.from_buffer_copy(bytes.fromhex(name))
        code = self._cuda.code("cuIpcOpenMemHandle_v2", byref(self._opened), handle, c_uint(_LAZY_PEER_ACCESS))
        return {"code": code}

    def look(self, size: int) -> Answer:
        """The bytes that are in the other's memory, each told once."""
        copy = (c_ubyte * size)()
        self._cuda.call("cuMemcpyDtoH_v2", byref(copy), self._opened, c_size_t(size))
        return {"bytes": sorted(set(bytes(copy)))}

    def close(self) -> Answer:
        """Lets go of the other's memory."""
        return {"code": self._cuda.code("cuIpcCloseMemHandle", self._opened)}

    def release(self) -> Answer:
        """Frees what was exported."""
        return {"code": self._cuda.code("cuMemFree_v2", c_uint64(self._own))}

    def _fill(self, pointer: int, size: int, byte: int) -> None:
        self._cuda.call("cuMemsetD8_v2", c_uint64(pointer), c_ubyte(byte), c_size_t(size))
        self._cuda.synchronize()


def run(_: Sequence[str]) -> None:
    """Answers requests until standard input ends."""
    sharer = _Sharer()
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        request: Callable[..., Answer] = getattr(sharer, name)
        try:
            channel.send(request(*arguments))
        except CallFailed as error:
            channel.send({"error": str(error)})
