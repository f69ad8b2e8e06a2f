"""Several programs at once, each in a slice of its own: each has its share, whatever the others do."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any, Dict, List, Sequence

from gpucheck.support import judge, settings
from gpucheck.support.process import Conversation, worker
from gpucheck.support.report import fact, skip
from gpucheck.support.room import need
from gpucheck.support.slices import Slice
from gpucheck.support.units import GIB

_SHARES = (30, 70)
_EQUAL = (25, 25, 25, 25)
_WORKLOADS = ["kernels of 1 ms", "matmul chain", "small kernels"]
_NATIVE_SECONDS = 0.6
_WARM_UP = 1.0
"""When a neighbour starts, a share is within 5 points after a second; the mean that follows is judged."""

_SECONDS = 3.0
_LEAST_FAIRNESS = 0.99


def run() -> None:
    """The native rate first and last, alone on the card."""
    need(2 * GIB)
    with Conversation(worker("player"), dict(os.environ)) as native:
        for name in _WORKLOADS:
            problem = native.ask("prepare", name)["problem"]
            if problem:
                skip(name, f"natively: {problem}")
                return
        reason = judge.crowded(native)
        if reason:
            skip("all", reason)
            return
        with ExitStack() as stack:
            players = [_player(stack, share) for share in _SHARES]
            for name in _WORKLOADS:
                _two(name, native, players)
        with ExitStack() as stack:
            _equal(_WORKLOADS[0], native, [_player(stack, share) for share in _EQUAL])


def _player(stack: ExitStack, cores: int) -> Conversation:
    return stack.enter_context(stack.enter_context(Slice(cores=cores)).player())


def _two(name: str, native: Conversation, players: Sequence[Conversation]) -> None:
    before = native.ask("play", name, 0.2, _NATIVE_SECONDS)
    plays = _together(name, players)
    natives = [before, native.ask("play", name, 0.2, _NATIVE_SECONDS)]
    for share, play in zip(_SHARES, plays):
        judge.share(f"{name}: {share} % beside {100 - share} %", share, play, natives)


def _equal(name: str, native: Conversation, players: Sequence[Conversation]) -> None:
    before = native.ask("play", name, 0.2, _NATIVE_SECONDS)
    plays = _together(name, players)
    natives = [before, native.ask("play", name, 0.2, _NATIVE_SECONDS)]
    title = f"{name}: {len(players)} equal tenants, Jain's index"
    parts = [judge.achieved(play, natives) for play in plays]
    fairness = sum(parts) ** 2 / (len(parts) * sum(part * part for part in parts))
    shown = ", ".join(f"{part:.1f}" for part in parts)
    least = 0.9 if settings.simulated() else _LEAST_FAIRNESS
    found = f"{fairness:.4f}: {shown} % of the native rate"
    judge.tell(title, fairness >= least, found, f"{_LEAST_FAIRNESS} is the goal", plays, natives)
    fact(f"{name}: all of them together", round(sum(parts), 1), "%", "of the native rate")


def _together(name: str, players: Sequence[Conversation]) -> List[Dict[str, Any]]:
    """All at the same time."""
    for player in players:
        player.ask("prepare", name)
    for player in players:
        player.send("play", name, _WARM_UP, _SECONDS)
    return [player.receive() for player in players]
