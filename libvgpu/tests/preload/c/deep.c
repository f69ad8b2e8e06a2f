/* deep LIBRARY now|lazy: opens a plug-in that sees its own libraries before anybody else's, and runs it. */
#include "where.h"

int main(int count, char **arguments)
{
    int mode = count > 2 && strcmp(arguments[2], "lazy") == 0 ? RTLD_LAZY : RTLD_NOW;
    void *plugin = count > 1 ? dlopen(arguments[1], mode | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    void (*plugged_in)(void) = plugin == NULL ? NULL : (void (*)(void))dlsym(plugin, "plugged_in");

    if (plugged_in == NULL)
        return 1;
    plugged_in();
    return 0;
}
