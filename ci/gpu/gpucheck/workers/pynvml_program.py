"""What nvidia-ml-py, which most monitors of Python are made with, says of the first device."""

from __future__ import annotations

import importlib
from typing import Any, Dict, Sequence

from gpucheck.support import channel


def run(arguments: Sequence[str]) -> None:
    """Sends what it found of the device with the UUID that is given."""
    pynvml: Any = importlib.import_module("pynvml")
    pynvml.nvmlInit()
    # Drivers and versions of the package differ in whether they want bytes.
    device = pynvml.nvmlDeviceGetHandleByUUID(arguments[0].encode())
    memory = pynvml.nvmlDeviceGetMemoryInfo(device)
    answer: Dict[str, Any] = {"total": int(memory.total), "used": int(memory.used), "free": int(memory.free)}
    processes = pynvml.nvmlDeviceGetComputeRunningProcesses(device)
    answer["processes"] = [[process.pid, process.usedGpuMemory] for process in processes]
    pynvml.nvmlShutdown()
    channel.send(answer)
