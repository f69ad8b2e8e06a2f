/* apart: takes memory from a driver in a namespace of its own, where nothing is preloaded. */
#include "takes.h"

int main(void)
{
    take(dlmopen(LM_ID_NEWLM, "libcuda.so.1", RTLD_NOW));
    return 0;
}
