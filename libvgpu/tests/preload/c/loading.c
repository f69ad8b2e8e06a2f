/* loading LIBRARY OTHER ROUNDS: a name is looked up for the first time while other threads open and close a library. Each
 * round is a child. Says how many found the name; one that hangs ends the program. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "where.h"

enum { THREADS = 2, OPENINGS = 40, SECONDS = 30 };

static const char *other;
static pthread_barrier_t barrier;

static void *open_and_close(void *unused)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < OPENINGS; i++) {
        void *library = dlopen(other, RTLD_NOW);

        if (library == NULL)
            abort();
        dlclose(library);
    }
    return unused;
}

static int finds(const char *path, int round)
{
    pthread_t threads[THREADS];
    void *library = dlopen(path, RTLD_NOW);
    const void *found;

    alarm(SECONDS);
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, open_and_close, NULL);
    pthread_barrier_wait(&barrier);
    for (volatile int i = round * 977 % 60000; i > 0; i--)
        ;
    found = dlsym(library, "cuInit");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return strcmp(where(found), "libvgpu.so") == 0;
}

int main(int count, char **arguments)
{
    int rounds = count == 4 ? atoi(arguments[3]) : 0, found = 0, status = 0;

    if (count != 4)
        return 2;
    other = arguments[2];
    for (int i = 0; i < rounds && status == 0; i++) {
        if (fork() == 0)
            _exit(finds(arguments[1], i) ? 0 : 1);
        wait(&status);
        found += status == 0;
    }
    printf("%d of %d, last status %d\n", found, rounds, status);
    return 0;
}
