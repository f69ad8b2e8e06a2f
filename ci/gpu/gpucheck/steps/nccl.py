"""NCCL: ranks that wait for each other go on where shares hold them back, and add up right."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, List, Mapping

from gpucheck.support.cuda import Cuda
from gpucheck.support.frameworks import GIB_OF_SLICE, LIMIT, can_be_tried, is_usable
from gpucheck.support.process import Conversation, worker
from gpucheck.support.report import fact, promise
from gpucheck.support.slices import Slice

_SECONDS = 60.0
_MOST_RANKS = 2


def run() -> None:
    """A rank a card, as NCCL wants it: with one card, one rank."""
    if not can_be_tried("torch", LIMIT):
        return
    ranks = min(_MOST_RANKS, Cuda().count())
    native = _all_reduce(ranks, dict(os.environ))
    if not is_usable(native[0]):
        return
    fact("ranks", ranks, how="one a card")
    with Slice(GIB_OF_SLICE, cores=30) as slice_:
        for rank, answer in enumerate(_all_reduce(ranks, slice_.environment)):
            promise(f"rank {rank}: every sum is right in a slice of 30 %", answer["wrong"] == "", answer["wrong"])


def _all_reduce(ranks: int, environment: Mapping[str, str]) -> List[Dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="vgpu-check-") as directory, ExitStack() as stack:
        meeting = str(Path(directory) / "meeting")
        commands = [worker("nccl_program", str(rank), str(ranks), meeting) for rank in range(ranks)]
        programs = [stack.enter_context(Conversation(one, environment, _SECONDS)) for one in commands]
        return [program.receive() for program in programs]
