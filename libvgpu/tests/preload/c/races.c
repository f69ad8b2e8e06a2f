/* races CASE THREADS ROUNDS: threads whose calls overtake each other. Says how many calls were refused that should not
 * have been; then it waits for the end of its input, so that somebody can look at the books. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "cuda.h"

enum { MOST = 64, AT_ONCE = 20, SECONDS = 300 };

/* In each round the main thread prepares; then threads run and the main thread leads; then threads clean up. */
struct race {
    const char *name;
    void (*prepare)(void);
    void (*lead)(void);
    void (*run)(int thread);
    void (*clean)(int thread);
};

static const struct race *race;
static int rounds;
static pthread_barrier_t barrier;
static atomic_int refused;

static CUcontext doomed;
static CUdeviceptr shared, own[MOST];
static CUarray shared_array, own_array[MOST];
static int holds[MOST];

/* All threads make a context. */
static void create(int thread)
{
    CUcontext context;

    (void)thread;
    refused += cuCtxCreate_v2(&context, 0, 0) != 0;
}

/* All threads retain the primary context at once, and later release it. */
static void retain(int thread)
{
    CUcontext context;

    holds[thread] = cuDevicePrimaryCtxRetain(&context, 0) == 0;
    refused += !holds[thread];
}

static void release(int thread)
{
    if (holds[thread])
        must(cuDevicePrimaryCtxRelease_v2(0), "release");
}

/* The primary context ends with one thread's release while another retains it and allocates there. */
static void retain_and_release(int thread)
{
    for (int i = 0; i < AT_ONCE; i++) {
        CUcontext context;
        CUdeviceptr address;

        must(cuDevicePrimaryCtxRetain(&context, 0), "retain");
        must(cuCtxSetCurrent(context), "set current");
        must(cuMemAlloc_v2(&address, MIB), "allocate");
        if ((thread + i) % 2 == 0)
            must(cuMemFree_v2(address), "free");
        must(cuCtxSetCurrent(NULL), "set none");
        must(cuDevicePrimaryCtxRelease_v2(0), "release");
    }
}

/* Two threads free the same memory; the others allocate, and may be given the address that was freed first. */
static void allocate_shared(void)
{
    must(cuMemAlloc_v2(&shared, 4 * MIB), "allocate");
}

static void free_shared(int thread)
{
    if (thread < 2)
        (void)cuMemFree_v2(shared);
    else
        must(cuMemAlloc_v2(&own[thread], 4 * MIB), "allocate");
}

static void free_own(int thread)
{
    if (thread >= 2)
        (void)cuMemFree_v2(own[thread]);
}

/* Threads allocate in a context that the main thread destroys meanwhile. */
static void create_doomed(void)
{
    must(cuCtxCreate_v2(&doomed, 0, 0), "create");
}

static void destroy_doomed(void)
{
    for (volatile int i = rand() % 100000; i > 0; i--)
        ;
    must(cuCtxDestroy_v2(doomed), "destroy");
}

static void allocate_in_doomed(int thread)
{
    CUdeviceptr address;

    (void)thread;
    if (cuCtxSetCurrent(doomed) != 0)
        return;
    for (int i = 0; i < AT_ONCE && cuMemAlloc_v2(&address, MIB) == 0; i++)
        ;
}

static void leave_doomed(int thread)
{
    (void)thread;
    must(cuCtxSetCurrent(NULL), "set none");
}

/* A plane of 4 MiB of bytes. */
static CUresult create_array(CUarray *array)
{
    static const CUDA_ARRAY3D_DESCRIPTOR plane = {2048, 2048, 0, 1, 1, 0};

    return cuArray3DCreate_v2(array, &plane);
}

/* Two threads destroy the same array; the others create some. */
static void create_shared_array(void)
{
    must(create_array(&shared_array), "create");
}

static void destroy_shared_array(int thread)
{
    if (thread < 2)
        (void)cuArrayDestroy(shared_array);
    else
        must(create_array(&own_array[thread]), "create");
}

static void destroy_own_array(int thread)
{
    if (thread >= 2)
        must(cuArrayDestroy(own_array[thread]), "destroy");
}

static void create_arrays_in_doomed(int thread)
{
    CUarray array;

    (void)thread;
    if (cuCtxSetCurrent(doomed) != 0)
        return;
    for (int i = 0; i < AT_ONCE && create_array(&array) == 0; i++)
        ;
}

static const struct race races[] = {
    {"create", NULL, NULL, create, NULL},
    {"retain", NULL, NULL, retain, release},
    {"retain-and-release", NULL, NULL, retain_and_release, NULL},
    {"free-twice", allocate_shared, NULL, free_shared, free_own},
    {"destroy-array-twice", create_shared_array, NULL, destroy_shared_array, destroy_own_array},
    {"destroy-with-arrays", create_doomed, destroy_doomed, create_arrays_in_doomed, leave_doomed},
    {"destroy", create_doomed, destroy_doomed, allocate_in_doomed, leave_doomed},
};

static void *in_thread(void *number)
{
    int thread = (int)(intptr_t)number;

    for (int i = 0; i < rounds; i++) {
        pthread_barrier_wait(&barrier);
        race->run(thread);
        pthread_barrier_wait(&barrier);
        if (race->clean != NULL)
            race->clean(thread);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void in_main(void)
{
    for (int i = 0; i < rounds; i++) {
        if (race->prepare != NULL)
            race->prepare();
        pthread_barrier_wait(&barrier);
        if (race->lead != NULL)
            race->lead();
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
}

/* What is freed twice needs a context to be in, which all threads share. */
static void *in_context(void *number)
{
    if (doomed != NULL)
        must(cuCtxSetCurrent(doomed), "set current");
    return in_thread(number);
}

int main(int count, char **arguments)
{
    pthread_t started[MOST];
    int threads = count == 4 ? atoi(arguments[2]) : 0;

    for (size_t i = 0; count == 4 && i < sizeof races / sizeof *races; i++)
        if (strcmp(races[i].name, arguments[1]) == 0)
            race = &races[i];
    if (race == NULL || threads < 1 || threads > MOST)
        return 2;
    rounds = atoi(arguments[3]);
    alarm(SECONDS);
    must(cuInit(0), "cuInit");
    if (race->run == free_shared || race->run == destroy_shared_array)
        create_doomed();
    pthread_barrier_init(&barrier, NULL, (unsigned int)threads + 1);
    for (int i = 0; i < threads; i++)
        pthread_create(&started[i], NULL, in_context, (void *)(intptr_t)i);
    in_main();
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    printf("%d refused\n", refused);
    fflush(stdout);
    alarm(0);
    while (getchar() != EOF)
        ;
    return 0;
}
