/* busy LIBRARY: opens the driver, starts it, looks names up on threads and in a child while all of them allocate. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "where.h"

static void *library;
static const void *hook;

static void *look_up(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        free(malloc(1 + (size_t)i * 16));
        if (dlsym(library, "cuMemAlloc_v2") != hook || dlsym(library, "cuNothing") != NULL)
            abort();
    }
    return unused;
}

int main(int count, char **arguments)
{
    pthread_t threads[4];
    int status = -1;

    library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (library == NULL)
        return 1;
    hook = dlsym(library, "cuMemAlloc_v2");
    say("cuMemAlloc_v2", hook);
    printf("cuInit: %d\n", ((int (*)(unsigned int))dlsym(library, "cuInit"))(0));
    fflush(stdout);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, look_up, NULL);
    if (fork() == 0)
        _exit(look_up(NULL) == NULL ? 0 : 1);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    wait(&status);
    printf("child: %d\n", status);
    return 0;
}
