"""PyTorch: the same results with the library as without, and its out-of-memory error at the limit."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Dict, Mapping

from gpucheck.support.errors import CannotStart
from gpucheck.support.frameworks import GIB_OF_SLICE, LIMIT, can_be_tried, filled, same_bits, same_view
from gpucheck.support.process import Conversation, worker
from gpucheck.support.report import fact, fail, promise, skip
from gpucheck.support.slices import Slice, preloaded
from gpucheck.support.units import GIB, MIB, size

_START_SECONDS = 60.0
_CONTEXTS = GIB
"""Of those programs that are in no slice."""

_ALLOCATORS = {"expandable_segments:True": 2 * MIB, "backend:cudaMallocAsync": 64 * MIB}
"""Other ways in which PyTorch asks for memory (physical memory that it maps, pools), and for how much at least."""


def run() -> None:
    """Programs start side by side, as importing PyTorch takes long."""
    if not can_be_tried("torch", LIMIT + _CONTEXTS):
        return
    with ExitStack() as stack:
        slice_ = stack.enter_context(Slice(GIB_OF_SLICE))
        ways = {"native": dict(os.environ), "preloaded, no limit": preloaded(), "in a slice": slice_.environment}
        programs = {way: stack.enter_context(program(one)) for way, one in ways.items()}
        unusable = started(programs)
        if unusable:
            skip("all", unusable)
            return
        answers = {way: one.ask("digest") for way, one in programs.items()}
        native = answers.pop("native")
        same_bits(native, answers)
        same_view(native, answers["preloaded, no limit"])
        seen = answers["in a slice"]["total"]
        promise("it sees the slice's size", seen == LIMIT, size(seen))
        filled(programs["in a slice"].ask("fill"))
    for allocator, least in _ALLOCATORS.items():
        _with_allocator(allocator, least)


def program(environment: Mapping[str, str]) -> Conversation:
    """Starts one that does what it is told."""
    return Conversation(worker("torch_program"), environment, _START_SECONDS)


def started(programs: Mapping[str, Conversation]) -> str:
    """Waits until all can be told something. Returns why natively none can, if that is so."""
    said: Dict[str, str] = {}
    for way, one in programs.items():
        answer = one.receive()
        said[way] = answer["unusable"]
        if way == "native":
            if said[way]:
                return said[way]
            fact("PyTorch", answer["version"])
        elif said[way]:
            raise CannotStart(f"{way}: {said[way]}, although there is natively")
    return ""


def _with_allocator(allocator: str, least: int) -> None:
    """Natively first: not every card and version has every allocator."""
    variable = {"PYTORCH_CUDA_ALLOC_CONF": allocator}
    with ExitStack() as stack:
        slice_ = stack.enter_context(Slice(GIB_OF_SLICE))
        native = stack.enter_context(program({**os.environ, **variable}))
        limited = stack.enter_context(program({**slice_.environment, **variable}))
        for one, way in ((native, "natively"), (limited, "in a slice")):
            try:
                one.receive()
                one.ask("digest")
            except CannotStart as error:
                tell = skip if one is native else fail
                tell(allocator, f"{way}: {error}")
                return
        filled(limited.ask("fill"), f"{allocator}: ", least)
