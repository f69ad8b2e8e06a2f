"""Memory that two processes share by a handle: it works as natively, and only its owner is charged."""

from __future__ import annotations

import os
from typing import Dict, Optional

from gpucheck.support.cuda import SUCCESS
from gpucheck.support.process import Conversation, worker
from gpucheck.support.report import equal, promise, skip
from gpucheck.support.room import need
from gpucheck.support.slices import Slice
from gpucheck.support.units import GIB, MIB, size

_SIZE = 64 * MIB
_BYTE = 0xA5
_OWN = 4 * MIB
"""What the driver may take for itself to share memory, a chunk in each process."""


def run() -> None:
    """Natively first: some systems (WSL, some containers) have no such handles."""
    need(2 * GIB)
    problem = _share(dict(os.environ), None)
    if problem:
        skip("all", f"natively: {problem}")
        return
    with Slice(2) as slice_:
        _share(slice_.environment, "in a slice")


def _share(environment: Dict[str, str], way: Optional[str]) -> str:
    """Returns the first thing that does not work. With a name of the way, everything is told."""
    with Conversation(worker("sharer"), environment) as owner, Conversation(worker("sharer"), environment) as other:
        # The first answer of each comes when its context is there.
        owner.ask("free")
        both = other.ask("free")["free"]
        exported = owner.ask("export", _SIZE, _BYTE)
        if exported["code"] != SUCCESS:
            return _problem(way, "cuIpcGetMemHandle", exported["code"])
        opened = other.ask("open", exported["handle"])["code"]
        if opened != SUCCESS:
            return _problem(way, "cuIpcOpenMemHandle", opened)
        if way is not None:
            _look(owner, other, way, both)
        return ""


def _look(owner: Conversation, other: Conversation, way: str, both: int) -> None:
    def charged(name: str, expected: int) -> None:
        found = both - other.ask("free")["free"]
        promise(f"{way}: {name}", abs(found - expected) <= _OWN, f"{size(found)} are charged")

    seen = other.ask("look", _SIZE)["bytes"]
    promise(f"{way}: one process sees what the other wrote", seen == [_BYTE], f"bytes {seen}")
    charged("it is charged once", _SIZE)
    equal(f"{way}: closing it returns", other.ask("close")["code"], SUCCESS)
    charged("its owner is charged until it frees it", _SIZE)
    equal(f"{way}: freeing it returns", owner.ask("release")["code"], SUCCESS)
    charged("then nothing is charged", 0)


def _problem(way: Optional[str], call: str, code: int) -> str:
    if way is not None:
        equal(f"{way}: {call} returns", code, SUCCESS)
    return f"{call} returned {code}"
