/* Starts the driver when no descriptor is left. */
#include <sys/resource.h>
#include <unistd.h>

#include "cuda.h"

int main(void)
{
    struct rlimit few = {32, 32};

    setrlimit(RLIMIT_NOFILE, &few);
    while (dup(STDOUT_FILENO) >= 0)
        ;
    printf("cuInit: %d\n", cuInit(0));
    return 0;
}
