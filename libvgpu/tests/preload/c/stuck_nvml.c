/* An NVML whose calls exclude each other, and of which one takes for ever. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int nvmlInit_v2(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int nvmlShutdown(void)
{
    return nvmlInit_v2();
}

int nvmlSystemGetDriverVersion(char *text, unsigned int length)
{
    (void)length;
    pthread_mutex_lock(&lock);
    *text = 0;
    for (;;)
        pause();
}
