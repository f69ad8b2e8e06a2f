/* A library that chooses one of its functions while it is relocated, by looking another one up: the earliest moment at
   which code of an application can call dlsym. Nothing may be called from here that is bound lazily. */
#include <dlfcn.h>
#include <stdio.h>

static int without(void)
{
    return 0;
}

static int with(void)
{
    return 1;
}

static int (*choose(void))(void)
{
    return dlsym(RTLD_DEFAULT, "cuInit") == NULL ? without : with;
}

int chosen(void) __attribute__((ifunc("choose")));

__attribute__((constructor)) static void report(void)
{
    printf("chosen: %d\n", chosen());
    fflush(stdout);
}
