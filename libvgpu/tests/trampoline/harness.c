/* Puts a trampoline through every path: when it asks the filter, what the real function sees, and what comes back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct verdict {
    uintptr_t forward;
    void *answer;
};

void *trampoline(void *handle, const char *name, const char *version);
void arrival(void);

/* What the trampoline calls. */
struct verdict trampoline_filter(void *handle, const char *name, const char *version);
uintptr_t trampoline_resolve(void);
uintptr_t trampoline_real;

static char handle, version, answer_of_filter, answer_of_real;
static struct verdict verdict;
static const char *asked_for;
static int filtered, resolved, forwarded;
static const void *return_address;

static void require(int condition, const char *what)
{
    if (!condition) {
        printf("%s: %s\n", asked_for == NULL ? "no name" : asked_for, what);
        fflush(stdout);
        abort();
    }
}

/* Whoever is called may change every register that the calling convention does not protect. */
static inline __attribute__((always_inline)) void spoil_registers(void)
{
#if defined(__x86_64__)
    __asm__ volatile("mov $-1, %%rax\n mov %%rax, %%rcx\n mov %%rax, %%rdx\n mov %%rax, %%rsi\n mov %%rax, %%rdi\n"
                     "mov %%rax, %%r8\n mov %%rax, %%r9\n mov %%rax, %%r10\n mov %%rax, %%r11" ::
                         : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
#elif defined(__aarch64__)
    __asm__ volatile("mov x0, #-1\n mov x1, x0\n mov x2, x0\n mov x3, x0\n mov x4, x0\n mov x5, x0\n mov x6, x0\n"
                     "mov x7, x0\n mov x8, x0\n mov x9, x0\n mov x10, x0\n mov x11, x0\n mov x12, x0\n mov x13, x0\n"
                     "mov x14, x0\n mov x15, x0\n mov x16, x0\n mov x17, x0\n mov x30, x0" ::
                         : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
                           "x15", "x16", "x17", "x30");
#endif
}

static void require_alignment(const void *frame)
{
    require((uintptr_t)frame % 16 == 0, "the stack is not aligned");
}

static void *real(void *seen_handle, const char *seen_name, const char *seen_version)
{
    require(seen_handle == &handle && seen_name == asked_for && seen_version == &version, "an argument was changed");
    require_alignment(__builtin_frame_address(0));
    return_address = __builtin_return_address(0);
    forwarded++;
    return &answer_of_real;
}

struct verdict trampoline_filter(void *seen_handle, const char *seen_name, const char *seen_version)
{
    require(seen_handle == &handle && seen_name == asked_for && seen_version == &version, "the filter sees other arguments");
    require_alignment(__builtin_frame_address(0));
    filtered++;
    spoil_registers();
    return verdict;
}

uintptr_t trampoline_resolve(void)
{
    require_alignment(__builtin_frame_address(0));
    resolved++;
    spoil_registers();
    return (uintptr_t)real;
}

static uintptr_t arrived_from;

void trampoline_arrived(uintptr_t caller)
{
    require_alignment(__builtin_frame_address(0));
    arrived_from = caller;
    spoil_registers();
}

/* Calls the trampoline from an address that the real function can recognise. */
static __attribute__((noinline)) void *ask(const char *name)
{
    void *found;

    asked_for = name;
    filtered = resolved = forwarded = 0;
    return_address = NULL;
    found = trampoline(&handle, name, &version);
    __asm__ volatile("" ::: "memory");
    return found;
}

static void require_forwarded(const char *name, int filter_calls, int resolve_calls)
{
    void *found = ask(name);
    uintptr_t distance;

    require(found == &answer_of_real, "the real function's answer is lost");
    require(forwarded == 1, "the real function is called once");
    require(filtered == filter_calls, "the filter's calls");
    require(resolved == resolve_calls, "the calls that find the real function");
    distance = (uintptr_t)return_address - (uintptr_t)ask;
    require(distance < 512, "the real function sees another caller");
}

static void names_that_are_not_ours(void)
{
    static const char *const names[] = {NULL, "", "a", "c", "n", "d", "ca", "na", "da", "malloc", "uc", "vn", "ld", "Cu", "NV"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        require_forwarded(names[i], 0, 0);
}

static void names_that_may_be_ours(void)
{
    static const char *const names[] = {"cu", "nv", "dl", "cuInit", "nvmlInit_v2", "dlsym"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        verdict = (struct verdict){0, &answer_of_filter};
        require(ask(names[i]) == &answer_of_filter, "the filter's answer is lost");
        require(filtered == 1 && forwarded == 0 && resolved == 0, "the filter alone answers");
        verdict = (struct verdict){0, NULL};
        require(ask(names[i]) == NULL, "the filter's answer that nothing is there is lost");
        verdict = (struct verdict){1, NULL};
        require_forwarded(names[i], 1, 0);
    }
}

static void before_the_real_function_is_known(void)
{
    trampoline_real = 0;
    require_forwarded("malloc", 0, 1);
    require_forwarded(NULL, 0, 1);
    verdict = (struct verdict){1, NULL};
    require_forwarded("cuInit", 1, 1);
}

static __attribute__((noinline)) void a_library_that_starts_is_told_by_its_address(void)
{
    arrival();
    require(arrived_from - (uintptr_t)a_library_that_starts_is_told_by_its_address < 512, "somebody else has started");
}

int main(void)
{
    trampoline_real = (uintptr_t)real;
    names_that_are_not_ours();
    names_that_may_be_ours();
    before_the_real_function_is_known();
    a_library_that_starts_is_told_by_its_address();
    puts("every path is right");
    return 0;
}
