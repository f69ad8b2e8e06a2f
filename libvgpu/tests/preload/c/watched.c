/* A program that uses the driver, for sanitizers to watch; every thread of it does. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda.h"

static CUcontext context;

static void *allocate(void *unused)
{
    CUdeviceptr address;

    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    must(cuMemAlloc_v2(&address, MIB), "cuMemAlloc");
    must(cuMemFree_v2(address), "cuMemFree");
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    CUdeviceptr address;

    must(cuInit(0), "cuInit");
    must(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, allocate, NULL) != 0)
            return 2;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("too much: %d\n", cuMemAlloc_v2(&address, 1024ul * MIB));
    return 0;
}
