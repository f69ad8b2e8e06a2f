/* A driver of a few entry points, enough for lookups. With -DOLD it is one from before cuGetProcAddress, with
   -DOLDEST one that can only start, with -DNEWER one that has a function that nobody knows, and with -DCHOOSES one that
   chooses a function when it is looked up. */
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

#ifdef CHOOSES
static int chosen(unsigned long long address)
{
    return address == 0 ? 1 : 0;
}

static int (*choose(void))(unsigned long long)
{
    return chosen;
}

int cuMemFree_v2(unsigned long long address) __attribute__((ifunc("choose")));
#else
int cuMemFree_v2(unsigned long long address)
{
    return address == 0 ? 1 : 0;
}
#endif

#ifdef NEWER
int cuMemAllocSooner(unsigned long long *address, size_t bytes)
{
    return cuMemAlloc_v2(address, bytes);
}
#endif

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
#ifdef NEWER
    else if (strcmp(symbol, "cuMemAllocSooner") == 0)
        *function = (void *)cuMemAllocSooner;
#endif
    else
        return 500;
    return 0;
}
#endif
