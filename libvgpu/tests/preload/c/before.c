/* An interposer to be preloaded in front of another: its dlsym passes everything on to that of the C library. With
   -DCALLS it stands in front of an entry point of the driver too, as a profiler does. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif

typedef void *lookup(void *handle, const char *name);
typedef int allocate(unsigned long long *address, size_t bytes);

static void *real(void *handle, const char *name)
{
    static lookup *found;

    if (found == NULL)
        found = (lookup *)dlvsym(RTLD_NEXT, "dlsym", FIRST_VERSION);
    return found(handle, name);
}

#ifdef CALLS
int cuMemAlloc_v2(unsigned long long *address, size_t bytes)
{
    return ((allocate *)real(dlopen("libcuda.so.1", RTLD_NOW), "cuMemAlloc_v2"))(address, bytes);
}
#endif

void *dlsym(void *handle, const char *name)
{
#ifdef CALLS
    if (strcmp(name, "cuMemAlloc_v2") == 0)
        return (void *)cuMemAlloc_v2;
#endif
    return real(handle, name);
}
