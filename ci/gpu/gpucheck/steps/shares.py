"""Shares of a card's time: what each kind of program achieves at several limits, against the same natively."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Dict, Sequence, Tuple

from gpucheck.support import judge
from gpucheck.support.process import Conversation, worker
from gpucheck.support.report import fact, skip
from gpucheck.support.room import need
from gpucheck.support.slices import Slice
from gpucheck.support.units import GIB

_WORKLOADS = ["small kernels", "matmul chain", "graphs", "transformer-like step", "ResNet-like step"]
_HALVES: Sequence[Sequence[Tuple[int, float]]] = (((30, 1.2), (10, 1.8)), ((50, 1.0), (90, 1.0)))
"""Limits in percent, and for how many seconds each is looked at; natively it is played before, between and after."""

_NATIVE_SECONDS = 0.6
_WARM_UP = 0.25
"""A changed limit is in force after 0.2 s."""


def run() -> None:
    """One program natively and one in a slice whose limit changes; never both at work at the same time."""
    need(GIB)
    with ExitStack() as stack:
        native = stack.enter_context(Conversation(worker("player"), dict(os.environ)))
        slice_ = stack.enter_context(Slice(cores=50))
        limited = stack.enter_context(slice_.player())
        reason = judge.crowded(native)
        if reason:
            skip("all", reason)
            return
        for name in _WORKLOADS:
            problem = native.ask("prepare", name)["problem"]
            if problem:
                skip(name, f"natively: {problem}")
            else:
                _workload(name, native, limited, slice_)


def _workload(name: str, native: Conversation, limited: Conversation, slice_: Slice) -> None:
    limited.ask("prepare", name)
    before, parts = native.ask("play", name, _WARM_UP, _NATIVE_SECONDS), []
    fact(f"{name}: natively", round(judge.rate(before), 2), "units/s", _clocks(before))
    for half in _HALVES:
        plays = {percent: _at(percent, seconds, name, limited, slice_) for percent, seconds in half}
        after = native.ask("play", name, _WARM_UP, _NATIVE_SECONDS)
        for percent, play in plays.items():
            parts.append(judge.share(f"{name} at {percent} %", percent, play, [before, after]))
        before = after
    judge.kept(f"{name}: used of its share", parts)


def _at(percent: int, seconds: float, name: str, limited: Conversation, slice_: Slice) -> Dict[str, float]:
    slice_.limit("--cores", str(percent))
    return limited.ask("play", name, _WARM_UP, seconds)


def _clocks(play: judge.Play) -> str:
    return f"{play['seconds']:.3f} s by the host's clock, {play['device_seconds']:.3f} s by the card's"
