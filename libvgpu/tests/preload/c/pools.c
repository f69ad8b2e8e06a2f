/* pools THREADS ROUNDS LARGEST: threads that take memory of the device's pool, in pieces of up to so many MiB and at most
 * three at a time, and give it back in either way. */
#include "crowd.h"

enum { HELD = 3 };

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

static void takes(CUstream stream, unsigned int *seed)
{
    CUdeviceptr held[HELD] = {0};

    for (int i = 0; i < rounds; i++) {
        CUdeviceptr *place = &held[rand_r(seed) % HELD];

        release(place, stream, seed);
        if (rand_r(seed) % 8 == 0)
            must(cuStreamSynchronize(stream), "synchronise");
        granted(cuMemAllocAsync(place, some_bytes(seed), stream), "allocate");
    }
    for (int i = 0; i < HELD; i++)
        release(&held[i], stream, seed);
}

int main(int count, char **arguments)
{
    return crowd(count, arguments, takes, NULL);
}
