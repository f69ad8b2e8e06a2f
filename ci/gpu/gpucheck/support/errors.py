"""What can go wrong when a library of the driver is called."""

from __future__ import annotations

_CUDA = {
    1: "invalid value",
    2: "out of memory",
    3: "not initialised",
    46: "device unavailable: an exclusive compute mode, and somebody has it",
    100: "no device: none is there, CUDA_VISIBLE_DEVICES hides all, or their files in /dev may not be opened",
    101: "invalid device",
    200: "invalid image",
    218: "invalid PTX",
    222: "the driver is too old for this PTX",
    700: "illegal address: the context is lost",
    719: "launch failed: the context is lost",
    801: "not supported",
    802: "system not ready: with NVSwitch, when the fabric manager does not run",
    803: "libcuda and the kernel's part of the driver are of different versions",
    804: "this card cannot be used with a libcuda newer than its driver",
    999: "unknown: often /dev/nvidia-uvm is missing, or its module is not loaded",
}
_NVML = {
    2: "invalid argument",
    3: "not supported",
    4: "no permission",
    6: "not found",
    9: "the kernel's part of the driver is not loaded",
    15: "the card has fallen off the bus",
    18: "libnvidia-ml and the kernel's part of the driver are of different versions",
    999: "unknown",
}


class CallFailed(Exception):
    """A call that had to succeed and did not."""

    def __init__(self, call: str, code: int) -> None:
        meaning = (_NVML if call.startswith("nvml") else _CUDA).get(code)
        super().__init__(f"{call} returned {code}" + (f" ({meaning})" if meaning else ""))
        self.code = code


class Unsupported(CallFailed):
    """A call that this driver, or this card, does not have."""


class Missing(Unsupported):
    """A function that the library does not export."""

    def __init__(self, call: str) -> None:
        super().__init__(call, 0)
        self.args = (f"there is no {call}",)


class NoRoom(Exception):
    """The card has less free memory than a step needs."""


class CannotStart(Exception):
    """A program did not start, or ended before it did what it was started for."""
