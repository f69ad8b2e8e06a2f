/* takes LIBRARY...: takes memory from each of these drivers. */
#include "takes.h"

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++)
        take(dlopen(arguments[i], RTLD_NOW));
    return 0;
}
