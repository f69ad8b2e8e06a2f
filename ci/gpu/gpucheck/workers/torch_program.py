"""PyTorch, one request a line: a training whose weights are compared, all memory it can get, steps at full speed."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from typing import Any, Dict, List, Sequence

from gpucheck.support import channel
from gpucheck.support.torch_load import TorchPlayer
from gpucheck.support.units import MIB

_PIECES = [128 * MIB, 32 * MIB, 12 * MIB, MIB]
"""The allocator takes 2 MiB from the driver for a tensor of 1 MiB, and from 10 MiB on what is asked for."""

_MOST = 8192
"""Tensors: more than a slice has room for."""

Answer = Dict[str, Any]


def run(_: Sequence[str]) -> None:
    """The first message says what was found, then one answers each request until standard input ends."""
    # cuBLAS is deterministic only with a workspace of a fixed size, read when it starts.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch: Any = importlib.import_module("torch")
    if not torch.cuda.is_available():
        channel.send({"unusable": f"PyTorch {torch.__version__} has no CUDA here"})
        return
    channel.send({"unusable": "", "version": f"{torch.__version__}, CUDA {torch.version.cuda}"})
    player = TorchPlayer(torch)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            channel.send(_answer(torch, player, name, arguments))
        except RuntimeError as error:
            channel.send({"error": str(error).split("\n")[0]})


def _answer(torch: Any, player: TorchPlayer, name: str, arguments: Sequence[Any]) -> Answer:
    if name == "digest":
        return {"digest": _train(torch), "total": torch.cuda.mem_get_info()[1]}
    if name == "fill":
        return _fill(torch)
    if name == "prepare":
        player.prepare(*arguments)
        return {"problem": ""}
    return player.play(*arguments)


def _train(torch: Any) -> str:
    """Trains a small network from a fixed seed and returns a digest of its weights."""
    torch.manual_seed(7)
    torch.use_deterministic_algorithms(True)
    model = torch.nn.Sequential(
        torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.LayerNorm(512), torch.nn.Linear(512, 16)
    ).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    inputs = torch.randn(512, 256).cuda()
    labels = torch.randint(0, 16, (512,)).cuda()
    for _ in range(10):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    torch.use_deterministic_algorithms(False)
    digest = hashlib.sha256()
    for parameter in model.parameters():
        # Not through NumPy, which PyTorch does not need and may not find.
        digest.update(bytes(parameter.detach().cpu().contiguous().view(torch.uint8).flatten().tolist()))
    return digest.hexdigest()


def _fill(torch: Any) -> Answer:
    """Allocates until PyTorch says that there is no more, frees, and allocates again."""
    tensors: List[Any] = []
    caught, filled = "", 0
    for piece in _PIECES:
        try:
            while len(tensors) < _MOST:
                tensors.append(torch.empty(piece, dtype=torch.uint8, device="cuda"))
                filled += piece
        except torch.cuda.OutOfMemoryError as error:
            caught = type(error).__name__
    refused, left = len(tensors) < _MOST, torch.cuda.mem_get_info()[0]
    tensors.clear()
    torch.cuda.empty_cache()
    again = torch.ones(filled // 4, dtype=torch.uint8, device="cuda")
    recovered = filled > 0 and int(again.sum(dtype=torch.int64)) == filled // 4
    del again
    torch.cuda.empty_cache()
    return {"filled": filled, "left": left, "refused": refused, "caught": caught, "recovered": recovered}
