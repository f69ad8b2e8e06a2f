/* What these programs use of NVML, found as its clients find it. */
#ifndef NVML_H
#define NVML_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned int u32;
typedef unsigned long long u64;
typedef void *Device;

/* The function `name` of NVML; NULL when this branch has none. */
static inline void *nvml_if_there(const char *name)
{
    static void *library;

    if (library == NULL)
        library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    return library == NULL ? NULL : dlsym(library, name);
}

/* The function `name` of NVML, which must be there. */
static inline void *nvml(const char *name)
{
    void *function = nvml_if_there(name);

    if (function == NULL) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        exit(2);
    }
    return function;
}

/* Initialises NVML, which must succeed; the device `index`. */
static inline Device device(u32 index)
{
    Device device = NULL;
    int (*init)(void) = nvml("nvmlInit_v2");
    int (*handle)(u32, Device *) = nvml("nvmlDeviceGetHandleByIndex_v2");

    if (init() != 0 || handle(index, &device) != 0)
        exit(2);
    return device;
}

#endif
