/* Starts the driver and makes a context in a forked child: its answer, and whether NVML is there for that. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda.h"

static int is_mapped(const char *name)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        found |= strstr(line, name) != NULL;
    return found;
}

int main(void)
{
    CUcontext context;

    if (cuInit(0) != 0)
        return 2;
    if (fork() == 0) {
        int result = cuCtxCreate_v2(&context, 0, 0);

        printf("%d, %s\n", result, is_mapped("libnvidia-ml") ? "with NVML" : "without NVML");
        return 0;
    }
    return wait(NULL) < 0;
}
