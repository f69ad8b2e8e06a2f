/* threads LIBRARY: eight threads look names up for the first time at once, 2,000 times each. */
#include <pthread.h>
#include <stdlib.h>

#include "where.h"

enum { THREADS = 8, LOOKUPS = 2000 };

static const char *const names[] = {"cuInit", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemGetInfo_v2", "cuGetProcAddress"};
enum { NAMES = sizeof names / sizeof *names };

static void *library;
static pthread_barrier_t barrier;
static const void *found[THREADS][NAMES];

static void *look_up(void *mine)
{
    const void **answers = mine;

    pthread_barrier_wait(&barrier);
    for (int i = 0; i < LOOKUPS; i++) {
        const void *address = dlsym(library, names[i % NAMES]);

        if (address == NULL || (answers[i % NAMES] != NULL && answers[i % NAMES] != address))
            abort();
        answers[i % NAMES] = address;
    }
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];

    library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (library == NULL)
        return 1;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, look_up, found[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int name = 0; name < NAMES; name++) {
        for (int i = 1; i < THREADS; i++)
            if (found[i][name] != found[0][name])
                abort();
        say(names[name], found[0][name]);
    }
    return 0;
}
