/* launches PATH COUNT MICROSECONDS: launches work of so many microseconds so often, by one of the ways there are, and waits for
 * it. Says how many milliseconds that took. */
#include "kernels.h"

static CUcontext context, second;
static CUfunction function, of_second;
static CUstream stream, stream_of_second;
static CUgraph captured;
static CUgraphNode node;
static CUgraphExec graph;

static CUresult by_kernel(void) { return launch(function, stream); }

static CUresult by_kernel_ptsz(void)
{
    return cuLaunchKernel_ptsz(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

static CUresult in_default(void) { return launch(function, NULL); }

static CUresult by_config(void)
{
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, stream, NULL, 0};

    return cuLaunchKernelEx(&config, function, NULL, NULL);
}

static CUresult by_config_ptsz(void)
{
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, stream, NULL, 0};

    return cuLaunchKernelEx_ptsz(&config, function, NULL, NULL);
}

static CUresult cooperatively(void)
{
    return cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL);
}

static CUresult cooperatively_ptsz(void)
{
    return cuLaunchCooperativeKernel_ptsz(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL);
}

/* On both devices at once. */
static CUresult together(void)
{
    CUDA_LAUNCH_PARAMS both[2] = {
        {function, 1, 1, 1, 1, 1, 1, 0, stream, NULL},
        {of_second, 1, 1, 1, 1, 1, 1, 0, stream_of_second, NULL},
    };

    return cuLaunchCooperativeKernelMultiDevice(both, 2, 0);
}

static CUresult alone(void) { return cuLaunch(function); }

static CUresult as_grid(void) { return cuLaunchGrid(function, 1, 1); }

static CUresult as_grid_in_stream(void) { return cuLaunchGridAsync(function, 1, 1, stream); }

static CUresult by_graph(void) { return cuGraphLaunch(graph, stream); }

static CUresult by_graph_ptsz(void) { return cuGraphLaunch_ptsz(graph, stream); }

/* A graph that is another one each time, as far as anybody can tell. */
static CUresult by_updated_graph(void)
{
    long result[8];

    must(cuGraphExecUpdate_v2(graph, captured, result), "update");
    return cuGraphLaunch(graph, stream);
}

/* The same with a kernel node that is set to what it was. */
static CUresult by_changed_node(void)
{
    struct {
        int kind, reserved[3];
        CUfunction function;
        unsigned int grid[3], block[3], shared;
        long rest[25];
    } params = {0, {0}, function, {1, 1, 1}, {1, 1, 1}, 0, {0}};

    _Static_assert(sizeof params == 256, "as large as parameters of any kind are");
    must(cuGraphExecNodeSetParams(graph, node, &params), "set parameters");
    return cuGraphLaunch(graph, stream);
}

static const struct {
    const char *name;
    CUresult (*launch)(void);
} paths[] = {
    {"kernel", by_kernel},
    {"kernel_ptsz", by_kernel_ptsz},
    {"default", in_default},
    {"config", by_config},
    {"config_ptsz", by_config_ptsz},
    {"cooperative", cooperatively},
    {"cooperative_ptsz", cooperatively_ptsz},
    {"together", together},
    {"alone", alone},
    {"grid", as_grid},
    {"grid_in_stream", as_grid_in_stream},
    {"graph", by_graph},
    {"graph_ptsz", by_graph_ptsz},
    {"updated_graph", by_updated_graph},
    {"changed_node", by_changed_node},
};

static void prepare(const char *path, int microseconds)
{
    if (strcmp(path, "together") == 0) {
        must(cuCtxCreate_v2(&second, 0, 1), "create on the second device");
        of_second = kernel(microseconds);
        must(cuStreamCreate(&stream_of_second, 1), "create a stream there");
    }
    must(cuCtxCreate_v2(&context, 0, 0), "create");
    function = kernel(microseconds);
    must(cuStreamCreate(&stream, 1), "create a stream");
    must(cuFuncSetBlockShape(function, 1, 1, 1), "set the shape");
    must(cuStreamBeginCapture_v2(stream, 0), "begin a capture");
    must(launch(function, stream), "capture");
    must(cuStreamEndCapture(stream, &captured), "end a capture");
    must(cuGraphGetNodes(captured, &node, &(size_t){1}), "get the node");
    must(cuGraphInstantiateWithFlags(&graph, captured, 0), "instantiate");
}

int main(int count, char **arguments)
{
    const char *path = count == 4 ? arguments[1] : "";
    long begin;

    must(cuInit(0), "cuInit");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (strcmp(paths[i].name, path) != 0)
            continue;
        prepare(path, atoi(arguments[3]));
        begin = milliseconds();
        for (int launched = 0; launched < atoi(arguments[2]); launched++)
            must(paths[i].launch(), path);
        must(cuCtxSynchronize(), "synchronise");
        printf("%ld\n", milliseconds() - begin);
        return 0;
    }
    return 2;
}
