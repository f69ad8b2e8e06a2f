/* A library whose constructor looks functions up, before main and before other libraries are ready. */
#include "where.h"

__attribute__((constructor)) static void early(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*start)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");

    say("early cuInit", (void *)start);
    say("early cuDriverGetVersion", dlsym(driver, "cuDriverGetVersion"));
    printf("early malloc: %s\n", dlsym(RTLD_NEXT, "malloc") == NULL ? "NULL" : "found");
    printf("early call: %d\n", start == NULL ? -1 : start(0));
    fflush(stdout);
}
