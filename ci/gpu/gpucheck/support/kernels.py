"""Kernels as text: PTX for a real card, a description for the simulated one."""

from __future__ import annotations

from ctypes import c_uint, c_uint64, c_void_p
from typing import List, Optional, Union

from . import settings
from .cuda import Cuda

# The oldest target that today's drivers still compile: PTX for it runs on every later card.
HEADER = ".version 6.0\n.target sm_50\n.address_size 64\n"

# The timer is read again in every round; the compiler must not, and does not, take it out of the loop.
_SPIN = """
.visible .entry spin(.param .u64 nanoseconds)
{
    .reg .pred %again;
    .reg .u64 %wanted, %start, %now;
    ld.param.u64 %wanted, [nanoseconds];
    mov.u64 %start, %globaltimer;
LOOP:
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %start;
    setp.lt.u64 %again, %now, %wanted;
    @%again bra LOOP;
    ret;
}
"""

# The two indices come from outside, so that the buffer cannot live in registers.
_SCRATCH = """
.visible .entry scratch(.param .u32 write, .param .u32 read)
{
    .local .align 4 .b8 buffer[4096];
    .reg .pred %never;
    .reg .u32 %w, %r, %value;
    .reg .u64 %at, %base;
    ld.param.u32 %w, [write];
    ld.param.u32 %r, [read];
    mov.u64 %base, buffer;
    mul.wide.u32 %at, %w, 4;
    add.u64 %at, %base, %at;
    st.local.u32 [%at], %w;
    mul.wide.u32 %at, %r, 4;
    add.u64 %at, %base, %at;
    ld.local.u32 %value, [%at];
    setp.eq.u32 %never, %value, 4294967295;
    @%never trap;
    ret;
}
"""

IMAGE = HEADER + _SPIN + _SCRATCH

SCRATCH_BYTES = 4096
"""Local memory of a thread of the scratch kernel: more than the 1,024 bytes that every context sets aside."""


class Spin:
    """A kernel that keeps one thread of the card busy for a while."""

    def __init__(self, cuda: Cuda, milliseconds: float) -> None:
        self._cuda = cuda
        self._parameters: List[Union[c_uint, c_uint64]] = []
        if settings.simulated():
            image = f"SIMKERN v1\nname=spin dur_us={milliseconds * 1000:g}\n"
        else:
            image = IMAGE
            self._parameters = [c_uint64(int(milliseconds * 1e6))]
        self._function = cuda.kernel(image, "spin")

    def launch(self, stream: Optional[c_void_p] = None) -> None:
        """Launches it."""
        self._cuda.launch(self._function, *self._parameters, stream=stream)


class Scratch:
    """A kernel of which each thread has SCRATCH_BYTES of local memory."""

    def __init__(self, cuda: Cuda) -> None:
        self._cuda = cuda
        simulated = f"SIMKERN v1\nname=scratch dur_us=10 local={SCRATCH_BYTES}\n"
        self._function = cuda.kernel(simulated if settings.simulated() else IMAGE, "scratch")

    def launch(self) -> None:
        """Launches it and waits for its end."""
        parameters = [] if settings.simulated() else [c_uint(1), c_uint(2)]
        self._cuda.launch(self._function, *parameters)
        self._cuda.synchronize()
