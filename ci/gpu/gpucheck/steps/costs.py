"""What a call costs natively, with the library, and in a slice: medians, interleaved."""

from __future__ import annotations

from statistics import median
from typing import Dict, List

from gpucheck.support import settings
from gpucheck.support.process import ask_once, finish, worker
from gpucheck.support.report import fact, skip
from gpucheck.support.slices import Slice, ways_without_limit

_ROUNDS = 3
_SECONDS = 20.0
_COMPILED = [("alloc + free of 1 MiB", "pair-0", 2_000), ("cuDeviceTotalMem", "report", 20_000)]


def run() -> None:
    """One process a way and round, so that a slow moment of the machine meets all ways alike."""
    found: Dict[str, Dict[str, List[float]]] = {}
    with Slice(4) as slice_:
        ways = [*ways_without_limit(), ("in a slice", slice_.environment)]
        for _ in range(_ROUNDS):
            for way, environment in ways:
                for call, nanoseconds in _measure(environment).items():
                    found.setdefault(call, {}).setdefault(way, []).append(nanoseconds)
    for call, by_way in found.items():
        for way, values in by_way.items():
            fact(f"{call}, {way}", round(float(median(values)), 1), "ns", f"median of {_ROUNDS} processes")
    if not settings.program("overhead").exists():
        skip("alloc + free", "the program that measures it is not in the bundle")


def _measure(environment: Dict[str, str]) -> Dict[str, float]:
    costs: Dict[str, float] = ask_once(worker("costs"), environment, _SECONDS)
    program = settings.program("overhead")
    if program.exists():
        for name, work, count in _COMPILED:
            finished = finish([str(program), "work", work, str(count)], environment, _SECONDS)
            if finished.returncode == 0:
                costs[name] = float(finished.stdout)
    return costs
