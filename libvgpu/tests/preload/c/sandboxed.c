/* Sets up a sandbox that opens no files and gives no random numbers, and goes on in a new thread: a request beside others'
   use that does not fit, and memory of a kind that was not used before. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "cuda.h"

#define DENY(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    DENY(openat),
    DENY(getrandom),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static CUcontext context;

static void *go_on(void *unused)
{
    CUdeviceptr address;

    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    printf("too much: %d\n", cuMemAlloc_v2(&address, 1024ul * MIB));
    printf("of a pool: %d\n", cuMemAllocAsync(&address, MIB, NULL));
    return unused;
}

int main(void)
{
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    pthread_t thread;

    must(cuInit(0), "cuInit");
    must(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 2;
    if (pthread_create(&thread, NULL, go_on, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 2;
    return 0;
}
