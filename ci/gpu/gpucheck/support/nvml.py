"""NVML, as far as the checks need it."""

from __future__ import annotations

import ctypes
from ctypes import Structure, byref, c_uint, c_ulonglong, c_void_p, create_string_buffer, sizeof
from typing import Any, List, Optional

from .errors import CallFailed
from .library import Library

NOT_SUPPORTED = 3
INSUFFICIENT_SIZE = 7
UNKNOWN = 999

UNAVAILABLE = 2**64 - 1
"""What NVML says where it does not know how much a process uses."""

PROCESS_VERSIONS = ["", "_v2", "_v3"]
"""Suffixes of the call that lists processes, oldest first."""

_PROCESSES = "nvmlDeviceGetComputeRunningProcesses"
_GPU_UTILIZATION_SAMPLES = 1


class Memory(Structure):
    """`nvmlMemory_t`, in bytes."""

    _fields_ = [("total", c_ulonglong), ("free", c_ulonglong), ("used", c_ulonglong)]


class MemoryV2(Structure):
    """`nvmlMemory_v2_t`, in bytes."""

    _fields_ = [("version", c_uint)] + [(name, c_ulonglong) for name in ("total", "reserved", "free", "used")]


class ProcessV1(Structure):
    """`nvmlProcessInfo_v1_t`."""

    _fields_ = [("pid", c_uint), ("used", c_ulonglong)]


class Process(Structure):
    """`nvmlProcessInfo_v2_t`, which version 3 of the call fills too."""

    _fields_ = [("pid", c_uint), ("used", c_ulonglong), ("gpu_instance", c_uint), ("compute_instance", c_uint)]


class ProcessSample(Structure):
    """`nvmlProcessUtilizationSample_t`; `sm` in percent."""

    _fields_ = [("pid", c_uint), ("microseconds", c_ulonglong)]
    _fields_ += [(name, c_uint) for name in ("sm", "memory", "encoder", "decoder")]


class Sample(Structure):
    """`nvmlSample_t`, of a whole device."""

    _fields_ = [("microseconds", c_ulonglong), ("value", c_ulonglong)]


class Nvml(Library):
    """NVML, initialised."""

    def __init__(self, uuid: Optional[str] = None) -> None:
        """With the handle of the device with this UUID, if there is one: CUDA's order of devices is another one."""
        super().__init__("libnvidia-ml.so.1", NOT_SUPPORTED)
        self.call("nvmlInit_v2")
        self.device = c_void_p()
        if uuid is not None:
            self.call("nvmlDeviceGetHandleByUUID", ctypes.c_char_p(uuid.encode()), byref(self.device))

    def text(self, name: str, *device: Any) -> str:
        """What a function writes into a buffer."""
        buffer = create_string_buffer(96)
        self.call(name, *device, buffer, c_uint(len(buffer)))
        return buffer.value.decode(errors="replace")

    def number(self, name: str) -> int:
        """What a function of the device writes as an unsigned number."""
        value = c_uint()
        self.call(name, self.device, byref(value))
        return value.value

    def memory(self) -> Memory:
        """The device's memory, as the first version of the call says."""
        memory = Memory()
        self.call("nvmlDeviceGetMemoryInfo", self.device, byref(memory))
        return memory

    def memory_v2(self) -> MemoryV2:
        """The device's memory, as the second version says."""
        memory = MemoryV2(version=sizeof(MemoryV2) | 2 << 24)
        self.call("nvmlDeviceGetMemoryInfo_v2", self.device, byref(memory))
        return memory

    def has_memory_v2(self) -> bool:
        """Whether the driver is new enough for `memory_v2`."""
        return self.has("nvmlDeviceGetMemoryInfo_v2")

    def processes(self, version: str) -> List[Any]:
        """The processes that compute on the device, from the call with this suffix."""
        count, entries = c_uint(256), ((ProcessV1 if version == "" else Process) * 256)()
        self.call(f"{_PROCESSES}{version}", self.device, byref(count), entries)
        return list(entries[: count.value])

    def latest_processes(self) -> List[Any]:
        """The same from the newest call that the driver has."""
        versions = [version for version in PROCESS_VERSIONS if self.has(f"{_PROCESSES}{version}")]
        return self.processes(versions[-1])

    def used_by(self, pid: int) -> Optional[int]:
        """What a process uses; None where NVML does not list it under that number, or does not know."""
        try:
            listed = self.latest_processes()
        except CallFailed:
            return None  # As in a MIG instance, or where this user may not know.
        for process in listed:
            if process.pid == pid and process.used != UNAVAILABLE:
                return int(process.used)
        return None

    def process_samples(self, since: int) -> List[Any]:
        """Utilisation of each process since a time in microseconds."""
        count = c_uint(0)
        arguments = (byref(count), c_ulonglong(since))
        code = self.code("nvmlDeviceGetProcessUtilization", self.device, None, *arguments)
        if code != INSUFFICIENT_SIZE:
            return []
        entries = (ProcessSample * count.value)()
        code = self.code("nvmlDeviceGetProcessUtilization", self.device, entries, *arguments)
        return list(entries[: count.value]) if code == 0 else []

    def device_samples(self) -> List[Any]:
        """The samples of the device's utilisation that NVML keeps; none where it takes none."""
        kind, count = c_uint(), c_uint(0)
        arguments = (self.device, c_uint(_GPU_UTILIZATION_SAMPLES), c_ulonglong(0), byref(kind), byref(count))
        if self.code("nvmlDeviceGetSamples", *arguments, None) != 0:
            return []
        entries = (Sample * count.value)()
        code = self.code("nvmlDeviceGetSamples", *arguments, entries)
        return list(entries[: count.value]) if code == 0 else []
