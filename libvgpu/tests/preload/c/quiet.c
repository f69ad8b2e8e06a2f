/* quiet [BYTES]: launches 200 kernels and waits for them, or fills so many bytes 200 times, and says whether anybody else has
 * used the driver or started a thread: how far apart two events are that are created before and after, in handles, and how
 * many threads measure. */
#include "kernels.h"

int main(int count, char **arguments)
{
    size_t bytes = count == 2 ? strtoul(arguments[1], NULL, 10) : 0;
    CUcontext context;
    CUdeviceptr memory;
    CUevent before, after;
    CUfunction function;
    int measuring = 0;

    must(cuInit(0), "cuInit");
    must(cuCtxCreate_v2(&context, 0, 0), "create");
    function = kernel(500);
    if (bytes != 0)
        must(cuMemAlloc_v2(&memory, bytes), "allocate");
    must(cuEventCreate(&before, 0), "create an event");
    for (int i = 0; i < 200; i++) {
        must(bytes != 0 ? cuMemsetD8Async(memory, 1, bytes, NULL) : launch(function, NULL), "launch");
        if (i % 50 == 49)
            must(cuCtxSynchronize(), "synchronise");
        measuring |= threads_called("vgpu-meter");
    }
    must(cuEventCreate(&after, 0), "create an event");
    printf("events %ld, threads that measure %d\n", (long)((char *)after - (char *)before), measuring);
    return 0;
}
