/* A thread is inside NVML while a child is forked that uses the driver alone. What the child gets. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda.h"
#include "nvml.h"

static int started[2];

static void *watch(void *unused)
{
    int (*init)(void) = nvml("nvmlInit_v2");
    int (*version)(char *, unsigned int) = nvml("nvmlSystemGetDriverVersion");
    char text[80] = "yet";

    if (init() != 0 || write(started[1], text, 1) != 1)
        exit(2);
    version(text, sizeof text);
    return unused;
}

int main(void)
{
    pthread_t thread;
    CUcontext context;
    CUdeviceptr address;
    char byte;
    int status;

    if (pipe(started) != 0 || pthread_create(&thread, NULL, watch, NULL) != 0 || read(started[0], &byte, 1) != 1)
        return 2;
    /* The thread is on its way into the call. */
    usleep(100000);
    if (fork() == 0) {
        alarm(30);
        must(cuInit(0), "cuInit");
        must(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
        must(cuMemAlloc_v2(&address, MIB), "cuMemAlloc");
        _exit(0);
    }
    wait(&status);
    printf("%d\n", status);
    return 0;
}
