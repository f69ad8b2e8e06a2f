/* processes_listed INDEX: what NVML says of the processes on a device, one line a question that its branch knows. */
#include <string.h>
#include <time.h>

#include "nvml.h"

enum { ROOM = 8 };

struct first {
    u32 pid;
    u64 used;
};

struct second {
    u32 pid;
    u64 used;
    u32 instances[2];
};

struct detail {
    u32 pid;
    u64 used;
    u32 instances[2];
    u64 protected;
};

struct details {
    u32 version, mode, count;
    struct detail *entries;
};

struct sample {
    u32 pid;
    u64 time;
    u32 use[4];
};

static u32 without_instance(const u32 *instances)
{
    return instances[0] == 0xffffffff && instances[1] == 0xffffffff;
}

static void first_form(Device device, const char *list)
{
    char name[64];
    struct first entries[ROOM];
    u32 count = ROOM;

    snprintf(name, sizeof name, "nvmlDeviceGet%sRunningProcesses", list);
    int (*ask)(Device, u32 *, struct first *) = nvml(name);
    printf("%s: %d", list, ask(device, &count, entries));
    for (u32 i = 0; i < count && i < ROOM; i++)
        printf(" %u/%llu", entries[i].pid, entries[i].used);
    puts("");
}

static void second_form(Device device, const char *list, const char *version)
{
    char name[64];
    struct second entries[ROOM];
    u32 count = ROOM;

    snprintf(name, sizeof name, "nvmlDeviceGet%sRunningProcesses_%s", list, version);
    int (*ask)(Device, u32 *, struct second *) = nvml_if_there(name);
    if (ask == NULL)
        return;
    printf("%s %s: %d", list, version, ask(device, &count, entries));
    for (u32 i = 0; i < count && i < ROOM; i++)
        printf(" %u/%llu%s", entries[i].pid, entries[i].used,
               without_instance(entries[i].instances) ? "" : " of an instance");
    puts("");
}

static void details(Device device, u32 mode)
{
    int (*ask)(Device, struct details *) = nvml_if_there("nvmlDeviceGetRunningProcessDetailList");
    struct detail entries[ROOM];
    struct details list = {sizeof list | 1 << 24, mode, ROOM, entries};

    if (ask == NULL)
        return;
    printf("Detail %u: %d", mode, ask(device, &list));
    for (u32 i = 0; i < list.count && i < ROOM; i++)
        printf(" %u/%llu", entries[i].pid, entries[i].used);
    list = (struct details){sizeof list | 9 << 24, mode, ROOM, entries};
    printf(", version %d\n", ask(device, &list));
}

/* How the number of entries is found out, and what must not be asked. */
static void protocol(Device device)
{
    int (*ask)(Device, u32 *, struct second *) = nvml("nvmlDeviceGetComputeRunningProcesses_v2");
    struct second entries[ROOM], untouched[ROOM];
    u32 count = 0;

    memset(entries, 7, sizeof entries);
    memset(untouched, 7, sizeof untouched);
    printf("number: %d", ask(device, &count, NULL));
    printf(" %u\n", count);
    count = 1;
    printf("too small: %d", ask(device, &count, entries));
    printf(" %u %s\n", count, memcmp(entries, untouched, sizeof entries) == 0 ? "untouched" : "written");
    count = ROOM;
    printf("nowhere: %d", ask(device, &count, NULL));
    printf(" %u\n", count);
    printf("no count: %d\n", ask(device, NULL, entries));
    printf("no device: %d\n", ask(NULL, &count, entries));
}

static void use(Device device)
{
    int (*rates)(Device, u32 *) = nvml("nvmlDeviceGetUtilizationRates");
    int (*samples)(Device, struct sample *, u32 *, u64) = nvml("nvmlDeviceGetProcessUtilization");
    struct sample entries[ROOM];
    u32 percent[2], count = ROOM;
    int answer;

    printf("rates: %d", rates(device, percent));
    printf(" %u %u\n", percent[0], percent[1]);
    answer = samples(device, entries, &count, 0);
    printf("use: %d", answer);
    for (u32 i = 0; answer == 0 && i < count && i < ROOM; i++)
        printf(" %u/%u", entries[i].pid, entries[i].use[0]);
    puts("");
}

int main(int count, char **arguments)
{
    Device gpu = device(count > 1 ? (u32)atoi(arguments[1]) : 0);
    int (*memory)(Device, u64 *) = nvml("nvmlDeviceGetMemoryInfo");
    const char *lists[] = {"Compute", "Graphics", "MPSCompute"};
    u64 figures[3];

    printf("memory: %d", memory(gpu, figures));
    printf(" %llu %llu\n", figures[0], figures[2]);
    for (int i = 0; i < 3; i++) {
        first_form(gpu, lists[i]);
        second_form(gpu, lists[i], "v2");
        second_form(gpu, lists[i], "v3");
        details(gpu, (u32)i);
    }
    protocol(gpu);
    use(gpu);
    return 0;
}
