"""Every kind of memory has the same limit: the last 2 MiB that fit are granted, the next are refused."""

from __future__ import annotations

import os
from typing import Any, Dict

from gpucheck.support import settings
from gpucheck.support.cuda import OUT_OF_MEMORY, SUCCESS
from gpucheck.support.process import ask_once, worker
from gpucheck.support.report import equal, fact, promise, skip
from gpucheck.support.room import need
from gpucheck.support.units import GIB, MIB, size
from gpucheck.workers.kinds import CHUNK

_SECONDS = 25.0
_GROWTH = {"pool": 64 * MIB, "array": 64 * MIB}
"""By how much a kind may stay short of the limit: pools grow in steps, and an array may take more than it holds."""


def run() -> None:
    """Natively one chunk of each first: what a card does not have is nothing that the library could keep it from."""
    need(GIB)
    native = ask_once(worker("kinds", "once"), os.environ, _SECONDS)
    limited = ask_once([*settings.vgpu_run("--memory", "1Gi"), *worker("kinds")], os.environ, _SECONDS)
    for name, answer in limited.items():
        problem = native[name].get("error") or (f"code {native[name]['code']}" if native[name]["code"] else "")
        if problem:
            skip(name, f"natively: {problem}")
        elif "error" in answer:
            promise(f"{name}: can be used in a slice", False, answer["error"])
        elif name == "graph":
            _graph(answer)
        else:
            _kind(name, answer)


def _kind(name: str, found: Dict[str, Any]) -> None:
    fits = found["free"] // CHUNK * CHUNK
    least = fits - _GROWTH.get(name, 0)
    promise(
        f"{name}: granted, in chunks of 2 MiB",
        least <= found["granted"] <= fits,
        f"{size(found['granted'])} of {size(found['free'])} free",
    )
    equal(f"{name}: the next chunk is refused with", found["code"], OUT_OF_MEMORY)
    promise(f"{name}: a refusal leaves the output alone", found["untouched"], "")
    # The driver may keep a chunk for itself.
    back = abs(found["after"] - found["free"]) <= CHUNK
    promise(f"{name}: all is free again after giving it back", back, size(found["after"]))
    fact(f"{name}: left then", found["left"], "bytes", "cuMemGetInfo in the slice, when the next chunk was refused")


def _graph(found: Dict[str, Any]) -> None:
    """Memory of a graph is taken by its launch."""
    equal("graph: without room for its memory, its launch is refused with", found["code"], OUT_OF_MEMORY)
    equal("graph: with room, its launch returns", found["again"], SUCCESS)
    fact("graph: the slice is charged", found["taken"], "bytes", f"for a graph of {size(found['size'])}")
    promise("graph: its memory is charged", found["taken"] >= found["size"], size(found["taken"]))
    promise("graph: all is back after a trim", found["after"] >= found["free"], size(found["after"]))
