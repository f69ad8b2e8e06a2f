/* A library that interposes names of others and asks for the next ones. */
#include "where.h"

int who(void)
{
    return 1;
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes)
{
    int (*next)(unsigned long long *, size_t) = (int (*)(unsigned long long *, size_t))dlsym(RTLD_NEXT, "cuMemAlloc_v2");

    return next == NULL ? -1 : next(address, bytes);
}

void ask_next(const char *name)
{
    say("middle", dlsym(RTLD_NEXT, name));
    say("middle", dlsym(RTLD_NEXT, name));
}
