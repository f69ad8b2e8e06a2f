/* protocol [table]: what every function that lists processes or their use answers to every way of asking, a line each,
   before, during and after initialisation. With `table`, the same of nvidia-smi's internal table. Process ids and amounts are
   not told, so that equal scenes on two machines answer alike. */
#include <string.h>
#include <sys/mman.h>

#include "nvml.h"

/* Bytes of the place for answers, and how many of them are looked at. */
enum { PLACE = 1 << 20, LOOKED_AT = 4096 };

static const u32 rooms[] = {0, 1, 2, 3, 8, 1000, 0x7fffffff, 0xffffffff};
static const u64 stamps[] = {0, 1, 1ull << 62, ~0ull};
static unsigned char *place;

#define EACH(index, list) for (size_t index = 0; index < sizeof list / sizeof *list; index++)

static void *fresh(int there)
{
    memset(place, 7, LOOKED_AT);
    return there ? place : NULL;
}

static const char *touched(void)
{
    for (size_t i = 0; i < LOOKED_AT; i++)
        if (place[i] != 7)
            return "written";
    return "untouched";
}

typedef int (*List)(Device, u32 *, void *);

static void ask_list(const char *name, List ask, Device gpu)
{
    EACH(i, rooms)
        for (int there = 0; there < 2; there++) {
            u32 count = rooms[i];
            int answer = ask(gpu, &count, fresh(there));

            printf("%s, room %u%s: %d %u %s\n", name, rooms[i], there ? "" : " nowhere", answer, count, touched());
        }
    printf("%s, no count: %d", name, ask(gpu, NULL, fresh(1)));
    printf(" %d %s\n", ask(gpu, NULL, NULL), touched());
    for (Device device = NULL; device < (Device)0x2000; device += 0x1fff) {
        u32 count = 0xffffffff;
        int answer = ask(device, &count, fresh(1));

        printf("%s, device %p: %d %u %s\n", name, device, answer, count, touched());
    }
}

static void lists(Device gpu)
{
    static const char *names[] = {
        "ComputeRunningProcesses", "ComputeRunningProcesses_v2", "ComputeRunningProcesses_v3",
        "GraphicsRunningProcesses", "GraphicsRunningProcesses_v2", "GraphicsRunningProcesses_v3",
        "MPSComputeRunningProcesses", "MPSComputeRunningProcesses_v2", "MPSComputeRunningProcesses_v3",
        "AccountingPids", "EncoderSessions", "FBCSessions",
    };

    EACH(i, names) {
        char name[64];

        snprintf(name, sizeof name, "nvmlDeviceGet%s", names[i]);
        List ask = (List)nvml_if_there(name);
        if (ask != NULL)
            ask_list(names[i], ask, gpu);
    }
}

struct details {
    u32 version, mode, count;
    void *entries;
};

static void details(Device gpu)
{
    int (*ask)(Device, struct details *) = nvml_if_there("nvmlDeviceGetRunningProcessDetailList");
    u32 versions[] = {sizeof(struct details) | 1 << 24, sizeof(struct details) | 2 << 24, 1 << 24, 0, 0xffffffff};

    if (ask == NULL)
        return;
    EACH(version, versions)
        for (u32 mode = 0; mode < 5; mode++)
            EACH(i, rooms)
                for (int there = 0; there < 2; there++) {
                    struct details list = {versions[version], mode, rooms[i], fresh(there)};
                    int answer = ask(gpu, &list);

                    printf("details %zu, mode %u, room %u%s: %d %u %u %s\n", version, mode, rooms[i],
                           there ? "" : " nowhere", answer, list.mode, list.count, touched());
                }
    printf("no details: %d %d\n", ask(gpu, NULL), ask(NULL, &(struct details){versions[0], 0, 8, fresh(1)}));
}

struct use {
    u32 version, count;
    u64 since;
    void *entries;
};

static void uses(Device gpu)
{
    int (*samples)(Device, void *, u32 *, u64) = nvml("nvmlDeviceGetProcessUtilization");
    int (*info)(Device, struct use *) = nvml_if_there("nvmlDeviceGetProcessesUtilizationInfo");
    u32 versions[] = {sizeof(struct use) | 1 << 24, sizeof(struct use) | 2 << 24, 0};

    EACH(since, stamps)
        EACH(i, rooms)
            for (int there = 0; there < 2; there++) {
                u32 count = rooms[i];
                int answer = samples(gpu, fresh(there), &count, stamps[since]);

                printf("samples %zu, room %u%s: %d %u %s\n", since, rooms[i], there ? "" : " nowhere", answer, count,
                       touched());
                for (int version = 0; info != NULL && version < 3; version++) {
                    struct use use = {versions[version], rooms[i], stamps[since], fresh(there)};

                    answer = info(gpu, &use);
                    printf("use %d: %d %u %s\n", version, answer, use.count, touched());
                }
            }
    printf("no samples: %d %d", samples(gpu, place, NULL, 0), samples(gpu, NULL, NULL, 0));
    printf(" %d\n", samples(NULL, place, &(u32){0xffffffff}, 0));
    if (info != NULL)
        printf("no use: %d\n", info(gpu, NULL));
}

struct memory {
    u32 version;
    u64 figures[4];
};

static void amounts(Device gpu)
{
    int (*rates)(Device, u32 *) = nvml("nvmlDeviceGetUtilizationRates");
    int (*memory)(Device, u64 *) = nvml("nvmlDeviceGetMemoryInfo");
    int (*second)(Device, struct memory *) = nvml_if_there("nvmlDeviceGetMemoryInfo_v2");
    int (*account)(Device, u32, void *) = nvml("nvmlDeviceGetAccountingStats");
    u32 versions[] = {sizeof(struct memory) | 2 << 24, sizeof(struct memory) | 1 << 24, 0, 0xffffffff};

    printf("rates: %d %d", rates(gpu, fresh(1)), rates(gpu, NULL));
    printf(" %s; %d %s\n", touched(), rates(NULL, fresh(1)), touched());
    printf("memory: %d %d", memory(gpu, fresh(1)), memory(gpu, NULL));
    printf(" %s; %d %s\n", touched(), memory(NULL, fresh(1)), touched());
    for (int version = 0; second != NULL && version < 4; version++) {
        struct memory told = {versions[version], {9, 9, 9, 9}};
        int answer = second(gpu, &told);

        printf("memory %d: %d %s\n", version, answer, told.figures[0] == 9 ? "untouched" : "written");
    }
    if (second != NULL)
        printf("no memory: %d\n", second(gpu, NULL));
    printf("account: %d %d", account(gpu, 1, fresh(1)), account(gpu, 1, NULL));
    printf(" %d %s\n", account(NULL, 1, place), touched());
}

static void public(const char *when, Device gpu)
{
    printf("== %s\n", when);
    lists(gpu);
    details(gpu);
    uses(gpu);
    amounts(gpu);
}

static void table(const char *when, Device gpu)
{
    static const unsigned char known[16] = {0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                                            0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4};
    int (*get)(void *const **, const void *) = nvml("nvmlInternalGetExportTable");
    void *const *slots = NULL;
    int answers[] = {get(&slots, known), get(NULL, known), get(&(void *const *){NULL}, NULL)};

    printf("== %s: %d %d %d\n", when, answers[0], answers[1], answers[2]);
    for (int slot = 213; slot < 216; slot++) {
        char name[16];

        snprintf(name, sizeof name, "slot %d", slot);
        ask_list(name, (List)slots[slot], gpu);
    }
    int (*samples)(Device, u64, u32 *, u32 *, void *) = (int (*)(Device, u64, u32 *, u32 *, void *))slots[145];
    for (int device = 0; device < 3; device++)
        EACH(i, rooms)
            for (int there = 0; there < 2; there++) {
                u32 unknown, count = rooms[i];
                int answer = samples(device == 0 ? gpu : (Device)(0x1fffl * (device - 1)), 0, &unknown, &count, fresh(there));

                /* Samples of two machines are not equally many. */
                printf("samples, device %d, room %u%s: %d %d %s\n", device, rooms[i], there ? "" : " nowhere", answer,
                       count == rooms[i], touched());
            }
    printf("samples, no count: %d\n", samples(gpu, 0, &(u32){0}, NULL, place));
}

int main(int count, char **arguments)
{
    int (*init)(void) = nvml("nvmlInit_v2"), (*down)(void) = nvml("nvmlShutdown");
    int (*flags)(u32) = nvml("nvmlInitWithFlags"), (*handle)(u32, Device *) = nvml("nvmlDeviceGetHandleByIndex_v2");
    void (*ask)(const char *, Device) = count > 1 && strcmp(arguments[1], "table") == 0 ? table : public;
    Device gpu = (Device)1;

    place = mmap(NULL, PLACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("handle: %d\n", handle(0, &gpu));
    ask("before", gpu);
    printf("init: %d %d\n", init(), handle(0, &gpu));
    ask("initialised", gpu);
    printf("twice more: %d %d, twice down: %d %d\n", init(), flags(0), down(), down());
    ask("still initialised", gpu);
    printf("down: %d %d\n", down(), down());
    ask("after", gpu);
    printf("again: %d %d %d\n", flags(2), flags(0xffffffff), handle(0, &gpu));
    ask("again", gpu);
    return 0;
}
