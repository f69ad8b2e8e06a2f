"""Memory that two processes share by a handle: it works as natively, and only its owner is charged."""

from __future__ import annotations

import os
from typing import Dict, Optional

from gpucheck.support.cuda import SUCCESS
from gpucheck.support.process import Conversation, worker
from gpucheck.support.report import equal, promise, skip
from gpucheck.support.room import need
from gpucheck.support.slices import Slice
from gpucheck.support.units import GIB, MIB

_SIZE = 64 * MIB
_BYTE = 0xA5


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
    seen = other.ask("look", _SIZE)["bytes"]
    promise(f"{way}: one process sees what the other wrote", seen == [_BYTE], f"bytes {seen}")
    equal(f"{way}: it is charged once", both - other.ask("free")["free"], _SIZE, "bytes")
    equal(f"{way}: closing it returns", other.ask("close")["code"], SUCCESS)
    equal(f"{way}: its owner is charged until it frees it", both - other.ask("free")["free"], _SIZE, "bytes")
    equal(f"{way}: freeing it returns", owner.ask("release")["code"], SUCCESS)
    equal(f"{way}: then nothing is charged", both - other.ask("free")["free"], 0, "bytes")


def _problem(way: Optional[str], call: str, code: int) -> str:
    if way is not None:
        equal(f"{way}: {call} returns", code, SUCCESS)
    return f"{call} returned {code}"
