/* asks: launches short kernels back to back, so that many are measured together, and then one that takes much longer, which it
 * waits for by asking. Says "done", and stays until its input ends. */
#include <unistd.h>

#include "kernels.h"

enum { NON_BLOCKING = 1, SHORT = 200000, LONG = 300000000, MANY = 400 };

/* What tells the simulated GPU how long one launch takes. */
struct arguments {
    uint64_t magic, nanoseconds;
    uint32_t multiprocessors, bandwidth;
};

static CUfunction function;
static CUstream stream;

static void launch_one(uint64_t nanoseconds)
{
    struct arguments arguments = {0x53494D4B45524E31, nanoseconds, 1000, 0};
    void *parameters[] = {&arguments};

    must(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL), "launch");
}

int main(int count, char **arguments)
{
    CUcontext context;
    CUmodule module;
    CUevent event;
    int is_by_event = count == 2 && strcmp(arguments[1], "event") == 0;

    must(cuInit(0), "cuInit");
    must(cuCtxCreate_v2(&context, 0, 0), "create");
    must(cuModuleLoadData(&module, "SIMKERN v1\nname=work param0=simargs\n"), "load");
    must(cuModuleGetFunction(&function, module, "work"), "get a function");
    must(cuStreamCreate(&stream, NON_BLOCKING), "create a stream");
    must(cuEventCreate(&event, 0), "create an event");
    for (int i = 0; i < MANY; i++)
        launch_one(SHORT);
    launch_one(LONG);
    must(cuEventRecord(event, stream), "record");
    while ((is_by_event ? cuEventQuery(event) : cuStreamQuery(stream)) != 0)
        usleep(500);
    printf("done\n");
    fflush(stdout);
    return getchar() != EOF;
}
