/* Kernels of the simulated GPU, which take a stated time, and what the process looks like while they run. */
#ifndef KERNELS_H
#define KERNELS_H

#include <dirent.h>
#include <string.h>
#include <time.h>

#include "cuda.h"

/* A kernel of the current context that takes so many microseconds. */
static inline CUfunction kernel(int microseconds)
{
    CUmodule module;
    CUfunction function;
    char image[64];

    snprintf(image, sizeof image, "SIMKERN v1\nname=work dur_us=%d\n", microseconds);
    must(cuModuleLoadData(&module, image), "load");
    must(cuModuleGetFunction(&function, module, "work"), "get a function");
    return function;
}

/* Launches one block of it. */
static inline CUresult launch(CUfunction function, CUstream stream)
{
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

static inline long milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* How many threads of this process have this name. */
static inline int threads_called(const char *name)
{
    DIR *threads = opendir("/proc/self/task");
    struct dirent *thread;
    int count = 0;

    while ((thread = readdir(threads)) != NULL) {
        char path[300], found[32] = "";
        FILE *file;

        snprintf(path, sizeof path, "/proc/self/task/%s/comm", thread->d_name);
        file = fopen(path, "r");
        if (file == NULL)
            continue;
        if (fgets(found, sizeof found, file) != NULL && strncmp(found, name, strlen(name)) == 0)
            count++;
        fclose(file);
    }
    closedir(threads);
    return count;
}

#endif
