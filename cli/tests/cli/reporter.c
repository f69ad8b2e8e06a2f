/* Says which signals it gets, each as often as it gets it, and ends at TERM with status 42. */

#include <signal.h>
#include <unistd.h>

static void say(int signal) {
    switch (signal) {
    case SIGINT: write(1, "INT\n", 4); break;
    case SIGHUP: write(1, "HUP\n", 4); break;
    case SIGQUIT: write(1, "QUIT\n", 5); break;
    case SIGUSR1: write(1, "USR1\n", 5); break;
    case SIGUSR2: write(1, "USR2\n", 5); break;
    default: _exit(42);
    }
}

int main(void) {
    static const int signals[] = {SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], say);
    write(1, "ready\n", 6);
    for (;;)
        pause();
}
