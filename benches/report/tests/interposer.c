/* An interposer of one kind or another, chosen by a macro; it stands between a program and one function that is looked up. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined PASSES
#define STANDS_BEFORE ""
static int answer(void) { return 0; }
#elif defined REFUSES
#define STANDS_BEFORE "cuInit"
static int answer(void) { return 802; }
#elif defined CRASHES
#define STANDS_BEFORE "cuMemFree_v2"
static int answer(void) { abort(); }
#elif defined HANGS
#define STANDS_BEFORE "cuMemAlloc_v2"
static int answer(void) { for (;;) pause(); }
#endif

void *dlsym(void *handle, const char *name) {
    static void *(*real)(void *, const char *);
    if (!real) *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return strcmp(name, STANDS_BEFORE) ? real(handle, name) : (void *)answer;
}
