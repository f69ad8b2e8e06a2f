/* A management library of a branch that nobody simulates: version and size of the internal table are given when it is built. */
#include <stddef.h>
#include <string.h>

#define STRING(text) #text
#define TEXT(text) STRING(text)

enum { SLOTS = 256 };

static const void *table[SLOTS];
static const void *another_table[1] = {(void *)8};

static int native(void)
{
    return 77;
}

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device)
{
    *device = (char *)table + index;
    return 0;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned int length)
{
    const char text[] = "GPU-01020304-0506-0708-090a-0b0c0d0e0f10";

    if (device == NULL || length < sizeof text)
        return 2;
    memcpy(uuid, text, sizeof text);
    return 0;
}

int nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    const char text[] = "12." TEXT(VERSION);

    if (length < sizeof text)
        return 7;
    memcpy(version, text, sizeof text);
    return 0;
}

int nvmlInternalGetExportTable(const void **place, const unsigned char *id)
{
    if (id[0] != 0xc4) {
        *place = another_table;
        return 0;
    }
    for (int slot = 1; slot < SLOTS; slot++)
        table[slot] = (const void *)native;
    table[0] = (void *)(SIZE);
    *place = table;
    return 0;
}
