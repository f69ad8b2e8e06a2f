"""One rank of a collective of PyTorch by NCCL: its number, how many there are, and a file by which they meet."""

from __future__ import annotations

import importlib
from datetime import timedelta
from typing import Any, Sequence

from gpucheck.support import channel

_NUMBERS = 1 << 20
_ROUNDS = 50
_SECONDS = 30.0


def run(arguments: Sequence[str]) -> None:
    """Sends what is wrong with the sums, or nothing."""
    rank, ranks, meeting = int(arguments[0]), int(arguments[1]), arguments[2]
    torch: Any = importlib.import_module("torch")
    distributed: Any = importlib.import_module("torch.distributed")
    if not torch.cuda.is_available() or not distributed.is_nccl_available():
        channel.send({"unusable": f"PyTorch {torch.__version__} has no CUDA or no NCCL here"})
        return
    torch.cuda.set_device(rank)
    patience = timedelta(seconds=_SECONDS)
    distributed.init_process_group("nccl", f"file://{meeting}", timeout=patience, rank=rank, world_size=ranks)
    wrong = ""
    for turn in range(_ROUNDS):
        values = torch.full((_NUMBERS,), float(rank + turn), device="cuda")
        distributed.all_reduce(values)
        expected = float(sum(one + turn for one in range(ranks)))
        if float(values.min()) != expected or float(values.max()) != expected:
            wrong = f"in round {turn}: {float(values.min())} to {float(values.max())}, not {expected}"
            break
    distributed.destroy_process_group()
    channel.send({"unusable": "", "wrong": wrong})
