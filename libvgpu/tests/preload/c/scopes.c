/* scopes [LIBRARY MODE]: looks names up in the scopes that have no handle of one library, after opening the library
   with RTLD_LOCAL or RTLD_GLOBAL if one is given. */
#include "where.h"

int main(int count, char **arguments)
{
    int scope = count > 2 && strcmp(arguments[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    void *program;

    if (count > 1 && dlopen(arguments[1], RTLD_NOW | scope) == NULL)
        return 1;
    program = dlopen(NULL, RTLD_NOW);
    say("default cuInit", dlsym(RTLD_DEFAULT, "cuInit"));
    say("default cuDriverGetVersion", dlsym(RTLD_DEFAULT, "cuDriverGetVersion"));
    say("default nvmlInit_v2", dlsym(RTLD_DEFAULT, "nvmlInit_v2"));
    say("program cuInit", dlsym(program, "cuInit"));
    say("program cuDriverGetVersion", dlsym(program, "cuDriverGetVersion"));
    say("program nvmlInit_v2", dlsym(program, "nvmlInit_v2"));
    return 0;
}
