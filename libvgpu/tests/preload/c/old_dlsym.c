/* old_dlsym LIBRARY NAME...: asks the dlsym that programs built before glibc 2.34 are linked to. */
#include "where.h"

#if defined(__x86_64__)
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver dlsym, dlsym@GLIBC_2.17");
#endif

int main(int count, char **arguments)
{
    void *library = dlopen(arguments[1], RTLD_NOW);

    for (int i = 2; i < count; i++)
        say(arguments[i], dlsym(library, arguments[i]));
    return library == NULL;
}
