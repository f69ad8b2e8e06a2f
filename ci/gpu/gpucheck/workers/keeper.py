"""Keeps the driver awake: waits for the end of standard input with NVML started.

Without persistence mode a driver shuts a card down when nobody has it open, and the next program waits for seconds
until it is up again. Steps would pay that again and again, each from its own time.
"""

from __future__ import annotations

import sys
from ctypes import byref, c_uint, c_void_p
from typing import Sequence

from gpucheck.support.library import Library
from gpucheck.support.nvml import NOT_SUPPORTED


def run(_: Sequence[str]) -> None:
    """Opens every card. What does not work here will be told by the first step."""
    try:
        nvml = Library("libnvidia-ml.so.1", NOT_SUPPORTED)
    except OSError:
        return
    count = c_uint()
    if nvml.code("nvmlInit_v2") == 0 and nvml.code("nvmlDeviceGetCount_v2", byref(count)) == 0:
        for index in range(count.value):
            nvml.code("nvmlDeviceGetHandleByIndex_v2", c_uint(index), byref(c_void_p()))
    sys.stdin.buffer.read()
