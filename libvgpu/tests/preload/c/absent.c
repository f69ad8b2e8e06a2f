/* absent NAME...: what a lookup among all that is loaded answers, and dlerror after it, in a program without a driver. */
#include "where.h"

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        const void *address = dlsym(RTLD_DEFAULT, arguments[i]);
        const char *error = dlerror();

        printf("%s: %s, %s\n", arguments[i], where(address), error == NULL ? "no error" : error);
    }
    return 0;
}
