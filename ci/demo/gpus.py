"""Lists the GPUs as any monitoring tool sees them: through the official Python client of NVML."""

import pynvml

MIB = 1 << 20

pynvml.nvmlInit()
for index in range(pynvml.nvmlDeviceGetCount()):
    gpu = pynvml.nvmlDeviceGetHandleByIndex(index)
    memory = pynvml.nvmlDeviceGetMemoryInfo(gpu)
    print(f"GPU {index}: {pynvml.nvmlDeviceGetName(gpu)}, {memory.total // MIB:,} MiB")
