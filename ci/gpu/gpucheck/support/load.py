"""Plays a workload for a while and tells at which rate, by the host's clock and by the card's."""

from __future__ import annotations

import time
from collections import deque
from ctypes import byref, c_float, c_uint, c_void_p
from pathlib import Path
from typing import Any, Deque, Dict, List, Tuple

from . import settings
from .cuda import Cuda
from .workloads import Workload, Workloads

_AHEAD = 4
"""Units that a workload that does not wait keeps ahead."""

Answer = Dict[str, Any]


class Player:
    """Plays workloads in one context."""

    def __init__(self, cuda: Cuda) -> None:
        self._cuda = cuda
        self._workloads = Workloads(cuda)
        self._made: Dict[str, Workload] = {}
        self._events = [self._event() for _ in range(_AHEAD + 2)]
        self.ends: List[float] = []

    def prepare(self, name: str) -> None:
        """Makes a workload and launches it once, which loads its code."""
        if name not in self._made:
            self._made[name] = self._workloads.make(name)
        self._made[name].unit()
        self._cuda.synchronize()

    def play(self, name: str, warm_up: float, seconds: float) -> Answer:
        """Plays it for a while that counts for nothing, and then for one that counts."""
        self.prepare(name)
        workload = self._made[name]
        repeat = self._one_by_one if workload.waits else self._ahead
        repeat(workload, warm_up)
        *_, begin, end = self._events
        busy, before, self.ends = self._busy(), waited(), []
        self._record(begin)
        start = time.monotonic()
        units, fed = repeat(workload, settings.span(seconds))
        self._record(end)
        self._cuda.synchronize()
        passed = time.monotonic() - start
        device = self._between(begin, end)
        return {
            "units": units,
            "seconds": passed,
            "device_seconds": device,
            "fed_seconds": fed if workload.waits else device,
            "kernel_seconds": units * workload.simulated_us / 1e6 if settings.simulated() else self._busy() - busy,
            "starved": (waited() - before) / passed,
            "apart": [round(1e3 * (later - one), 3) for one, later in zip(self.ends, self.ends[1:])],
        }

    def requests(self, name: str, lead: float, pause: float, seconds: float) -> Answer:
        """Does one unit after a pause, again and again, and tells how long each took, in milliseconds."""
        self.prepare(name)
        workload, took = self._made[name], []
        time.sleep(lead)
        begin, before = time.monotonic(), waited()
        while time.monotonic() < begin + settings.span(seconds):
            time.sleep(pause)
            start = time.monotonic()
            workload.unit()
            self._cuda.call("cuStreamSynchronize", self._workloads.stream)
            took.append(1e3 * (time.monotonic() - start))
        return {"milliseconds": took, "starved": (waited() - before) / (time.monotonic() - begin)}

    def _ahead(self, workload: Workload, seconds: float) -> Tuple[int, float]:
        """Keeps the card supplied until the time is over, and waits for the end; how many units (`ends` has when)."""
        units, free = 0, deque(self._events[:_AHEAD])
        under_way: Deque[c_void_p] = deque()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not free:
                free.append(under_way.popleft())
                self._cuda.call("cuEventSynchronize", free[0])
                self.ends.append(time.monotonic())
            workload.bring()
            workload.unit()
            units += 1
            under_way.append(free.popleft())
            self._record(under_way[-1])
        self._cuda.synchronize()
        return units, 0.0

    def _one_by_one(self, workload: Workload, seconds: float) -> Tuple[int, float]:
        """Waits for each unit; how many, and for how long the card had one of them."""
        units, fed, (before, after) = 0, 0.0, self._events[:2]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            workload.bring()
            self._record(before)
            workload.unit()
            self._record(after)
            self._cuda.call("cuStreamSynchronize", self._workloads.stream)
            units, fed = units + 1, fed + self._between(before, after)
        return units, fed

    def _busy(self) -> float:
        """For how many seconds kernels have run, as they say themselves."""
        return self._workloads.kernels.clock.nanoseconds() / 1e9

    def _event(self) -> c_void_p:
        event = c_void_p()
        self._cuda.call("cuEventCreate", byref(event), c_uint(0))
        return event

    def _record(self, event: c_void_p) -> None:
        self._cuda.call("cuEventRecord", event, self._workloads.stream)

    def _between(self, begin: c_void_p, end: c_void_p) -> float:
        milliseconds = c_float()
        self._cuda.call("cuEventElapsedTime", byref(milliseconds), begin, end)
        return milliseconds.value / 1e3


def waited() -> float:
    """For how many seconds the threads of this process have waited for a processor, as far as this kernel tells."""
    seconds = 0.0
    for path in Path("/proc/self/task").glob("*/schedstat"):
        try:
            seconds += int(path.read_text(encoding="utf-8").split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            continue  # A thread that has just ended, or a kernel that does not count.
    return seconds
