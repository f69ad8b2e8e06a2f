/* Threads that take memory, each in a stream of its own: PROGRAM THREADS ROUNDS LARGEST says how often they were refused when
 * all is given back; then it waits for the end of its input, so that somebody can look at the books. */
#ifndef CROWD_H
#define CROWD_H

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cuda.h"

enum { MOST = 16, OUT_OF_MEMORY = 2, NON_BLOCKING = 1, SECONDS = 300 };

/* What a thread does in ROUNDS rounds. */
typedef void play(CUstream stream, unsigned int *seed);

static play *plays;
static int rounds, largest;
static CUcontext context;
static atomic_int refused;

/* Whether it was granted; any other failure ends the program. */
static inline int granted(CUresult result, const char *what)
{
    if (result == OUT_OF_MEMORY) {
        refused++;
        return 0;
    }
    must(result, what);
    return 1;
}

/* From one byte to LARGEST MiB. */
static inline size_t some_bytes(unsigned int *seed)
{
    return 1 + (size_t)rand_r(seed) % ((size_t)largest * MIB);
}

static void *in_thread(void *number)
{
    unsigned int seed = (unsigned int)(intptr_t)number;
    CUstream stream;

    must(cuCtxSetCurrent(context), "set current");
    must(cuStreamCreate(&stream, NON_BLOCKING), "create a stream");
    plays(stream, &seed);
    must(cuStreamSynchronize(stream), "synchronise");
    return NULL;
}

/* The rest of `main`; `ends` gives back what is kept when all threads have ended. */
static inline int crowd(int count, char **arguments, play *what, void (*ends)(void))
{
    pthread_t started[MOST];
    int threads = count == 4 ? atoi(arguments[1]) : 0;

    if (threads < 1 || threads > MOST)
        return 2;
    plays = what;
    rounds = atoi(arguments[2]);
    largest = atoi(arguments[3]);
    alarm(SECONDS);
    must(cuInit(0), "cuInit");
    must(cuCtxCreate_v2(&context, 0, 0), "create");
    for (int i = 0; i < threads; i++)
        pthread_create(&started[i], NULL, in_thread, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    must(cuCtxSynchronize(), "synchronise");
    if (ends != NULL)
        ends();
    printf("%d\n", refused);
    fflush(stdout);
    alarm(0);
    while (getchar() != EOF)
        ;
    return 0;
}

#endif
