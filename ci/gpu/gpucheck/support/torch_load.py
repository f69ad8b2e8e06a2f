"""Steps of PyTorch programs, played for a while as `load.Player` plays those without a framework."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, NamedTuple

from .load import Answer, waited

_BATCH, _TOKENS, _WIDTH = 32, 128, 512


class _Step(NamedTuple):
    run: Callable[[], Any]
    bring: Callable[[], Any]
    """Copies what it works on."""


class TorchPlayer:
    """Plays steps of programs on the first device."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._made: Dict[str, _Step] = {}

    def prepare(self, name: str) -> None:
        """Makes a step and takes some, after which code is loaded and the allocator has what it needs."""
        if name not in self._made:
            self._torch.manual_seed(7)
            self._made[name] = STEPS[name](self._torch)
            for _ in range(3):
                self._made[name].run()
        self._torch.cuda.synchronize()

    def play(self, name: str, warm_up: float, seconds: float) -> Answer:
        """Takes steps for a while that counts for nothing, and then for one that counts."""
        self.prepare(name)
        self._repeat(self._made[name], warm_up)
        begin, end, before = self._event(), self._event(), waited()
        begin.record()
        start = time.monotonic()
        units, fed = self._repeat(self._made[name], seconds)
        end.record()
        self._torch.cuda.synchronize()
        passed = time.monotonic() - start
        return {
            "units": units,
            "seconds": passed,
            "device_seconds": begin.elapsed_time(end) / 1e3,
            "fed_seconds": fed,
            "kernel_seconds": None,
            "starved": (waited() - before) / passed,
        }

    def _repeat(self, step: _Step, seconds: float) -> Any:
        units, fed, before, after = 0, 0.0, self._event(), self._event()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            step.bring()
            before.record()
            step.run()
            after.record()
            after.synchronize()
            units, fed = units + 1, fed + before.elapsed_time(after) / 1e3
        return units, fed

    def _event(self) -> Any:
        return self._torch.cuda.Event(enable_timing=True)


def _nothing() -> None:
    pass


def _products(torch: Any) -> _Step:
    factor = torch.randn(2048, 2048, device="cuda", dtype=torch.float16) / 45.0

    def run() -> None:
        value = factor
        for _ in range(8):
            value = value @ factor

    return _Step(run, _nothing)


def _training(torch: Any, model: Any, inputs: Any, loss: Callable[[Any], Any]) -> _Step:
    model = model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    there = inputs.cuda()

    def run() -> None:
        optimizer.zero_grad(set_to_none=False)
        loss(model(there)).backward()
        optimizer.step()

    return _Step(run, lambda: there.copy_(inputs, non_blocking=True))


def _resnet_like(torch: Any) -> _Step:
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        """Two convolutions, and past them what came in."""

        def __init__(self, width: int) -> None:
            super().__init__()
            layer = [nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)]
            again = [nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)]
            self.inside = nn.Sequential(*layer, nn.ReLU(), *again)

        def forward(self, x: Any) -> Any:
            """The sum of both ways."""
            return torch.relu(x + self.inside(x))

    layers = [nn.Conv2d(3, 64, 7, stride=2, padding=3), Block(64), Block(64), nn.Conv2d(64, 128, 3, stride=2)]
    model = nn.Sequential(*layers, Block(128), Block(128), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))
    return _training(torch, model, torch.randn(_BATCH, 3, 96, 96), lambda scores: scores.logsumexp(1).mean())


def _transformer(torch: Any) -> Any:
    layer = torch.nn.TransformerEncoderLayer(_WIDTH, 8, 4 * _WIDTH, dropout=0.0, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 4)


def _transformer_like(torch: Any) -> _Step:
    inputs = torch.randn(_BATCH // 2, _TOKENS, _WIDTH)
    return _training(torch, _transformer(torch), inputs, lambda states: states.square().mean())


def _graph(torch: Any) -> _Step:
    """The transformer forth only, captured once and launched as one."""
    model = _transformer(torch).cuda().train()
    inputs = torch.randn(4, _TOKENS, _WIDTH, device="cuda")
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.no_grad():
        with torch.cuda.stream(stream):
            for _ in range(3):
                model(inputs)
        torch.cuda.current_stream().wait_stream(stream)
        with torch.cuda.graph(graph):
            model(inputs)
    return _Step(graph.replay, _nothing)


STEPS: Dict[str, Callable[[Any], _Step]] = {
    "ResNet-like step": _resnet_like,
    "transformer-like step": _transformer_like,
    "CUDA graph of a transformer": _graph,
    "matmul chain": _products,
}
"""Everything that can be played."""
