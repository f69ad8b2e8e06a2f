"""What a program loses that is not held back: the same bits, and within half a percent the same speed."""

from __future__ import annotations

import os
from contextlib import ExitStack
from statistics import median
from typing import Dict, List

from gpucheck.support import settings
from gpucheck.support.judge import crowded, rate
from gpucheck.support.process import Conversation, worker
from gpucheck.support.report import fact, promise, skip
from gpucheck.support.room import need
from gpucheck.support.slices import Slice, preloaded
from gpucheck.support.units import GIB

_WORKLOADS = ["small kernels", "graphs", "matmul chain", "ResNet-like step", "transformer-like step"]
_ROUNDS = 5
_SECONDS, _WARM_UP = 0.3, 0.05
_MOST_LOST = 0.5
"""Percent."""

NATIVE, PRELOADED, LIMITED = "natively", "with the library, no limit", "in a slice with more memory than it needs"


def run() -> None:
    """A process a way, all alive, one at work: turn by turn, so that a slow moment of the machine meets all alike."""
    need(3 * GIB)
    with ExitStack() as stack:
        slice_ = stack.enter_context(Slice(2))
        environments = {NATIVE: dict(os.environ), PRELOADED: preloaded(), LIMITED: slice_.environment}
        players = {
            way: stack.enter_context(Conversation(worker("player"), environment))
            for way, environment in environments.items()
        }
        reason = crowded(players[NATIVE])
        if reason:
            skip("all", reason)
            return
        for name in _WORKLOADS:
            problem = players[NATIVE].ask("prepare", name)["problem"]
            if problem:
                skip(name, f"natively: {problem}")
            else:
                _speed(name, players)
        _bits(players)


def _speed(name: str, players: Dict[str, Conversation]) -> None:
    rates: Dict[str, List[float]] = {way: [] for way in players}
    for _ in range(_ROUNDS):
        for way, player in players.items():
            rates[way].append(rate(player.ask("play", name, _WARM_UP, _SECONDS)))
    told(name, rates)


def told(name: str, rates: Dict[str, List[float]]) -> None:
    """Tells the medians. They judge nothing where the native ones differ by more than what is to be seen."""
    native = rates.pop(NATIVE)
    spread = 100.0 * (sorted(native)[-2] / sorted(native)[1] - 1)
    fact(f"{name}: {NATIVE}", round(median(native), 2), "units/s", f"median of {len(native)}; spread {spread:.2f} %")
    for way, values in rates.items():
        title, lost = f"{name}: lost {way}", 100.0 * (1 - median(values) / median(native))
        if settings.simulated():
            fact(title, round(lost, 2), "%", f"the goal on a real card is {_MOST_LOST}")
        elif spread > 2 * _MOST_LOST and lost > _MOST_LOST:
            skip(title, f"inconclusive: {lost:.2f} %, and natively its own rate varies by {spread:.2f} %")
        else:
            promise(title, lost <= _MOST_LOST, f"{lost:.2f} %; {_MOST_LOST} is the goal")


def _bits(players: Dict[str, Conversation]) -> None:
    if settings.simulated():
        skip("results are bit-identical", "not simulated: kernels of the simulated card compute nothing")
        return
    native = players[NATIVE].ask("digest")["digest"]
    for way in (PRELOADED, LIMITED):
        found = players[way].ask("digest")["digest"]
        promise(f"results are bit-identical {way}", found == native, str(found)[:16])
