/* errors LIBRARY NAME...: what dlerror says after each lookup in the library. */
#include "where.h"

int main(int count, char **arguments)
{
    void *library = dlopen(arguments[1], RTLD_NOW);

    for (int i = 2; i < count; i++) {
        const void *address = dlsym(library, arguments[i]);
        const char *error = dlerror();

        printf("%s: %s, %s\n", arguments[i], address == NULL ? "NULL" : "found", error == NULL ? "no error" : error);
    }
    return library == NULL;
}
