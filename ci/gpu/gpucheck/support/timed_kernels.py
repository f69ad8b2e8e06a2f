"""Kernels that do work and time themselves on the card: PTX for a real one, a description for the simulated one.

The time is the card's own (`%globaltimer`), so it does not depend on what the library, or this program, believes. A
kernel adds the time from when its first block begins to when its last one ends to a counter. Kernels that share a
counter must not run side by side, which in one stream they do not.
"""

from __future__ import annotations

import ctypes
import random
from array import array
from ctypes import byref, c_size_t, c_ubyte, c_uint, c_uint64, c_void_p
from functools import partial
from typing import Any, Callable, Dict, List, Sequence, Tuple

from . import settings
from .cuda import Cuda
from .errors import CallFailed
from .kernels import HEADER

_CLOCK_BYTES = 24
"""Of a counter: nanoseconds so far, when the kernel began that runs, and how many of its blocks have ended."""

_PATTERN = 10_007
"""Numbers until they repeat: a prime, so that no two rows of a matrix are alike."""

_BEGIN = """
    .reg .pred %first, %early, %go_on;
    .reg .u32 %t, %u;
    .reg .u64 %counter, %begin, %end, %unused;
    ld.param.u64 %counter, [clock];
    cvta.to.global.u64 %counter, %counter;
    mov.u32 %t, %tid.x;
    mov.u32 %u, %tid.y;
    or.b32 %t, %t, %u;
    setp.eq.u32 %first, %t, 0;
    mov.u64 %begin, %globaltimer;
    @%first atom.global.min.u64 %unused, [%counter+8], %begin;
"""

# The last block finds that all others have been counted, which sets the count to 0 for the next kernel.
_END = """
    bar.sync 0;
    @!%first bra DONE;
    membar.gl;
    mov.u32 %t, %nctaid.x;
    mov.u32 %u, %nctaid.y;
    mul.lo.u32 %t, %t, %u;
    sub.u32 %t, %t, 1;
    atom.global.inc.u32 %u, [%counter+16], %t;
    setp.ne.u32 %early, %u, %t;
    @%early bra DONE;
    membar.gl;
    mov.u64 %end, %globaltimer;
    mov.u64 %begin, 0xFFFFFFFFFFFFFFFF;
    atom.global.exch.b64 %begin, [%counter+8], %begin;
    sub.u64 %end, %end, %begin;
    red.global.add.u64 [%counter], %end;
DONE:
    ret;
}
"""

_HOLD = f"""
.visible .entry hold(.param .u64 clock, .param .u64 nanoseconds)
{{
    .reg .u64 %wanted, %now;
    {_BEGIN}
    ld.param.u64 %wanted, [nanoseconds];
AGAIN:
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %begin;
    setp.lt.u64 %go_on, %now, %wanted;
    @%go_on bra AGAIN;
    {_END}
"""

# Of square matrices of n rows, n a multiple of 16: blocks of 16 by 16 threads, one element each.
_MATMUL = f"""
.visible .entry matmul(.param .u64 clock, .param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{{
    .reg .u32 %n, %row, %column, %k;
    .reg .u64 %pa, %pb, %pc, %offset, %stride;
    .reg .f32 %x, %y, %sum;
    {_BEGIN}
    ld.param.u32 %n, [n];
    mov.u32 %row, %ctaid.y;
    mov.u32 %t, %tid.y;
    mad.lo.u32 %row, %row, 16, %t;
    mov.u32 %column, %ctaid.x;
    mov.u32 %t, %tid.x;
    mad.lo.u32 %column, %column, 16, %t;
    ld.param.u64 %pa, [a];
    cvta.to.global.u64 %pa, %pa;
    ld.param.u64 %pb, [b];
    cvta.to.global.u64 %pb, %pb;
    ld.param.u64 %pc, [c];
    cvta.to.global.u64 %pc, %pc;
    mul.lo.u32 %t, %row, %n;
    mul.wide.u32 %offset, %t, 4;
    add.u64 %pa, %pa, %offset;
    mul.wide.u32 %offset, %column, 4;
    add.u64 %pb, %pb, %offset;
    add.u32 %t, %t, %column;
    mul.wide.u32 %offset, %t, 4;
    add.u64 %pc, %pc, %offset;
    mul.wide.u32 %stride, %n, 4;
    mov.f32 %sum, 0f00000000;
    mov.u32 %k, 0;
NEXT:
    ld.global.f32 %x, [%pa];
    ld.global.f32 %y, [%pb];
    fma.rn.f32 %sum, %x, %y, %sum;
    add.u64 %pa, %pa, 4;
    add.u64 %pb, %pb, %stride;
    add.u32 %k, %k, 1;
    setp.lt.u32 %go_on, %k, %n;
    @%go_on bra NEXT;
    st.global.f32 [%pc], %sum;
    {_END}
"""

# y becomes (x + y) / 2, a thread each, in blocks of 256.
_BLEND = f"""
.visible .entry blend(.param .u64 clock, .param .u64 x, .param .u64 y)
{{
    .reg .u64 %px, %py, %offset;
    .reg .f32 %x, %y;
    {_BEGIN}
    mov.u32 %t, %ctaid.x;
    mov.u32 %u, %tid.x;
    mad.lo.u32 %t, %t, 256, %u;
    mul.wide.u32 %offset, %t, 4;
    ld.param.u64 %px, [x];
    cvta.to.global.u64 %px, %px;
    add.u64 %px, %px, %offset;
    ld.param.u64 %py, [y];
    cvta.to.global.u64 %py, %py;
    add.u64 %py, %py, %offset;
    ld.global.f32 %x, [%px];
    ld.global.f32 %y, [%py];
    add.f32 %y, %x, %y;
    mul.f32 %y, %y, 0f3F000000;
    st.global.f32 [%py], %y;
    {_END}
"""

IMAGE = HEADER + _HOLD + _MATMUL + _BLEND

Launch = Callable[[c_void_p], None]
"""Launches a kernel, with everything but the stream decided."""


class Clock:
    """A counter of the time that kernels took."""

    def __init__(self, cuda: Cuda) -> None:
        self._cuda = cuda
        self.address = cuda.allocate(_CLOCK_BYTES)
        start = (c_uint64 * 3)(0, 2**64 - 1, 0)
        cuda.call("cuMemcpyHtoD_v2", c_uint64(self.address), byref(start), c_size_t(_CLOCK_BYTES))

    def nanoseconds(self) -> int:
        """What all kernels so far have taken; 0 on the simulated card, where kernels do nothing."""
        value = c_uint64()
        self._cuda.call("cuMemcpyDtoH_v2", byref(value), c_uint64(self.address), c_size_t(8))
        return value.value


class Kernels:
    """All of them, and the memory that they work on."""

    def __init__(self, cuda: Cuda) -> None:
        self._cuda = cuda
        self.clock = Clock(cuda)
        self._keep: List[Any] = []
        self._image: Any = None if settings.simulated() else _load(cuda, IMAGE)
        self._matrices: Dict[int, Tuple[int, int]] = {}

    def hold(self, microseconds: float, simulated_us: float = 0.0) -> Launch:
        """Keeps one thread of the card busy for so long."""
        duration = c_uint64(int(microseconds * 1e3))
        return self._kernel("hold", [duration], (1, 1), (1, 1), simulated_us or microseconds)

    def matmul(self, rows: int, simulated_us: float) -> Tuple[Launch, Launch]:
        """Multiplies a square matrix by another one, to a third and back: to be launched in turn."""
        size = 4 * rows * rows
        if rows not in self._matrices:
            self._matrices[rows] = (self.filled(size, 1.0), self.filled(size, 1.0))
        first, second = self._matrices[rows]
        # On average its rows add up to 1, so that products neither grow nor vanish.
        factor, blocks = self.filled(size, 2.0 / rows), (rows // 16, rows // 16)
        pairs = ((first, second), (second, first))
        forth, back = (
            self._kernel("matmul", [*map(c_uint64, (a, factor, c)), c_uint(rows)], blocks, (16, 16), simulated_us)
            for a, c in pairs
        )
        return forth, back

    def blend(self, count: int, simulated_us: float) -> Launch:
        """Halves the distance of `count` numbers, a multiple of 256, to others."""
        arguments = [c_uint64(self.filled(4 * count, 1.0)) for _ in range(2)]
        return self._kernel("blend", arguments, (count // 256, 1), (256, 1), simulated_us)

    def filled(self, size: int, most: float) -> int:
        """Memory of numbers from 0 to `most` that are the same in every process; `size` in bytes."""
        address = self._cuda.allocate(size)
        numbers = random.Random(size)
        pattern = array("f", (most * numbers.random() for _ in range(_PATTERN))).tobytes()
        content = (pattern * (size // len(pattern) + 1))[:size]
        self._cuda.call("cuMemcpyHtoD_v2", c_uint64(address), ctypes.c_char_p(content), c_size_t(size))
        return address

    def matrix(self, rows: int) -> bytes:
        """The first matrix of this size as it is now."""
        content = (c_ubyte * (4 * rows * rows))()
        self._cuda.call("cuMemcpyDtoH_v2", byref(content), c_uint64(self._matrices[rows][0]), c_size_t(len(content)))
        return bytes(content)

    def _kernel(
        self, name: str, arguments: Sequence[Any], grid: Tuple[int, int], block: Tuple[int, int], simulated_us: float
    ) -> Launch:
        if settings.simulated():
            image = _load(self._cuda, f"SIMKERN v1\nname={name} dur_us={simulated_us:g}\n")
            arguments = []
        else:
            image, arguments = self._image, [c_uint64(self.clock.address), *arguments]
        function = _function(self._cuda, image, name)
        addresses = (c_void_p * max(1, len(arguments)))(*[ctypes.addressof(value) for value in arguments])
        self._keep.append(arguments)
        shape = [c_uint(size) for size in (*grid, 1, *block, 1)]
        # Everything beforehand: a launch must take this program little time.
        launch = partial(self._cuda.handle.cuLaunchKernel, function, *shape, c_uint(0))
        return partial(_checked, launch, addresses)


def _checked(launch: Callable[..., int], addresses: Any, stream: c_void_p) -> None:
    code = launch(stream, addresses, None)
    if code != 0:
        raise CallFailed("cuLaunchKernel", code)


def _load(cuda: Cuda, image: str) -> c_void_p:
    module = c_void_p()
    cuda.call("cuModuleLoadData", byref(module), ctypes.c_char_p(image.encode()))
    return module


def _function(cuda: Cuda, module: c_void_p, name: str) -> c_void_p:
    function = c_void_p()
    cuda.call("cuModuleGetFunction", byref(function), module, ctypes.c_char_p(name.encode()))
    return function
