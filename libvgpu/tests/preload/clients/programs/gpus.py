"""nvidia-ml-py: total and used memory of the first GPU, and its processes, in MiB."""

import pynvml

pynvml.nvmlInit()
gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
memory = pynvml.nvmlDeviceGetMemoryInfo(gpu)
second = pynvml.nvmlDeviceGetMemoryInfo(gpu, version=pynvml.nvmlMemory_v2)
assert memory.total == second.total, (memory, second)
print("memory", second.total >> 20, second.used >> 20)
for process in sorted(pynvml.nvmlDeviceGetComputeRunningProcesses(gpu), key=lambda process: process.pid):
    print("process", process.pid, process.usedGpuMemory >> 20)
pynvml.nvmlShutdown()
