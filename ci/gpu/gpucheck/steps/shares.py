"""Shares of a card's time: what each kind of program achieves at several limits, against the same natively."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any, Dict, Sequence, Tuple

from gpucheck.support import judge
from gpucheck.support.clocks import Clocks
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
    """The limit of one slice changes while its program runs."""
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
                _workload(name, Pair(native, limited, slice_))


class Pair:
    """A program natively and the same in a slice; never both at work at the same time."""

    def __init__(self, native: Conversation, limited: Conversation, slice_: Slice) -> None:
        self.native, self.limited = native, limited
        self._slice, self._clocks = slice_, Clocks()

    def natively(self, name: str, seconds: float) -> Dict[str, Any]:
        """Plays natively."""
        return self._clocks.during(self.native, "play", name, _WARM_UP, seconds)

    def at(self, percent: int, name: str, seconds: float) -> Dict[str, Any]:
        """Plays in the slice, held to so many percent."""
        self._slice.limit("--cores", str(percent))
        return self._clocks.during(self.limited, "play", name, _WARM_UP, seconds)


def _workload(name: str, pair: Pair) -> None:
    pair.limited.ask("prepare", name)
    before, parts = pair.natively(name, _NATIVE_SECONDS), []
    fact(f"{name}: natively", round(judge.rate(before), 2), "units/s", _clocks(before))
    for half in _HALVES:
        plays = {percent: pair.at(percent, name, seconds) for percent, seconds in half}
        after = pair.natively(name, _NATIVE_SECONDS)
        for percent, play in plays.items():
            parts.append(judge.share(f"{name} at {percent} %", percent, play, [before, after]))
        before = after
    judge.kept(f"{name}: used of its share", parts)


def _clocks(play: judge.Play) -> str:
    both = f"{play['seconds']:.3f} s by the host's clock, {play['device_seconds']:.3f} s by the card's"
    return both if play["megahertz"] is None else f"{both}, at {play['megahertz']:.0f} MHz"
