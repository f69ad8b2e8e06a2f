/* A plug-in that is linked against the driver and looks it up in its own scope. */
#include "where.h"

void plugged_in(void)
{
    say("default cuInit", dlsym(RTLD_DEFAULT, "cuInit"));
}
