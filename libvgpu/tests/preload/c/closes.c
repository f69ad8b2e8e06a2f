/* closes LIBRARY: calls a function of a library it has closed, then opens it again. */
#include "where.h"

typedef int allocate(unsigned long long *address, size_t bytes);

int main(int count, char **arguments)
{
    unsigned long long address = 0;
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    allocate *function;

    if (library == NULL)
        return 1;
    function = (allocate *)dlsym(library, "cuMemAlloc_v2");
    dlclose(library);
    printf("closed: %d\n", function(&address, 1));
    library = dlopen(arguments[1], RTLD_NOW);
    say("reopened", dlsym(library, "cuMemAlloc_v2"));
    return 0;
}
