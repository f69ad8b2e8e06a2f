"""NVML by ctypes, as far as the checks need it."""

import ctypes
from ctypes import Structure, byref, c_uint, c_ulonglong, c_void_p, create_string_buffer, sizeof

NOT_FOUND = 6
INSUFFICIENT_SIZE = 7


class Memory(Structure):
    _fields_ = [("total", c_ulonglong), ("free", c_ulonglong), ("used", c_ulonglong)]


class MemoryV2(Structure):
    _fields_ = [("version", c_uint)] + [(name, c_ulonglong) for name in ("total", "reserved", "free", "used")]


class Process(Structure):
    _fields_ = [("pid", c_uint), ("used", c_ulonglong), ("gpu_instance", c_uint), ("compute_instance", c_uint)]


class ProcessSample(Structure):
    _fields_ = [("pid", c_uint), ("microseconds", c_ulonglong)]
    _fields_ += [(name, c_uint) for name in ("sm", "memory", "encoder", "decoder")]


class Sample(Structure):
    _fields_ = [("microseconds", c_ulonglong), ("value", c_ulonglong)]


class Nvml:
    """NVML, initialised, with the handle of the first device."""

    def __init__(self):
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        self.call("nvmlInit_v2")
        self.device = c_void_p()
        self.call("nvmlDeviceGetHandleByIndex_v2", c_uint(0), byref(self.device))

    def code(self, name, *arguments):
        """Calls a function and returns its code, None where the driver has no such function."""
        function = getattr(self.library, name, None)
        return None if function is None else function(*arguments)

    def call(self, name, *arguments):
        code = self.code(name, *arguments)
        if code != 0:
            raise RuntimeError(f"{name} returned {code}")

    def text(self, name, *device):
        """What a function writes into a buffer."""
        buffer = create_string_buffer(96)
        self.call(name, *device, buffer, c_uint(len(buffer)))
        return buffer.value.decode()

    def memory(self):
        memory = Memory()
        self.call("nvmlDeviceGetMemoryInfo", self.device, byref(memory))
        return memory

    def memory_v2(self):
        memory = MemoryV2(version=sizeof(MemoryV2) | 2 << 24)
        self.call("nvmlDeviceGetMemoryInfo_v2", self.device, byref(memory))
        return memory

    def processes(self):
        """The processes that compute on the device."""
        count, list_ = c_uint(64), (Process * 64)()
        self.call("nvmlDeviceGetComputeRunningProcesses_v3", self.device, byref(count), list_)
        return list_[: count.value]

    def process_samples(self, since):
        """Utilisation of each process since a time in microseconds; None when NVML has none."""
        count = c_uint(0)
        code = self.code("nvmlDeviceGetProcessUtilization", self.device, None, byref(count), c_ulonglong(since))
        if code != INSUFFICIENT_SIZE:
            return None
        list_ = (ProcessSample * count.value)()
        code = self.code("nvmlDeviceGetProcessUtilization", self.device, list_, byref(count), c_ulonglong(since))
        return list_[: count.value] if code == 0 else None

    def gpu_samples(self):
        """The device's utilisation samples that NVML keeps; None when it has none."""
        kind, gpu_utilisation, count = c_uint(), c_uint(1), c_uint(0)
        arguments = (self.device, gpu_utilisation, c_ulonglong(0), byref(kind), byref(count))
        if self.code("nvmlDeviceGetSamples", *arguments, None) != 0 or count.value == 0:
            return None
        list_ = (Sample * count.value)()
        code = self.code("nvmlDeviceGetSamples", *arguments, list_)
        return list_[: count.value] if code == 0 else None
