/* graphs THREADS ROUNDS LARGEST: threads that capture allocations of up to so many MiB into graphs, launch these, each in a
 * stream of its own, and end them; now and then one trims, or takes other memory. Says how often they were refused when all
 * is given back; then it waits for the end of its input, so that somebody can look at the books. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cuda.h"

enum { MOST = 16, OUT_OF_MEMORY = 2, NON_BLOCKING = 1, THREAD_LOCAL = 1, LAUNCHES = 3, SECONDS = 300 };

static int rounds, largest;
static CUcontext context;
static atomic_int refused;

/* Whether it was granted; any other failure ends the program. */
static int granted(CUresult result, const char *what)
{
    if (result == OUT_OF_MEMORY) {
        refused++;
        return 0;
    }
    must(result, what);
    return 1;
}

static CUgraph captured(CUstream stream, unsigned int *seed)
{
    CUdeviceptr address[2];
    CUgraph graph;

    must(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), "begin a capture");
    for (int i = 0; i < 2; i++)
        must(cuMemAllocAsync(&address[i], 1 + (size_t)rand_r(seed) % ((size_t)largest * MIB), stream), "allocate");
    for (int i = 0; i < 2; i++)
        must(cuMemFreeAsync(address[i], stream), "free");
    must(cuStreamEndCapture(stream, &graph), "end a capture");
    return graph;
}

static void launched(CUstream stream, unsigned int *seed)
{
    CUgraph graph = captured(stream, seed);
    CUgraphExec exec;

    if (granted(cuGraphInstantiateWithFlags(&exec, graph, 0), "instantiate")) {
        for (int i = 0; i < LAUNCHES; i++)
            granted(cuGraphLaunch(exec, stream), "launch");
        if (rand_r(seed) % 2 == 0)
            must(cuStreamSynchronize(stream), "synchronise");
        must(cuGraphExecDestroy(exec), "destroy what was launched");
    }
    must(cuGraphDestroy(graph), "destroy a graph");
}

static void *in_thread(void *number)
{
    unsigned int seed = (unsigned int)(intptr_t)number;
    CUdeviceptr other;
    CUstream stream;

    must(cuCtxSetCurrent(context), "set current");
    must(cuStreamCreate(&stream, NON_BLOCKING), "create a stream");
    for (int i = 0; i < rounds; i++) {
        launched(stream, &seed);
        if (rand_r(&seed) % 8 == 0)
            must(cuDeviceGraphMemTrim(0), "trim");
        if (rand_r(&seed) % 4 == 0 && granted(cuMemAlloc_v2(&other, (size_t)largest * MIB), "allocate"))
            must(cuMemFree_v2(other), "free");
    }
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
    must(cuDeviceGraphMemTrim(0), "trim");
    printf("%d\n", refused);
    fflush(stdout);
    alarm(0);
    while (getchar() != EOF)
        ;
    return 0;
}
