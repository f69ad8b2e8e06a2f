"""What the steps for frameworks share: one program, run natively, with the library, and in a slice."""

from __future__ import annotations

import importlib.util
import os
from typing import Any, Dict, Optional

from . import settings
from .process import ask_once, worker
from .report import promise, skip
from .room import need
from .slices import preloaded
from .units import GIB, size

LIMIT = 4 * GIB
_SECONDS = 40.0


def absent(module: str) -> Optional[str]:
    """Why a framework cannot be tried here."""
    if importlib.util.find_spec(module) is None:
        return f"{module} is not installed"
    if settings.simulated():
        return "not simulated: it needs libcudart, which accepts only NVIDIA's own driver"
    return None


def compare(name: str) -> None:
    """The worker's computation gives the same bits natively, with the library, and in a slice that is large enough."""
    need(LIMIT)
    native = ask_once(worker(name), os.environ, _SECONDS)
    if "unusable" in native:
        skip("all", str(native["unusable"]))
        return
    loaded = ask_once(worker(name), preloaded(), _SECONDS)
    limited = ask_once([*settings.vgpu_run("--memory", "4Gi"), *worker(name, "fill")], os.environ, _SECONDS)
    for way, answer in (("preloaded, no limit", loaded), ("in a slice", limited)):
        same = answer["digest"] == native["digest"]
        promise(f"{way}: results are bit-identical", same, str(answer["digest"])[:16])
    promise(
        "no limit: its view of the card is the native one", loaded["total"] == native["total"], size(loaded["total"])
    )
    _slice(limited)


def _slice(answer: Dict[str, Any]) -> None:
    """What the worker, told to fill the slice, tells."""
    promise("it sees the slice's size", answer["total"] == LIMIT, size(answer["total"]))
    promise("it is refused memory past the limit", bool(answer["refused"]), size(answer["filled"]) + " were granted")
    promise("the refusal is its out-of-memory error", answer["caught"] != "", str(answer["caught"]))
    promise("it gets memory again after freeing", bool(answer["recovered"]), "")
    promise("it never had more than the limit", answer["filled"] <= LIMIT, size(answer["filled"]))
