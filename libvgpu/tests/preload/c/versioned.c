/* versioned LIBRARY NAME VERSION...: looks the name up at each version, dlvsym's way. */
#include "where.h"

int main(int count, char **arguments)
{
    void *library = dlopen(arguments[1], RTLD_NOW);

    for (int i = 3; i < count; i++)
        say(arguments[i], dlvsym(library, arguments[2], arguments[i]));
    return library == NULL;
}
