/* copies FIRST SECOND: opens two copies of the driver and says which of their functions are hooked. */
#include "where.h"

typedef int allocate(unsigned long long *address, size_t bytes);

static void look_up(const char *copy, const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    allocate *function = (allocate *)dlsym(library, "cuMemAlloc_v2");
    unsigned long long address = 0;

    printf("%s: %s, called: %d\n", copy, where((void *)function), function(&address, 1));
}

int main(int count, char **arguments)
{
    if (count < 3)
        return 1;
    look_up("first", arguments[1]);
    look_up("second", arguments[2]);
    return 0;
}
