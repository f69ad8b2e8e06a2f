/* Forks a child that has no descriptor left, and so cannot join its parent's slice. Says what the driver answers there; when it has
 * a context, it launches in it once a line, or the end, of its input has come. */
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels.h"

int main(void)
{
    struct rlimit few = {64, 64};
    void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    int (*start)(void) = (int (*)(void))dlsym(nvml, "nvmlInit_v2");
    CUfunction function;
    CUcontext context;
    CUresult created;

    /* The slice is there before the fork, and the driver is not. */
    printf("nvmlInit_v2: %d\n", start());
    fflush(stdout);
    if (fork() != 0)
        return wait(NULL) < 0;
    printf("cuInit: %d\n", cuInit(0));
    setrlimit(RLIMIT_NOFILE, &few);
    while (dup(STDOUT_FILENO) >= 0)
        ;
    created = cuCtxCreate_v2(&context, 0, 0);
    printf("cuCtxCreate_v2: %d\n", created);
    fflush(stdout);
    if (created != 0)
        return 0;
    function = kernel(1000);
    printf("kernel: loaded\n");
    fflush(stdout);
    (void)getchar();
    printf("cuLaunchKernel: %d\n", launch(function, NULL));
    return 0;
}
