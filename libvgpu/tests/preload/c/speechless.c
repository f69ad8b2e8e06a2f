/* speechless closed|unread|full: starts the driver with a standard error that takes nothing. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cuda.h"

enum { SECONDS = 60 };

/* A pipe in place of standard error; the end to read from is returned. */
static int pipe_instead(void)
{
    int ends[2];

    if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
        exit(2);
    close(ends[1]);
    return ends[0];
}

static void fill(void)
{
    char block[4096] = {0};

    fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    while (write(STDERR_FILENO, block, sizeof block) > 0)
        ;
    fcntl(STDERR_FILENO, F_SETFL, 0);
}

int main(int count, char **arguments)
{
    const char *how = count == 2 ? arguments[1] : "";
    sigset_t blocked, pending;

    if (strcmp(how, "closed") == 0)
        close(STDERR_FILENO);
    else if (strcmp(how, "unread") == 0)
        close(pipe_instead());
    else if (strcmp(how, "full") == 0 && pipe_instead() >= 0)
        fill();
    else
        return 2;
    alarm(SECONDS);
    printf("cuInit: %d\n", cuInit(0));
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    sigpending(&pending);
    printf("SIGPIPE: %s, %s\n", sigismember(&blocked, SIGPIPE) ? "blocked" : "not blocked",
           sigismember(&pending, SIGPIPE) ? "pending" : "not pending");
    return 0;
}
