/* pools THREADS ROUNDS LARGEST: threads that take memory of the device's pool, in pieces of up to so many MiB and at most
 * three at a time, each in a stream of its own, and give it back in either way. Says how often they were refused when all
 * is given back; then it waits for the end of its input, so that somebody can look at the books. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cuda.h"

enum { MOST = 16, HELD = 3, OUT_OF_MEMORY = 2, NON_BLOCKING = 1, SECONDS = 300 };

static int rounds, largest;
static CUcontext context;
static atomic_int refused;

static void release(CUdeviceptr *address, CUstream stream, unsigned int *seed)
{
    if (*address == 0)
        return;
    if (rand_r(seed) % 4 == 0)
        must(cuMemFree_v2(*address), "free");
    else
        must(cuMemFreeAsync(*address, stream), "free in the stream");
    *address = 0;
}

static void take(CUdeviceptr *address, CUstream stream, unsigned int *seed)
{
    size_t bytes = 1 + (size_t)rand_r(seed) % ((size_t)largest * MIB);
    CUresult result = cuMemAllocAsync(address, bytes, stream);

    if (result == OUT_OF_MEMORY)
        refused++;
    else
        must(result, "allocate");
}

static void *in_thread(void *number)
{
    unsigned int seed = (unsigned int)(intptr_t)number;
    CUdeviceptr held[HELD] = {0};
    CUstream stream;

    must(cuCtxSetCurrent(context), "set current");
    must(cuStreamCreate(&stream, NON_BLOCKING), "create a stream");
    for (int i = 0; i < rounds; i++) {
        CUdeviceptr *place = &held[rand_r(&seed) % HELD];

        release(place, stream, &seed);
        if (rand_r(&seed) % 8 == 0)
            must(cuStreamSynchronize(stream), "synchronise");
        take(place, stream, &seed);
    }
    for (int i = 0; i < HELD; i++)
        release(&held[i], stream, &seed);
    must(cuStreamSynchronize(stream), "synchronise");
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t started[MOST];
    int threads = count == 4 ? atoi(arguments[1]) : 0;

    if (threads < 1 || threads > MOST)
        return 2;
    rounds = atoi(arguments[2]);
    largest = atoi(arguments[3]);
    alarm(SECONDS);
    must(cuInit(0), "cuInit");
    must(cuCtxCreate_v2(&context, 0, 0), "create");
    for (int i = 0; i < threads; i++)
        pthread_create(&started[i], NULL, in_thread, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    must(cuCtxSynchronize(), "synchronise");
    printf("%d\n", refused);
    fflush(stdout);
    alarm(0);
    while (getchar() != EOF)
        ;
    return 0;
}
