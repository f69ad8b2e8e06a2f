/* graphs THREADS ROUNDS LARGEST: threads that capture allocations of up to so many MiB into graphs, launch these and end them;
 * now and then one trims, or takes other memory. */
#include "crowd.h"

enum { THREAD_LOCAL = 1, LAUNCHES = 3 };

static CUgraph captured(CUstream stream, unsigned int *seed)
{
    CUdeviceptr address[2];
    CUgraph graph;

    must(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), "begin a capture");
    for (int i = 0; i < 2; i++)
        must(cuMemAllocAsync(&address[i], some_bytes(seed), stream), "allocate");
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

static void plays_with_graphs(CUstream stream, unsigned int *seed)
{
    CUdeviceptr other;

    for (int i = 0; i < rounds; i++) {
        launched(stream, seed);
        if (rand_r(seed) % 8 == 0)
            must(cuDeviceGraphMemTrim(0), "trim");
        if (rand_r(seed) % 4 == 0 && granted(cuMemAlloc_v2(&other, (size_t)largest * MIB), "allocate"))
            must(cuMemFree_v2(other), "free");
    }
}

static void trim(void) { must(cuDeviceGraphMemTrim(0), "trim"); }

int main(int count, char **arguments)
{
    return crowd(count, arguments, plays_with_graphs, trim);
}
