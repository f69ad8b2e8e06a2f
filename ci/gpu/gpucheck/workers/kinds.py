"""A program that asks for memory of one kind after the other, and says how each went."""

from __future__ import annotations

from typing import Any, Dict, Sequence

from gpucheck.support import channel
from gpucheck.support.cuda import OUT_OF_MEMORY, SUCCESS, Cuda
from gpucheck.support.errors import CallFailed
from gpucheck.support.kinds import KINDS, AllocatingGraph, Kind
from gpucheck.support.units import MIB

CHUNK = 2 * MIB
_FIRST_PIECE = 64 * MIB
_GRAPH = 64 * MIB
_FAR_TOO_MUCH = 1 << 40

Answer = Dict[str, Any]


def run(arguments: Sequence[str]) -> None:
    """Sends one message with what it found of each kind. With `once`, one chunk of each is asked for."""
    cuda = Cuda.with_context()
    fills = "once" not in arguments
    answers: Dict[str, Answer] = {}
    for name, kind in KINDS.items():
        answers[name] = _guarded(lambda made: _fill(cuda, made) if fills else _one(made), kind(cuda))
    answers["graph"] = _guarded(lambda _: _graph(cuda, fills), None)
    channel.send(answers)


def _guarded(act: Any, argument: Any) -> Answer:
    """What `act` found, or why it could not."""
    try:
        answer: Answer = act(argument)
    except CallFailed as error:
        return {"error": str(error)}
    return answer


def _one(kind: Kind) -> Answer:
    code = kind.allocate(CHUNK)
    kind.release_all()
    return {"code": code}


def _fill(cuda: Cuda, kind: Kind) -> Answer:
    """Takes pieces down to a chunk until one chunk is refused, and gives all back."""
    # What the first allocation of a kind sets up for good is not to be counted below.
    kind.allocate(CHUNK)
    kind.release_all()
    free, granted, piece, code = cuda.free_memory(), 0, _FIRST_PIECE, SUCCESS
    while piece >= CHUNK:
        code = kind.allocate(piece)
        if code == SUCCESS:
            granted += piece
        elif code == OUT_OF_MEMORY:
            piece //= 2
        else:
            break
    left = cuda.free_memory()
    untouched = kind.untouched(_FAR_TOO_MUCH)
    kind.release_all()
    return {
        "free": free,
        "granted": granted,
        "left": left,
        "code": code,
        "untouched": untouched,
        "after": cuda.free_memory(),
    }


def _graph(cuda: Cuda, fills: bool) -> Answer:
    """A graph for whose memory there is no room, and then there is."""
    graph = AllocatingGraph(cuda, _GRAPH)
    if not fills:
        code = graph.launch()
        graph.destroy()
        return {"code": code}
    free = cuda.free_memory()
    blocker = cuda.allocate(free - _GRAPH // 2)
    code = graph.launch()
    cuda.release(blocker)
    again = graph.launch()
    taken = free - cuda.free_memory()
    graph.destroy()
    return {"code": code, "again": again, "taken": taken, "after": cuda.free_memory(), "free": free, "size": _GRAPH}
