/* stack KIB: the first calls of the driver and of NVML, on a thread with so small a stack. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "cuda.h"

static void nvml(const char *name, CUresult (*call)(unsigned long long *memory))
{
    static unsigned long long memory[3];

    printf("%s: %d\n", name, call(memory));
}

static CUresult memory_of_first(unsigned long long *memory)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW), *device = NULL;
    CUresult (*start)(void) = (CUresult(*)(void))dlsym(library, "nvmlInit_v2");
    CUresult (*handle)(unsigned int, void **) = (CUresult(*)(unsigned int, void **))dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    CUresult (*info)(void *, void *) = (CUresult(*)(void *, void *))dlsym(library, "nvmlDeviceGetMemoryInfo");
    CUresult started = start();

    if (started == 0)
        started = handle(0, &device);
    return started == 0 ? info(device, memory) : started;
}

static void *call_all(void *unused)
{
    CUcontext context;
    CUdeviceptr address;

    printf("cuInit: %d\n", cuInit(0));
    printf("cuCtxCreate: %d\n", cuCtxCreate_v2(&context, 0, 0));
    printf("cuMemAlloc: %d\n", cuMemAlloc_v2(&address, MIB));
    nvml("nvmlDeviceGetMemoryInfo", memory_of_first);
    fflush(stdout);
    return unused;
}

int main(int count, char **arguments)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    if (count != 2 || pthread_attr_setstacksize(&attributes, (size_t)atoi(arguments[1]) * 1024) != 0)
        return 2;
    /* printf takes stack when it first writes; what is tested is what the driver's calls take. */
    printf("stack: %s KiB\n", arguments[1]);
    if (pthread_create(&thread, &attributes, call_all, NULL) != 0)
        return 3;
    pthread_join(thread, NULL);
    return 0;
}
