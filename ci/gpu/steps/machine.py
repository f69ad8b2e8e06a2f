"""Which card, which driver, which system: what the other results belong to."""

import glob
import os
import platform
from ctypes import byref, c_int

from driver import SIMULATED
from nvml import Nvml
from report import fact, mib, skip

nvml = Nvml()
fact("card", nvml.text("nvmlDeviceGetName", nvml.device))
fact("driver", nvml.text("nvmlSystemGetDriverVersion"))
version = c_int()
nvml.call("nvmlSystemGetCudaDriverVersion", byref(version))
fact("CUDA version of the driver", f"{version.value // 1000}.{version.value % 1000 // 10}")
fact("system", f"{platform.machine()}, {platform.release()}, {' '.join(platform.libc_ver())}")
fact("Python", platform.python_version())

v1, v2 = nvml.memory(), nvml.memory_v2()
fact("NVML memory v1", f"total {mib(v1.total)}, used {mib(v1.used)}, free {mib(v1.free)}")
fact(
    "NVML memory v2",
    f"total {mib(v2.total)}, reserved {mib(v2.reserved)}, used {mib(v2.used)}, free {mib(v2.free)}",
)
fact("v1 used minus v2 used", mib(v1.used - v2.used))
fact("v2 used includes reserved", v2.used + v2.free == v2.total)

major = int(nvml.text("nvmlSystemGetDriverVersion").split(".")[0])
limits = glob.glob("/sys/fs/cgroup/**/dmem.max", recursive=True)
if SIMULATED or major < 615:
    skip("per-cgroup memory limit of the driver", "a driver of branch 615 or later has it")
elif not limits:
    skip("per-cgroup memory limit of the driver", "no dmem controller in this container's cgroup")
else:
    fact("per-cgroup memory limit of the driver", open(limits[0]).read().strip().replace("\n", "; "))
fact("processor count", os.cpu_count())
