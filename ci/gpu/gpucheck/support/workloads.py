"""What programs do with a card, without any framework: each repeats one unit of work, always the same."""

from __future__ import annotations

import ctypes
import hashlib
from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Callable, Dict, List, NamedTuple

from . import settings
from .cuda import Cuda
from .timed_kernels import Kernels, Launch
from .units import MIB

_BATCH = 2 * MIB
_BLOCKS = 8
_LAYERS = 4


class Workload(NamedTuple):
    """A workload whose unit can be launched."""

    unit: Callable[[], None]
    """Launches one unit of work."""
    bring: Callable[[], None]
    """Starts the copies that it works on, which are nobody's GPU time."""
    waits: bool
    """Whether it waits for each unit, as a training loop does that reads its loss. Others keep some units ahead."""
    simulated_us: float
    """How long the kernels of a unit take together on the simulated card."""


class Workloads:
    """Makes workloads in one context and stream."""

    def __init__(self, cuda: Cuda) -> None:
        self._cuda = cuda
        self.stream = cuda.stream()
        self.kernels = Kernels(cuda)

    def make(self, name: str) -> Workload:
        """Prepares one of `NAMES`."""
        return _MAKERS[name](self)

    def matmul_chain(self) -> Workload:
        """Products of matrices, each of the one before."""
        return self._launching([*self.kernels.matmul(512, 500.0)] * 2, waits=False, simulated_us=2000.0)

    def small_kernels(self) -> Workload:
        """Kernels of 20 us, back to back; longer on the simulated card, which cannot be told about that many."""
        return self._launching([self.kernels.hold(20.0, 100.0)] * 40, waits=False, simulated_us=4000.0)

    def graph(self) -> Workload:
        """A graph of 16 kernels of 100 us, launched again and again."""
        holds = self._launching([self.kernels.hold(100.0)] * 16, waits=False, simulated_us=1600.0)
        executable = self._captured(holds.unit)
        return holds._replace(unit=lambda: self._cuda.call("cuGraphLaunch", executable, self.stream))

    def resnet_like(self) -> Workload:
        """A training step of an image network: a batch is copied, then layers of shrinking size forth and back, a step
        of the optimizer, and gradients set to zero."""
        sizes = [256] * _BLOCKS + [128] * _BLOCKS
        forward = [one for size in sizes for one in self._layer(size, 150.0)]
        launches = [*forward, *reversed(forward), *forward, self.kernels.blend(1 << 20, 50.0)]
        images, batch = ctypes.create_string_buffer(_BATCH), self._cuda.allocate(_BATCH)
        gradients = self._cuda.allocate(4 * MIB)
        step = self._launching(launches, waits=True, simulated_us=3 * len(sizes) * 170.0 + 50.0)

        def bring() -> None:
            arguments = (c_uint64(batch), byref(images), c_size_t(_BATCH), self.stream)
            self._cuda.call("cuMemcpyHtoDAsync_v2", *arguments)

        def unit() -> None:
            step.unit()
            self._cuda.call("cuMemsetD32Async", c_uint64(gradients), c_uint(0), c_size_t(MIB), self.stream)

        return step._replace(unit=unit, bring=bring)

    def transformer_like(self) -> Workload:
        """A training step of a transformer: some large products and more small kernels a layer, forth and back."""
        large, small = self.kernels.matmul(512, 500.0), self.kernels.blend(1 << 16, 20.0)
        layer = [*large, small, small, *large, small, small, small]
        return self._launching(layer * _LAYERS * 3, waits=True, simulated_us=3 * _LAYERS * (4 * 500.0 + 5 * 20.0))

    def milliseconds(self) -> Workload:
        """Kernels of 1 ms, back to back: the longest that others can be kept waiting for without notice."""
        return self._launching([self.kernels.hold(1000.0)] * 2, waits=False, simulated_us=2000.0)

    def request(self) -> Workload:
        """Ten kernels of 1 ms: what a program does that is asked something."""
        return self._launching([self.kernels.hold(1000.0)] * 10, waits=True, simulated_us=10_000.0)

    def _layer(self, rows: int, simulated_us: float) -> List[Launch]:
        return [self.kernels.matmul(rows, simulated_us)[0], self.kernels.blend(rows * rows, 20.0)]

    def _launching(self, launches: List[Launch], waits: bool, simulated_us: float) -> Workload:
        def unit() -> None:
            for launch in launches:
                launch(self.stream)

        return Workload(unit, lambda: None, waits, simulated_us)

    def _captured(self, act: Callable[[], None]) -> c_void_p:
        graph, executable = c_void_p(), c_void_p()
        relaxed = c_int(2)
        self._cuda.call("cuStreamBeginCapture_v2", self.stream, relaxed)
        act()
        self._cuda.call("cuStreamEndCapture", self.stream, byref(graph))
        if self._cuda.has("cuGraphInstantiateWithFlags"):
            self._cuda.call("cuGraphInstantiateWithFlags", byref(executable), graph, c_uint64(0))
        else:
            self._cuda.call("cuGraphInstantiate_v2", byref(executable), graph, None, None, c_size_t(0))
        return executable


_MAKERS: Dict[str, Callable[[Workloads], Workload]] = {
    "matmul chain": Workloads.matmul_chain,
    "small kernels": Workloads.small_kernels,
    "graphs": Workloads.graph,
    "ResNet-like step": Workloads.resnet_like,
    "transformer-like step": Workloads.transformer_like,
    "kernels of 1 ms": Workloads.milliseconds,
    "request": Workloads.request,
}

NAMES = list(_MAKERS)
"""What there is to be made."""


def digest_of_products(cuda: Cuda) -> str:
    """What a chain of products leaves in memory, for a comparison bit by bit."""
    workloads = Workloads(cuda)
    rows, forth_and_back = 128, 8
    for launch in [*workloads.kernels.matmul(rows, 10.0)] * forth_and_back:
        launch(workloads.stream)
    cuda.synchronize()
    return "not computed" if settings.simulated() else hashlib.sha256(workloads.kernels.matrix(rows)).hexdigest()
