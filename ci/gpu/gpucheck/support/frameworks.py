"""What the steps for frameworks share: one program, natively, with the library, and in a slice."""

from __future__ import annotations

import importlib.util
from typing import Any, Dict, Mapping

from . import settings
from .report import promise, skip
from .room import need
from .units import GIB, MIB, size

LIMIT = 4 * GIB
GIB_OF_SLICE = 4

_LEAST_REQUEST = 2 * MIB
"""What the allocators of frameworks ask the driver for at least."""


def is_installed(module: str, package: str = "") -> bool:
    """Whether Python finds `module`, which is of `package`. The step is skipped where it does not."""
    if importlib.util.find_spec(module) is None:
        skip("all", f"{package or module} is not installed")
        return False
    return True


def can_be_tried(module: str, room: int) -> bool:
    """Whether a framework can be tried here, in `room` bytes of the card. The step is skipped where it cannot."""
    if not is_installed(module):
        return False
    if settings.simulated():
        skip("all", "not simulated: it needs libcudart, which accepts only NVIDIA's own driver")
        return False
    need(room)
    return True


def is_usable(native: Mapping[str, Any]) -> bool:
    """Whether a program could do natively what it is for. The step is skipped where it says why not."""
    if native.get("unusable"):
        skip("all", str(native["unusable"]))
        return False
    return True


def same_bits(native: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]]) -> None:
    """The computation gives the same bits in every way."""
    for way, answer in others.items():
        same = answer["digest"] == native["digest"]
        promise(f"{way}: results are bit-identical", same, str(answer["digest"])[:16])


def same_view(native: Mapping[str, Any], loaded: Mapping[str, Any]) -> None:
    """Without a limit, the card has the size that it has natively."""
    same = loaded["total"] == native["total"]
    promise("no limit: its view of the card is the native one", same, size(loaded["total"]))


def filled(found: Dict[str, Any], name: str = "", least: int = _LEAST_REQUEST) -> None:
    """What a program tells that has asked for more and more memory in a slice of `LIMIT`.

    `least` is what its allocator asks the driver for at least: less than that may be left.
    """
    promise(f"{name}it is refused memory past the limit", bool(found["refused"]), f"{size(found['filled'])} granted")
    promise(f"{name}the refusal is its out-of-memory error", found["caught"] != "", str(found["caught"]))
    promise(f"{name}it gets memory again after freeing", bool(found["recovered"]), "")
    promise(f"{name}it never had more than the limit", found["filled"] <= LIMIT, size(found["filled"]))
    if "left" in found:
        left = size(found["left"])
        title = f"{name}the last {size(least)} that fit were granted"
        promise(title, found["left"] < least, f"{left} were left")
