"""Prints what NVIDIA's own Python client says of each GPU, one line a fact."""

import pynvml

MIB = 1 << 20

pynvml.nvmlInit()
for index in range(pynvml.nvmlDeviceGetCount()):
    gpu = pynvml.nvmlDeviceGetHandleByIndex(index)
    uuid = pynvml.nvmlDeviceGetUUID(gpu)
    memory = pynvml.nvmlDeviceGetMemoryInfo(gpu, version=pynvml.nvmlMemory_v2)
    load = pynvml.nvmlDeviceGetUtilizationRates(gpu)
    again = pynvml.nvmlDeviceGetHandleByUUID(uuid)
    print(pynvml.nvmlDeviceGetName(gpu), uuid, pynvml.nvmlDeviceGetPciInfo(gpu).busId)
    print(memory.total // MIB, memory.reserved // MIB, memory.used // MIB, load.gpu, load.memory)
    for process in pynvml.nvmlDeviceGetComputeRunningProcesses(again):
        print(process.pid, process.usedGpuMemory // MIB)
    for unsupported in (pynvml.nvmlDeviceGetFanSpeed, pynvml.nvmlDeviceGetTotalEnergyConsumption):
        try:
            print(unsupported(gpu))
        except pynvml.NVMLError_NotSupported as error:
            print(error)
pynvml.nvmlShutdown()
