"""PyTorch's steps: at full speed where nothing holds them back, and at their share where something does."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Dict, List

from gpucheck.steps import pytorch, shares, speed
from gpucheck.support import judge
from gpucheck.support.frameworks import GIB_OF_SLICE, LIMIT, can_be_tried, is_usable
from gpucheck.support.process import Conversation
from gpucheck.support.slices import Slice, preloaded

_STEPS = ["ResNet-like step", "transformer-like step", "CUDA graph of a transformer", "matmul chain"]
_LIMITS = [(30, 1.2), (10, 1.8), (50, 1.0), (90, 1.0)]
_ROUNDS, _SECONDS = 5, 0.4


def run() -> None:
    """The slice has no share first, as 100 percent is no limit; then one after the other."""
    if not can_be_tried("torch", LIMIT):
        return
    with ExitStack() as stack:
        slice_ = stack.enter_context(Slice(GIB_OF_SLICE, cores=100))
        ways = {speed.NATIVE: dict(os.environ), speed.PRELOADED: preloaded(), speed.LIMITED: slice_.environment}
        programs = {way: stack.enter_context(pytorch.program(one)) for way, one in ways.items()}
        answers = [one.receive() for one in programs.values()]
        if not is_usable(answers[0]):
            return
        for name in _STEPS[:2]:
            _speed(name, programs)
        pair = shares.Pair(programs[speed.NATIVE], programs[speed.LIMITED], slice_)
        for name in _STEPS:
            _shares(name, pair)


def _speed(name: str, programs: Dict[str, Conversation]) -> None:
    rates: Dict[str, List[float]] = {way: [] for way in programs}
    for _ in range(_ROUNDS):
        for way, program in programs.items():
            rates[way].append(judge.rate(program.ask("play", name, 0.05, _SECONDS)))
    speed.told(name, rates)


def _shares(name: str, pair: shares.Pair) -> None:
    before = pair.natively(name, _SECONDS)
    plays = {percent: pair.at(percent, name, seconds) for percent, seconds in _LIMITS}
    natives = [before, pair.natively(name, _SECONDS)]
    parts = [judge.share(f"{name} at {percent} %", percent, play, natives) for percent, play in plays.items()]
    judge.kept(f"{name}: used of its share", parts)
