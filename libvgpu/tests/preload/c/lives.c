/* lives WHAT: launches under a limit beside something that the measuring of launches must neither disturb nor trip over. Says
 * "fine" when that has gone as it does natively. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels.h"

enum { NON_BLOCKING = 1, ROUNDS = 40, THREADS = 8, SECONDS = 120 };

static CUcontext context;
static CUfunction function;
static atomic_int is_over;
/* What is launched in it is not waited for. */
static CUstream unwaited;

/* Launches all the while, in a stream of its own or in `stream`. */
static void *launches(void *stream)
{
    CUstream own = stream;

    must(cuCtxSetCurrent(context), "set current");
    if (own == NULL)
        must(cuStreamCreate(&own, NON_BLOCKING), "create a stream");
    while (!is_over) {
        must(launch(function, own), "launch");
        if (own != unwaited)
            must(cuStreamSynchronize(own), "synchronise");
    }
    return NULL;
}

static void captured(CUstream stream, int mode)
{
    CUgraph graph;
    CUgraphExec exec;

    must(cuStreamBeginCapture_v2(stream, mode), "begin a capture");
    for (int i = 0; i < 4; i++)
        must(launch(function, stream), "capture");
    must(cuStreamEndCapture(stream, &graph), "end a capture");
    must(cuGraphInstantiateWithFlags(&exec, graph, 0), "instantiate");
    must(cuGraphLaunch(exec, stream), "launch a graph");
    must(cuStreamSynchronize(stream), "synchronise");
    must(cuGraphExecDestroy(exec), "destroy what was launched");
    must(cuGraphDestroy(graph), "destroy a graph");
}

/* Captures of every mode, while others launch: in streams of their own, and in the default stream. */
static void capture(void)
{
    pthread_t other[2];
    CUstream stream;

    must(cuStreamCreate(&stream, NON_BLOCKING), "create a stream");
    pthread_create(&other[0], NULL, launches, NULL);
    pthread_create(&other[1], NULL, launches, (void *)1);
    for (int i = 0; i < ROUNDS; i++)
        captured(stream, i % 3);
    is_over = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(other[i], NULL);
}

static pthread_barrier_t step;

/* Launches in the default stream, and then, while another thread captures a stream that waits for that, in one of its own. */
static void *launches_in_both(void *unused)
{
    CUstream own;

    must(cuCtxSetCurrent(context), "set current");
    must(cuStreamCreate(&own, NON_BLOCKING), "create a stream");
    for (int i = 0; i < ROUNDS; i++) {
        must(launch(function, NULL), "launch");
        pthread_barrier_wait(&step);
        pthread_barrier_wait(&step);
        must(launch(function, own), "launch beside a capture");
        must(cuStreamSynchronize(own), "synchronise beside a capture");
        pthread_barrier_wait(&step);
        pthread_barrier_wait(&step);
    }
    return unused;
}

/* What was launched in the default stream is not measured there while a stream captures that waits for it: that would break the
 * capture. */
static void capture_of_a_blocking_stream(void)
{
    pthread_t other;
    CUstream stream;
    CUgraph graph;

    pthread_barrier_init(&step, NULL, 2);
    must(cuStreamCreate(&stream, 0), "create a stream");
    pthread_create(&other, NULL, launches_in_both, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&step);
        must(cuStreamBeginCapture_v2(stream, 1 + i % 2), "begin a capture");
        pthread_barrier_wait(&step);
        must(launch(function, stream), "capture");
        pthread_barrier_wait(&step);
        must(cuStreamEndCapture(stream, &graph), "end a capture");
        pthread_barrier_wait(&step);
        must(cuGraphDestroy(graph), "destroy a graph");
    }
    pthread_join(other, NULL);
}

/* Captures in a stream into which another thread launches, which mostly waits for its time when they begin. */
static void capture_where_another_waits(void)
{
    CUgraph graph;
    pthread_t other;

    must(cuStreamCreate(&unwaited, NON_BLOCKING), "create a stream");
    pthread_create(&other, NULL, launches, unwaited);
    for (int i = 0; i < ROUNDS; i++) {
        usleep(20000);
        must(cuStreamBeginCapture_v2(unwaited, 2), "begin a capture");
        usleep(10000);
        must(cuStreamEndCapture(unwaited, &graph), "end a capture");
        must(cuGraphDestroy(graph), "destroy a graph");
    }
    is_over = 1;
    pthread_join(other, NULL);
}

static atomic_int code = -1;

static void call_back(void *unused)
{
    (void)unused;
    code = launch(function, NULL);
}

/* A function that a stream calls is told that it may not launch, and does not wait to hear it. */
static void callback(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        must(launch(function, NULL), "launch");
        must(cuLaunchHostFunc(NULL, call_back, NULL), "launch a function");
        must(cuCtxSynchronize(), "synchronise");
        if (code == 0 || code == -1)
            must(code, "launched in a callback");
    }
}

/* A child can use nothing of the driver, and ends as others do; its parent goes on. */
static void forks(void)
{
    for (int i = 0; i < 4; i++) {
        int status = -1;
        pid_t child;

        for (int launched = 0; launched < ROUNDS / 4; launched++)
            must(launch(function, NULL), "launch");
        child = fork();
        if (child == 0)
            exit(launch(function, NULL) == 0 || threads_called("vgpu-meter") != 0);
        if (waitpid(child, &status, 0) != child || status != 0)
            must(status, "the child");
    }
    must(cuCtxSynchronize(), "synchronise");
}

/* Contexts that end with work under way. */
static void contexts(void)
{
    for (int i = 0; i < ROUNDS / 4; i++) {
        CUcontext other;
        CUfunction work;

        if (i % 2 == 0)
            must(cuCtxCreate_v2(&other, 0, 0), "create");
        else
            must(cuDevicePrimaryCtxRetain(&other, 0), "retain");
        must(cuCtxSetCurrent(other), "set current");
        work = kernel(3000);
        for (int launched = 0; launched < 4; launched++)
            must(launch(work, NULL), "launch");
        if (i % 2 == 0)
            must(cuCtxDestroy_v2(other), "destroy");
        else if (i % 4 == 1)
            must(cuDevicePrimaryCtxRelease_v2(0), "release");
        else
            must(cuDevicePrimaryCtxReset_v2(0), "reset");
        must(cuCtxSetCurrent(context), "set current");
        must(launch(function, NULL), "launch");
    }
    must(cuCtxSynchronize(), "synchronise");
}

/* Streams that end with work under way, and others that are called the same. */
static void streams(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        CUstream stream;

        must(cuStreamCreate(&stream, NON_BLOCKING), "create a stream");
        for (int launched = 0; launched < 3; launched++)
            must(launch(function, stream), "launch");
        must(cuStreamDestroy_v2(stream), "destroy a stream");
    }
    must(cuCtxSynchronize(), "synchronise");
}

static void *launches_some(void *unused)
{
    CUstream stream;

    must(cuCtxSetCurrent(context), "set current");
    must(cuStreamCreate(&stream, NON_BLOCKING), "create a stream");
    for (int i = 0; i < ROUNDS; i++) {
        must(launch(function, stream), "launch");
        must(cuLaunchKernel_ptsz(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), "launch");
        if (i % 8 == 7)
            must(cuStreamSynchronize(stream), "synchronise");
    }
    must(cuStreamSynchronize(stream), "synchronise");
    return unused;
}

/* Many threads, most of which end soon. */
static void threads(void)
{
    pthread_t started[THREADS];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&started[i], NULL, launches_some, NULL);
        for (int i = 0; i < THREADS; i++)
            pthread_join(started[i], NULL);
    }
}

static void handled(int signal) { (void)signal; }

/* Signals that come all the time. */
static void signals(void)
{
    struct sigaction action = {.sa_handler = handled};
    struct itimerval often = {{0, 700}, {0, 700}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < ROUNDS; i++)
        must(launch(function, NULL), "launch");
    must(cuCtxSynchronize(), "synchronise");
}

/* A program that ends while something is under way, and is being looked at. */
static void leave(void)
{
    must(launch(kernel(300000), NULL), "launch");
    usleep(20000);
}

/* The thread that measures goes when there is nothing to measure, and comes again. */
static void idle(void)
{
    for (int i = 0; i < 2; i++) {
        must(launch(function, NULL), "launch");
        /* A thread gives itself its name. */
        while (threads_called("vgpu-meter") == 0)
            usleep(1000);
        must(cuCtxSynchronize(), "synchronise");
        while (threads_called("vgpu-meter") != 0)
            usleep(10000);
    }
}

static const struct {
    const char *name;
    void (*does)(void);
} lives[] = {
    {"capture", capture}, {"blocking", capture_of_a_blocking_stream}, {"waits", capture_where_another_waits},
    {"callback", callback}, {"forks", forks}, {"contexts", contexts}, {"streams", streams}, {"threads", threads},
    {"signals", signals}, {"idle", idle}, {"leave", leave},
};

int main(int count, char **arguments)
{
    alarm(SECONDS);
    must(cuInit(0), "cuInit");
    must(cuCtxCreate_v2(&context, 0, 0), "create");
    function = kernel(500);
    for (size_t i = 0; count == 2 && i < sizeof lives / sizeof *lives; i++) {
        if (strcmp(lives[i].name, arguments[1]) == 0) {
            lives[i].does();
            printf("fine\n");
            return 0;
        }
    }
    return 2;
}
