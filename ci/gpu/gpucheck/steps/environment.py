"""Which card and which driver: what every other result belongs to. Nothing that identifies the machine."""

from __future__ import annotations

import time
from ctypes import byref, c_int, c_uint

from gpucheck.support.cuda import Cuda
from gpucheck.support.nvml import Nvml
from gpucheck.support.report import fact, fail, optional, promise

_ATTRIBUTES = [
    # Numbers of CUdevice_attribute.
    ("multiprocessors", 16),
    ("threads a multiprocessor", 39),
    ("compute capability, major", 75),
    ("compute capability, minor", 76),
    ("concurrent managed access", 89),
    ("virtual memory management", 102),
    ("memory pools", 115),
]

_COMPUTE_MODE, _EXCLUSIVE = 20, 3  # CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_EXCLUSIVE_PROCESS

_MODES = [
    ("compute mode (0 is shared)", "nvmlDeviceGetComputeMode"),
    ("persistence mode", "nvmlDeviceGetPersistenceMode"),
]


def run() -> None:
    """Asks NVML first, as it answers where CUDA cannot start."""
    nvml = Nvml()
    fact("driver", nvml.text("nvmlSystemGetDriverVersion"))
    version = c_int()
    nvml.call("nvmlSystemGetCudaDriverVersion", byref(version))
    fact("CUDA version of the driver", f"{version.value // 1000}.{version.value % 1000 // 10}")
    start = time.monotonic()
    cuda = Cuda()
    fact("starting CUDA takes", round(1e3 * (time.monotonic() - start)), "ms", "cuInit, with NVML in use")
    fact("devices that CUDA sees", cuda.count())
    _card(cuda, Nvml(cuda.uuid()))
    _usable(cuda)


def _card(cuda: Cuda, nvml: Nvml) -> None:
    """The first one in CUDA's order: the one that every step uses."""
    fact("card", nvml.text("nvmlDeviceGetName", nvml.device))
    fact("size of the device", cuda.total(), "bytes", "cuDeviceTotalMem")
    with optional("its memory"):
        memory = nvml.memory()
        fact("its memory", memory.total, "bytes", "NVML, version 1 of the call")
        fact("free of it", memory.free, "bytes", "NVML, version 1 of the call")
        promise("cuDeviceTotalMem is no more than NVML's total", cuda.total() <= memory.total, "")
    others = "other processes that compute on it"
    with optional(others):
        fact(others, len(nvml.latest_processes()), how="NVML's list, before any context of ours")
    for name, number in _ATTRIBUTES:
        with optional(name):
            fact(name, cuda.attribute(number))
    for name, call in _MODES:
        with optional(name):
            fact(name, nvml.number(call))
    with optional("MIG mode"):
        current, pending = c_uint(), c_uint()
        nvml.call("nvmlDeviceGetMigMode", nvml.device, byref(current), byref(pending))
        fact("MIG mode", current.value)


def _usable(cuda: Cuda) -> None:
    """Whether several programs may use the card at once, as they do in almost every step."""
    mode = cuda.attribute(_COMPUTE_MODE)
    if mode != 0:
        what = "is for one program at a time" if mode == _EXCLUSIVE else "takes no programs"
        fail("the card is shared", f"compute mode {mode}: it {what}; choose another card by CUDA_VISIBLE_DEVICES")
