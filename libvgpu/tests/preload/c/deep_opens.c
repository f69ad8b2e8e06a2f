/* A plug-in that opens the driver. */
#include "takes.h"

void plugged_in(void)
{
    take(dlopen("libcuda.so.1", RTLD_NOW));
    fflush(stdout);
}
