/* plugs LIBRARY: opens a plug-in and runs it. */
#include "where.h"

int main(int count, char **arguments)
{
    void *plugin = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*plugged_in)(void) = plugin == NULL ? NULL : (void (*)(void))dlsym(plugin, "plugged_in");

    if (plugged_in == NULL)
        return 1;
    plugged_in();
    return 0;
}
