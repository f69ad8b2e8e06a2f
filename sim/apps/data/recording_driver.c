/* A driver that has every function and can do nothing, and writes down what it is asked for: `record` loads libcudart on it.

   Every answer is the same function, which fails, so that libcudart gives up after its lookups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, UNKNOWN = 999 };

static int refuse(void)
{
    return UNKNOWN;
}

static int version(int *number)
{
    *number = 99990;
    return SUCCESS;
}

static void *answer(const char *symbol, int asked_for);

static void write_down(const char *how, const char *symbol, int asked_for, unsigned long long flags)
{
    FILE *record = fopen(getenv("RECORD"), "a");

    if (record != NULL) {
        fprintf(record, "%s\t%s\t%d\t%llu\n", how, symbol, asked_for, flags);
        fclose(record);
    }
}

int cuGetProcAddress(const char *symbol, void **function, int asked_for, unsigned long long flags)
{
    write_down("first", symbol, asked_for, flags);
    *function = answer(symbol, asked_for);
    return SUCCESS;
}

int cuGetProcAddress_v2(const char *symbol, void **function, int asked_for, unsigned long long flags, int *status)
{
    (void)status;
    write_down("second", symbol, asked_for, flags);
    if (function != NULL)
        *function = answer(symbol, asked_for);
    return SUCCESS;
}

int cuDriverGetVersion(int *number)
{
    return version(number);
}

int cuInit(unsigned int flags)
{
    (void)flags;
    return refuse();
}

/* libcudart goes on with the lookup function that it is given here. */
static void *answer(const char *symbol, int asked_for)
{
    if (strcmp(symbol, "cuGetProcAddress") == 0)
        return asked_for < 12000 ? (void *)cuGetProcAddress : (void *)cuGetProcAddress_v2;
    return strcmp(symbol, "cuDriverGetVersion") == 0 ? (void *)version : (void *)refuse;
}
