/* A driver of a few entry points, enough for lookups. With -DOLD it is one from before cuGetProcAddress, with
   -DOLDEST one that can only start. */
#include <stddef.h>
#include <string.h>

int cuInit(unsigned int flags)
{
    return flags == 0 ? 0 : 1;
}

int cuDriverGetVersion(int *version)
{
    *version = 11000;
    return 0;
}

#ifndef OLDEST
int cuMemAlloc_v2(unsigned long long *address, size_t bytes)
{
    *address = 0x7000000000 + bytes;
    return 0;
}

int cuMemFree_v2(unsigned long long address)
{
    return address == 0 ? 1 : 0;
}

int cuMemGetInfo_v2(size_t *available, size_t *total)
{
    *available = 1;
    *total = 2;
    return 0;
}

int cuCtxGetCurrent(void **context)
{
    *context = NULL;
    return 0;
}

#endif

#if !defined(OLD) && !defined(OLDEST)
int cuGetProcAddress(const char *symbol, void **function, int version, unsigned long long flags)
{
    (void)version;
    (void)flags;
    if (strcmp(symbol, "cuInit") == 0)
        *function = (void *)cuInit;
    else if (strcmp(symbol, "cuDriverGetVersion") == 0)
        *function = (void *)cuDriverGetVersion;
    else if (strcmp(symbol, "cuMemAlloc") == 0)
        *function = (void *)cuMemAlloc_v2;
    else
        return 500;
    return 0;
}
#endif
