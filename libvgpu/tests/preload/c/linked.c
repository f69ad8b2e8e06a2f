/* Linked against the driver, as llama.cpp and Triton's extensions are. */
#include "where.h"

int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);
int cuMemAlloc_v2(unsigned long long *address, size_t bytes);

int main(void)
{
    unsigned long long address = 0;
    int version = 0;

    say("cuInit", (void *)cuInit);
    say("cuMemAlloc_v2", (void *)cuMemAlloc_v2);
    say("cuDriverGetVersion", (void *)cuDriverGetVersion);
    printf("calls: %d %d %d\n", cuInit(0), cuMemAlloc_v2(&address, 4096), cuDriverGetVersion(&version));
    printf("answers: %llx %d\n", address, version);
    return 0;
}
