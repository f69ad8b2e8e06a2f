/* caller: asks for the next function of a name twice, from the program and from a library behind the interposer. */
#include "where.h"

void ask_next(const char *name);

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        say("main", dlsym(RTLD_NEXT, arguments[i]));
        say("main", dlsym(RTLD_NEXT, arguments[i]));
        ask_next(arguments[i]);
    }
    return 0;
}
