/* What the internal table looks like that nvidia-smi is given. */
#include <string.h>

#include "nvml.h"
#include "where.h"

typedef int (*Slot)(Device, u64, void *, u32 *, void *);

static const unsigned char known[16] = {0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                                        0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4};
static const unsigned char other[16] = {7};

int main(void)
{
    int (*get)(const void **, const void *) = nvml("nvmlInternalGetExportTable");
    Device gpu = device(0);
    const void *const *table, *again, *another;
    char samples[488];
    u32 count = 1;
    int slots[] = {26, 72, 81, 145, 213, 214, 215, 216};

    if (get((const void **)&table, known) != 0 || get(&again, known) != 0 || get(&another, other) != 0)
        return 2;
    printf("size: %zu\n", (size_t)table[0]);
    say("another table", another);
    printf("again: %s\n", again == (const void *)table ? "the same" : "another");
    if ((size_t)table[0] < 217 * sizeof *table)
        return 0;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        char name[16];

        snprintf(name, sizeof name, "slot %d", slots[i]);
        say(name, table[slots[i]]);
    }
    printf("samples: %d\n", ((Slot)table[145])(gpu, 0, NULL, &count, samples));
    return 0;
}
