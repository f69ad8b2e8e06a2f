/* queries LIBRARY NAME...: what cuGetProcAddress of the library answers. */
#include "where.h"

typedef int query(const char *symbol, void **function, int version, unsigned long long flags);

int main(int count, char **arguments)
{
    query *ask = (query *)dlsym(dlopen(arguments[1], RTLD_NOW), "cuGetProcAddress");

    for (int i = 2; i < count; i++) {
        void *function = NULL;

        if (ask(arguments[i], &function, 12000, 0) != 0)
            function = NULL;
        say(arguments[i], function);
    }
    return 0;
}
