/* Taking 2 GiB through functions that were looked up. */
#ifndef TAKES_H
#define TAKES_H

#include "where.h"

typedef int start(unsigned int flags);
typedef int create(void **context, unsigned int flags, int device);
typedef int allocate(unsigned long long *address, size_t bytes);

/* Says which object `cuMemAlloc_v2` of the driver is in, and how it answered a request that fits 4 GiB and not 1. */
static inline void take(void *driver)
{
    allocate *take = (allocate *)dlsym(driver, "cuMemAlloc_v2");
    unsigned long long address = 0;
    void *context;

    if (take == NULL || ((start *)dlsym(driver, "cuInit"))(0) != 0
        || ((create *)dlsym(driver, "cuCtxCreate_v2"))(&context, 0, 0) != 0) {
        printf("no context\n");
        return;
    }
    printf("%s: %d\n", where((void *)take), take(&address, 2UL << 30));
}

#endif
