"""Kernels as text: PTX for a real card, a description for the simulated one."""

from ctypes import c_uint, c_uint64

from driver import SIMULATED

_SPIN = """
.version 6.3
.target sm_70
.address_size 64
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

# Every thread owns `buffer`; the two indices come from outside, so that it cannot live in registers.
_LOCAL = """
.version 6.3
.target sm_70
.address_size 64
.visible .entry local(.param .u32 write, .param .u32 read)
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

LOCAL_BYTES = 4096


class Spin:
    """A kernel that keeps the card busy for a while."""

    def __init__(self, driver, milliseconds):
        if SIMULATED:
            self.parameters = []
            image = f"SIMKERN v1\nname=spin dur_us={milliseconds * 1000}\n"
        else:
            self.parameters = [c_uint64(int(milliseconds * 1e6))]
            image = _SPIN
        self.driver = driver
        self.function = driver.kernel(image, "spin")

    def launch(self, stream=None):
        self.driver.launch(self.function, *self.parameters, stream=stream)


def launch_with_local_memory(driver):
    """Launches a kernel of LOCAL_BYTES of local memory a thread, and returns how it is launched again."""
    image = f"SIMKERN v1\nname=local dur_us=10 local={LOCAL_BYTES}\n" if SIMULATED else _LOCAL
    function = driver.kernel(image, "local")
    parameters = [] if SIMULATED else [c_uint(1), c_uint(2)]
    return lambda: driver.launch(function, *parameters)
