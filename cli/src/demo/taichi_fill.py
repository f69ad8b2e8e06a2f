"""Asks taichi for memory, and runs a kernel in it."""

import sys

import taichi

MIB = 1 << 20
wanted = int(sys.argv[1]) * MIB
taichi.init(arch=taichi.cuda, log_level=taichi.ERROR, device_memory_GB=0.25)


@taichi.kernel
def touch(array: taichi.types.ndarray()):
    for place in array:
        array[place] = 1


small = taichi.ndarray(taichi.u8, 256)
touch(small)
taichi.sync()
print("a kernel was compiled and has run")
try:
    taichi.ndarray(taichi.u64, wanted // 8)
    print(f"allocated {wanted // MIB:,} MiB")
except RuntimeError as error:
    if "OUT_OF_MEMORY" not in str(error).upper().replace(" ", "_"):
        raise
    print(f"{wanted // MIB:,} MiB are refused with CUDA_ERROR_OUT_OF_MEMORY")
