"""Utilisation as NVML samples it: how often, how many, how late."""

import os
import time
from statistics import median

from driver import Driver
from kernels import Spin
from nvml import Nvml
from report import fact, skip

driver, nvml = Driver(), Nvml()
spin = Spin(driver, 50)
start = time.time()
reads, seen = [], {}
while time.time() - start < 3:
    for _ in range(4):
        spin.launch()
    driver.synchronize()
    for sample in nvml.process_samples(0) or []:
        if sample.pid == os.getpid() and sample.microseconds > start * 1e6:
            seen.setdefault(sample.microseconds, (sample.sm, time.time() - sample.microseconds / 1e6))
    reads.append(len(nvml.process_samples(0) or []))

times = sorted(seen)
if len(times) > 1:
    fact("new process samples in 3 busy seconds", len(times))
    fact("time between process samples", f"{median(b - a for a, b in zip(times, times[1:])) / 1e3:.0f} ms")
    fact("SM utilisation they report", f"{median(sm for sm, _ in seen.values())} %")
    fact("their age when first seen", f"{median(age for _, age in seen.values()) * 1e3:.0f} ms")
else:
    skip("process samples", "none under this process's own number (a container), or the card does not take them")
fact("process samples in one answer", max(reads, default=0))

samples = nvml.gpu_samples()
if samples and len(samples) > 1:
    gaps = [b.microseconds - a.microseconds for a, b in zip(samples, samples[1:])]
    fact("samples of the device that are kept", len(samples))
    fact("time between them", f"{median(gaps) / 1e3:.0f} ms")
else:
    skip("samples of the device", "nvmlDeviceGetSamples has none")
