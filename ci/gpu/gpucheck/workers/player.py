"""A program that plays workloads as it is told, one request a line."""

from __future__ import annotations

import json
import sys
from typing import Any, Dict, Sequence

from gpucheck.support import channel
from gpucheck.support.cuda import Cuda
from gpucheck.support.errors import CallFailed
from gpucheck.support.load import Player
from gpucheck.support.workloads import digest_of_products


def run(_: Sequence[str]) -> None:
    """Answers requests until standard input ends."""
    cuda = Cuda.with_context()
    player = Player(cuda)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            channel.send(_answer(cuda, player, name, arguments))
        except CallFailed as error:
            channel.send({"error": str(error)})


def _answer(cuda: Cuda, player: Player, name: str, arguments: Sequence[Any]) -> Dict[str, Any]:
    if name == "prepare":
        try:
            player.prepare(*arguments)
        except CallFailed as error:
            return {"problem": str(error)}
        return {"problem": ""}
    if name == "digest":
        return {"digest": digest_of_products(cuda)}
    return player.requests(*arguments) if name == "requests" else player.play(*arguments)
