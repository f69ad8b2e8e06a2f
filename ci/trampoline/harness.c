/* Tests one architecture's `dlsym` trampoline alone: its filter, the real function and the resolver are played here.
 * Built and run by `cargo xtask trampoline`, on the other architecture's emulator where needed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct verdict {
    uintptr_t forward;
    void *answer;
};

extern void *trampoline(void *handle, const char *name, const char *version);

/* Where the trampoline finds the real function; null until it was resolved. */
void *(*trampoline_real)(void *, const char *, const char *);

static struct verdict next_verdict;
static int filtered, resolved, failures;
static struct {
    void *handle;
    const char *name, *version;
    void *returns_to;
} seen;

static void *const HANDLE = (void *)0x1111, *const REAL_ANSWER = (void *)0x2222, *const OUR_ANSWER = (void *)0x3333;
static const char *const VERSION = "GLIBC_2.17";

struct verdict trampoline_filter(void *handle, const char *name, const char *version) {
    filtered++;
    seen.handle = handle, seen.name = name, seen.version = version;
    return next_verdict;
}

static void *real(void *handle, const char *name, const char *version) {
    seen.handle = handle, seen.name = name, seen.version = version;
    seen.returns_to = __builtin_return_address(0);
    return REAL_ANSWER;
}

void *(*trampoline_resolve(void))(void *, const char *, const char *) {
    resolved++;
    return trampoline_real = real;
}

/* The application: the real function must see this as its caller. Not inlined, no tail call. */
__attribute__((noinline)) static void *application(const char *name) {
    void *volatile answer = trampoline(HANDLE, name, VERSION);
    return answer;
}

static void expect(int holds, const char *what, const char *name) {
    if (!holds) {
        failures++;
        printf("FAILED: %s (name %s)\n", what, name ? name : "null");
    }
}

static void ask(const char *name, struct verdict verdict, int should_filter) {
    int to_real = !should_filter || verdict.forward;
    next_verdict = verdict, filtered = 0;
    memset(&seen, 0, sizeof seen);
    void *answer = application(name);
    uintptr_t caller = (uintptr_t)seen.returns_to - (uintptr_t)application;
    expect(filtered == should_filter, "asks the filter for exactly the names that may be ours", name);
    expect(answer == (to_real ? REAL_ANSWER : OUR_ANSWER), "returns the answer of who was to answer", name);
    expect(seen.handle == HANDLE && seen.name == name && seen.version == VERSION, "passes the arguments on", name);
    expect(!to_real || caller < 128, "the real function sees the application as its caller", name);
}

int main(void) {
    const struct verdict forward = {1, 0}, ours = {0, OUR_ANSWER};
    const char *others[] = {NULL, "", "c", "n", "d", "malloc", "cxx", "none", "dx", "Cu", "uc"};
    const char *perhaps[] = {"cu", "cuInit", "nvmlInit_v2", "dlsym", "curl_easy_init"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        trampoline_real = i % 2 ? real : NULL;
        ask(others[i], ours, 0);
    }
    expect(resolved == 6, "resolves the real function when it is not known, and only then", "");
    for (size_t i = 0; i < sizeof perhaps / sizeof *perhaps; i++) {
        trampoline_real = i % 2 ? real : NULL;
        ask(perhaps[i], forward, 1);
        ask(perhaps[i], ours, 1);
    }
    expect(resolved == 9, "resolves the real function after the filter, too", "");
    return failures != 0;
}
