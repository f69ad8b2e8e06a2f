/* Naming the object that an address belongs to: how these programs tell a hook from the driver's own function. */
#ifndef WHERE_H
#define WHERE_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The file name of the object that holds `address`. */
static inline const char *where(const void *address)
{
    Dl_info info;
    const char *slash;

    if (address == NULL)
        return "NULL";
    if (dladdr(address, &info) == 0)
        return "nowhere";
    slash = strrchr(info.dli_fname, '/');
    return slash == NULL ? info.dli_fname : slash + 1;
}

static inline void say(const char *what, const void *address)
{
    printf("%s: %s\n", what, where(address));
}

#endif
