/* A driver from before cuGetProcAddress, which has a few entry points and passes them on to a simulated one. With -DNEWER it
   has a function that nobody knows. */
#include <dlfcn.h>

typedef int function(unsigned long, unsigned long, unsigned long);

static function *find(const char *name)
{
    return (function *)dlsym(dlopen("libsimulated.so", RTLD_NOW), name);
}

#define FORWARD(name)                                                                                                  \
    int name(unsigned long first, unsigned long second, unsigned long third)                                           \
    {                                                                                                                  \
        return find(#name)(first, second, third);                                                                      \
    }

FORWARD(cuInit)
FORWARD(cuDriverGetVersion)
FORWARD(cuDeviceGet)
FORWARD(cuDeviceGetCount)
FORWARD(cuDeviceGetUuid)
FORWARD(cuDeviceTotalMem_v2)
FORWARD(cuCtxCreate_v2)
FORWARD(cuCtxDestroy_v2)
FORWARD(cuCtxGetCurrent)
FORWARD(cuCtxGetDevice)
FORWARD(cuMemAlloc_v2)
FORWARD(cuMemFree_v2)
FORWARD(cuMemGetInfo_v2)

#ifdef NEWER
int cuMemAllocSooner(unsigned long address, unsigned long bytes)
{
    return find("cuMemAlloc_v2")(address, bytes, 0);
}
#endif
