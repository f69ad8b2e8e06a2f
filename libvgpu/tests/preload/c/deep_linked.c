/* A plug-in that is linked against the driver, calls it, and keeps one of its functions in a table. */
#include "cuda.h"
#include "where.h"

CUresult (*const table[])(CUdeviceptr *, size_t) = {cuMemAlloc_v2};

void plugged_in(void)
{
    CUdeviceptr address;
    CUcontext context;

    must(cuInit(0), "cuInit");
    must(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate_v2");
    printf("%s: %d\n", where((void *)table[0]), table[0](&address, 2UL << 30));
    printf("called: %d\n", cuMemAlloc_v2(&address, 2UL << 30));
    fflush(stdout);
}
