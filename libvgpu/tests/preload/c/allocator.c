/* An allocator of its own, as memory debuggers are made: it finds the real functions with dlsym, which may allocate. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static char early[1 << 16];
static size_t early_used;
static void *(*real_malloc)(size_t);
static void (*real_free)(void *);
/* Not where its first use allocates, and volatile: the compiler believes that dlsym does not call us back. */
static __thread volatile int looking __attribute__((tls_model("initial-exec")));

static void look_up(void)
{
    looking = 1;
    real_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    looking = 0;
}

void *malloc(size_t size)
{
    if (real_malloc == NULL && !looking)
        look_up();
    if (real_malloc == NULL) {
        void *address = early + early_used;

        early_used += (size + 15) / 16 * 16;
        return early_used <= sizeof early ? address : NULL;
    }
    if (!looking) {
        /* A name that might be a hook's. A lookup that fails allocates the text of its error. */
        looking = 1;
        (void)dlsym(RTLD_DEFAULT, "cuInit");
        looking = 0;
    }
    return real_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    void *address = malloc(count * size);

    return address == NULL ? NULL : memset(address, 0, count * size);
}

void free(void *address)
{
    if ((char *)address >= early && (char *)address < early + sizeof early)
        return;
    if (address != NULL && real_free != NULL)
        real_free(address);
}
