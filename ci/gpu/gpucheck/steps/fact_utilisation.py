"""Utilisation as NVML samples it: how often, how many, how late."""

from __future__ import annotations

import os
import time
from statistics import median
from typing import Dict, Tuple

from gpucheck.support.cuda import Cuda
from gpucheck.support.kernels import Spin
from gpucheck.support.nvml import Nvml
from gpucheck.support.report import fact, skip, subject
from gpucheck.support.room import need
from gpucheck.support.units import MIB

_SECONDS = 3.0


def run() -> None:
    """Keeps one thread of the card busy, which counts as a busy card, and looks."""
    need(64 * MIB)
    cuda = Cuda.with_context()
    nvml = Nvml(cuda.uuid())
    with subject("process samples"):
        _processes(cuda, nvml)
    with subject("samples of the device"):
        samples = nvml.device_samples()
        gaps = [later.microseconds - earlier.microseconds for earlier, later in zip(samples, samples[1:])]
        fact("samples of the device that are kept", len(samples), how="nvmlDeviceGetSamples, utilisation")
        if gaps:
            fact("time between them", round(median(gaps) / 1e3), "ms", "median")


def _processes(cuda: Cuda, nvml: Nvml) -> None:
    """Every new sample of this process: its time, what it says, how old it was when first seen."""
    spin, start = Spin(cuda, 50), time.time()
    seen: Dict[int, Tuple[int, float]] = {}
    most = 0
    while time.time() - start < _SECONDS:
        for _ in range(2):
            spin.launch()
        cuda.synchronize()
        samples = nvml.process_samples(0)
        most = max(most, len(samples))
        for sample in samples:
            if sample.pid == os.getpid() and sample.microseconds > start * 1e6:
                seen.setdefault(sample.microseconds, (sample.sm, time.time() - sample.microseconds / 1e6))
    fact("process samples in one answer, at most", most, how="nvmlDeviceGetProcessUtilization since 0")
    times = sorted(seen)
    if len(times) < 2:
        skip("process samples", "too few under this process's own number: in a container, or the card takes none")
        return
    fact("new process samples in 3 busy seconds", len(times))
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    fact("time between process samples", round(median(gaps) / 1e3), "ms", "median")
    fact("the utilisation they report", round(median(sm for sm, _ in seen.values())), "%", "median")
    fact("their age when first seen", round(median(age for _, age in seen.values()) * 1e3), "ms", "median")
