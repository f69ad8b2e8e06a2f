"""A small PyTorch program: a few training steps whose weights are compared, then, if told to, all memory it can get."""

from __future__ import annotations

import hashlib
import importlib
import os
from typing import Any, Dict, List, Sequence

from gpucheck.support import channel
from gpucheck.support.units import MIB

_PIECE = 128 * MIB
_PIECES = 64
"""More than the slice has."""


def run(arguments: Sequence[str]) -> None:
    """Sends what it found."""
    # cuBLAS is deterministic only with a workspace of a fixed size, read when it starts.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch: Any = importlib.import_module("torch")

    if not torch.cuda.is_available():
        channel.send({"unusable": f"PyTorch {torch.__version__} has no CUDA here"})
        return
    _, total = torch.cuda.mem_get_info()
    answer: Dict[str, Any] = {"digest": _train(torch), "total": total}
    if "fill" in arguments:
        answer.update(_fill(torch))
    channel.send(answer)


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
    digest = hashlib.sha256()
    for parameter in model.parameters():
        # Not through NumPy, which PyTorch does not need and may not find.
        digest.update(bytes(parameter.detach().cpu().contiguous().view(torch.uint8).flatten().tolist()))
    return digest.hexdigest()


def _fill(torch: Any) -> Dict[str, Any]:
    """Allocates until PyTorch says that there is no more, frees, and allocates again."""
    tensors: List[Any] = []
    caught = ""
    try:
        while len(tensors) < _PIECES:
            tensors.append(torch.empty(_PIECE, dtype=torch.uint8, device="cuda"))
    except torch.cuda.OutOfMemoryError as error:
        caught = type(error).__name__
    filled, refused = len(tensors) * _PIECE, len(tensors) < _PIECES
    tensors.clear()
    torch.cuda.empty_cache()
    again = torch.ones(filled // 4, dtype=torch.uint8, device="cuda")
    return {
        "filled": filled,
        "refused": refused,
        "caught": caught,
        "recovered": filled > 0 and int(again.sum()) == filled // 4,
    }
