/* quiet: launches 200 kernels and waits for them, and says whether anybody else has used the driver or started a thread: how
 * far apart two events are that are created before and after, in handles, and how many threads measure. */
#include "kernels.h"

int main(void)
{
    CUcontext context;
    CUevent before, after;
    CUfunction function;
    int measuring = 0;

    must(cuInit(0), "cuInit");
    must(cuCtxCreate_v2(&context, 0, 0), "create");
    function = kernel(500);
    must(cuEventCreate(&before, 0), "create an event");
    for (int i = 0; i < 200; i++) {
        must(launch(function, NULL), "launch");
        if (i % 50 == 49)
            must(cuCtxSynchronize(), "synchronise");
        measuring |= threads_called("vgpu-meter");
    }
    must(cuEventCreate(&after, 0), "create an event");
    printf("events %ld, threads that measure %d\n", (long)((char *)after - (char *)before), measuring);
    return 0;
}
