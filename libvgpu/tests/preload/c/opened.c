/* opened LIBRARY NAME...: opens the library and looks the names up in it. */
#include "where.h"

int main(int count, char **arguments)
{
    void *library = dlopen(arguments[1], RTLD_NOW);

    for (int i = 2; i < count; i++)
        say(arguments[i], dlsym(library, arguments[i]));
    return library == NULL;
}
