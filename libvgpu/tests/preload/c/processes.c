/* processes LIBRARY HOW: makes a child before or after the first lookup, which looks up too. */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "where.h"

static void look_up(const char *who, const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    say(who, dlsym(library, "cuInit"));
    fflush(stdout);
}

static pid_t child_of(const char *how, char **arguments)
{
    char *child[] = {arguments[0], arguments[1], "child", NULL};
    char *environment[] = {getenv("LD_PRELOAD") - strlen("LD_PRELOAD="), getenv("LD_LIBRARY_PATH") - strlen("LD_LIBRARY_PATH="), NULL};
    pid_t pid;

    if (strcmp(how, "spawn") == 0)
        return posix_spawn(&pid, arguments[0], NULL, NULL, child, environment) == 0 ? pid : -1;
    if (strcmp(how, "vfork") == 0) {
        pid = vfork();
        if (pid == 0) {
            execve(arguments[0], child, environment);
            _exit(127);
        }
        return pid;
    }
    pid = fork();
    if (pid == 0) {
        look_up("child", arguments[1]);
        _exit(0);
    }
    return pid;
}

int main(int count, char **arguments)
{
    int status = -1;

    if (count < 3)
        return 1;
    if (strcmp(arguments[2], "child") == 0) {
        look_up("child", arguments[1]);
        return 0;
    }
    if (strcmp(arguments[2], "before") != 0)
        look_up("parent", arguments[1]);
    waitpid(child_of(arguments[2], arguments), &status, 0);
    printf("status: %d\n", status);
    look_up("parent", arguments[1]);
    return 0;
}
