/* The part of NVML that `vgpu run` asks, with two GPUs. $FAKE_LOST is the index of one that does not answer;
   with $FAKE_ABSENT there is no driver. */

#include <stdlib.h>
#include <string.h>

enum { OK = 0, NOT_SUPPORTED = 3, DRIVER_NOT_LOADED = 9, LOST = 15 };

struct memory { /* version 2 of the memory information */
    unsigned version;
    unsigned long long total, reserved, free, used;
};

static const char *const uuids[] = {
    "GPU-aa000000-0000-0000-0000-000000000001",
    "GPU-ab000000-0000-0000-0000-000000000002",
};

int nvmlInit_v2(void) { return getenv("FAKE_ABSENT") ? DRIVER_NOT_LOADED : OK; }
int nvmlShutdown(void) { return OK; }
const char *nvmlErrorString(int code) { (void)code; return "an error"; }

int nvmlSystemGetDriverVersion(char *text, unsigned length) {
    strncpy(text, "550.163.01", length);
    return OK;
}

int nvmlSystemGetCudaDriverVersion_v2(int *version) {
    *version = 12040;
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned *count) {
    *count = 2;
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
    const char *lost = getenv("FAKE_LOST");
    if (lost && (unsigned)atoi(lost) == index)
        return LOST;
    *device = (void *)&uuids[index];
    return OK;
}

int nvmlDeviceGetUUID(void *device, char *text, unsigned length) {
    strncpy(text, *(const char *const *)device, length);
    return OK;
}

int nvmlDeviceGetName(void *device, char *text, unsigned length) {
    (void)device;
    strncpy(text, "NVIDIA H100 80GB HBM3", length);
    return OK;
}

int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory *memory) {
    if (device == (void *)&uuids[1])
        return NOT_SUPPORTED;
    memory->total = 81559ull << 20;
    return OK;
}
