"""How long a program that is asked now and then waits beside one that wants all of the card."""

from __future__ import annotations

import math
import os
from contextlib import ExitStack
from statistics import median
from typing import Any, Dict, Sequence, Tuple

from gpucheck.support import settings
from gpucheck.support.judge import STARVED, crowded, rate
from gpucheck.support.process import Conversation, worker
from gpucheck.support.report import fact, promise, skip
from gpucheck.support.room import need
from gpucheck.support.slices import Slice
from gpucheck.support.units import GIB

_VICTIM, _AGGRESSOR = "request", "kernels of 1 ms"
_LEAD, _PAUSE, _SECONDS = 0.7, 0.012, 3.0
"""The aggressor is at work for `_LEAD` before the first request, and each comes a pause after the one before."""

_MOST = 1.3
"""The goal: the 99th percentile with a high priority, against alone."""

_SLICES: Dict[str, Tuple[Dict[str, Any], Dict[str, Any]]] = {
    "in equal slices": ({"cores": 50}, {"cores": 50}),
    "with a high priority": ({"priority": "high"}, {"priority": "low"}),
}
"""The victim's slice and the aggressor's."""


def run() -> None:
    """Alone, beside the aggressor natively, in two slices of one priority, and of two."""
    need(2 * GIB)
    with ExitStack() as stack:
        victim, aggressor = (stack.enter_context(Conversation(worker("player"), dict(os.environ))) for _ in range(2))
        for player, name in ((victim, _VICTIM), (aggressor, _AGGRESSOR)):
            problem = player.ask("prepare", name)["problem"]
            if problem:
                skip("all", f"natively: {problem}")
                return
        reason = crowded(victim)
        if reason:
            skip("all", reason)
            return
        alone = victim.ask("requests", _VICTIM, 0.0, _PAUSE, _SECONDS)
        _tell("natively, alone", alone)
        _beside("natively", victim, aggressor)
    for way, options in _SLICES.items():
        with ExitStack() as stack:
            victim, aggressor = (_player(stack, one) for one in options)
            found = _beside(way, victim, aggressor)
    _judge(alone, found)


def _player(stack: ExitStack, options: Dict[str, Any]) -> Conversation:
    return stack.enter_context(stack.enter_context(Slice(**options)).player())


def _beside(way: str, victim: Conversation, aggressor: Conversation) -> Dict[str, Any]:
    """The victim's requests while the aggressor is at work all the time."""
    victim.ask("prepare", _VICTIM)
    aggressor.ask("prepare", _AGGRESSOR)
    aggressor.send("play", _AGGRESSOR, _LEAD, _SECONDS)
    found = victim.ask("requests", _VICTIM, _LEAD, _PAUSE, _SECONDS)
    greedy = aggressor.receive()
    _tell(f"{way}, beside a greedy program", found)
    fact(f"{way}, the greedy program", round(rate(greedy), 1), "units/s", "2 kernels of 1 ms each")
    if greedy["apart"]:
        apart = percentile(sorted(greedy["apart"]), 99)
        fact(f"{way}, the greedy program: 99th percentile", round(apart, 2), "ms", "from one unit's end to the next")
    return found


def _tell(way: str, found: Dict[str, Any]) -> None:
    took = sorted(found["milliseconds"])
    fact(f"{way}: median of a request", round(median(took), 2), "ms", f"10 kernels of 1 ms; {len(took)} requests")
    fact(f"{way}: 99th percentile", round(percentile(took, 99), 2), "ms")


def _judge(alone: Dict[str, Any], found: Dict[str, Any]) -> None:
    name = "with a high priority: 99th percentile, against alone"
    starved = max(alone["starved"], found["starved"])
    if starved > STARVED:
        skip(name, f"inconclusive: {100 * starved:.0f} % of its time it waited for a processor")
        return
    ratio = percentile(sorted(found["milliseconds"]), 99) / percentile(sorted(alone["milliseconds"]), 99)
    if settings.simulated():
        fact(name, round(ratio, 2), "times", f"the goal on a real card is {_MOST}")
    else:
        promise(name, ratio <= _MOST, f"{ratio:.2f} times; {_MOST} is the goal")


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that so many percent of all do not exceed."""
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
