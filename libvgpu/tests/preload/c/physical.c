/* A driver of nothing but physical memory, of two devices and without a bound: handles, references and mappings as the
 * manual has them. Handles are small numbers that are used again at once. */
#include <stddef.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_DEVICE = 101, MOST = 64, DEVICES = 2 };

struct location {
    int kind, id;
};

struct properties {
    int kind, handles;
    struct location location;
    void *security;
    unsigned char flags[8];
};

typedef unsigned long long u64;

static struct piece {
    size_t size;
    int references;
} pieces[MOST];

/* By handle, which is one more than the place: the piece, and how often it is to be released. */
static struct handle {
    struct piece *piece;
    int releases;
} handles[MOST];

static struct mapping {
    u64 address;
    struct piece *piece;
} mappings[MOST];

static struct piece *exported;

/* What multicast objects have: the object, the piece. */
static struct binding {
    struct piece *object, *piece;
    u64 offset;
} bindings[MOST];

int cuInit(unsigned int flags)
{
    return flags == 0 ? SUCCESS : INVALID_VALUE;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    if (device < 0 || device >= DEVICES)
        return INVALID_DEVICE;
    memset(uuid, 0x40 + device, 16);
    return SUCCESS;
}

static struct handle *known(u64 handle)
{
    return handle >= 1 && handle <= MOST && handles[handle - 1].piece != NULL ? &handles[handle - 1] : NULL;
}

static int name(u64 *handle, struct piece *piece)
{
    for (int i = 0; i < MOST; i++)
        if (handles[i].piece == NULL) {
            handles[i] = (struct handle){piece, 1};
            piece->references++;
            *handle = (u64)i + 1;
            return SUCCESS;
        }
    return INVALID_VALUE;
}

int cuMemCreate(u64 *handle, size_t size, const struct properties *properties, u64 flags)
{
    if (handle == NULL || properties == NULL || size == 0 || size % (2 << 20) != 0 || flags != 0)
        return INVALID_VALUE;
    for (int i = 0; i < MOST; i++)
        if (pieces[i].references == 0) {
            pieces[i].size = size;
            return name(handle, &pieces[i]);
        }
    return INVALID_VALUE;
}

static void dropped(struct piece *piece);

/* An object that is gone lets go of all that it has. */
static void unbind(const struct piece *object, u64 offset, size_t size)
{
    for (int i = 0; i < MOST; i++)
        if (bindings[i].object == object && bindings[i].offset - offset < size) {
            struct piece *piece = bindings[i].piece;

            bindings[i].object = NULL;
            dropped(piece);
        }
}

static void dropped(struct piece *piece)
{
    if (--piece->references == 0)
        unbind(piece, 0, (size_t)-1);
}

int cuMulticastCreate(u64 *handle, const void *properties)
{
    if (handle == NULL || properties == NULL)
        return INVALID_VALUE;
    for (int i = 0; i < MOST; i++)
        if (pieces[i].references == 0) {
            pieces[i].size = 1 << 30;
            return name(handle, &pieces[i]);
        }
    return INVALID_VALUE;
}

int cuMulticastBindMem(u64 object, size_t offset, u64 memory, size_t from, size_t size, u64 flags)
{
    struct handle *to = known(object), *held = known(memory);

    if (to == NULL || held == NULL || from != 0 || size != held->piece->size || flags != 0)
        return INVALID_VALUE;
    for (int i = 0; i < MOST; i++)
        if (bindings[i].object == NULL) {
            bindings[i] = (struct binding){to->piece, held->piece, offset};
            held->piece->references++;
            return SUCCESS;
        }
    return INVALID_VALUE;
}

int cuMulticastUnbind(u64 object, int device, size_t offset, size_t size)
{
    struct handle *from = known(object);

    if (from == NULL || device != 0)
        return INVALID_VALUE;
    unbind(from->piece, offset, size);
    return SUCCESS;
}

int cuMemRelease(u64 handle)
{
    struct handle *held = known(handle);

    if (held == NULL)
        return INVALID_VALUE;
    dropped(held->piece);
    if (--held->releases == 0)
        held->piece = NULL;
    return SUCCESS;
}

int cuMemMap(u64 address, size_t size, size_t offset, u64 handle, u64 flags)
{
    struct handle *held = known(handle);

    if (held == NULL || size != held->piece->size || offset != 0 || flags != 0)
        return INVALID_VALUE;
    for (int i = 0; i < MOST; i++)
        if (mappings[i].piece == NULL) {
            mappings[i] = (struct mapping){address, held->piece};
            held->piece->references++;
            return SUCCESS;
        }
    return INVALID_VALUE;
}

int cuMemUnmap(u64 address, size_t size)
{
    size_t undone = 0;

    for (int i = 0; i < MOST; i++)
        if (mappings[i].piece != NULL && mappings[i].address == address && mappings[i].piece->size > size)
            return INVALID_VALUE;
    for (int i = 0; i < MOST; i++)
        if (mappings[i].piece != NULL && mappings[i].address - address < size) {
            undone += mappings[i].piece->size;
            mappings[i].piece->references--;
            mappings[i].piece = NULL;
        }
    return undone == size ? SUCCESS : INVALID_VALUE;
}

/* Another piece's handle may follow, so a retained one is the same. */
int cuMemRetainAllocationHandle(u64 *handle, void *address)
{
    for (int i = 0; i < MOST; i++)
        if (mappings[i].piece != NULL && (u64)(size_t)address - mappings[i].address < mappings[i].piece->size) {
            for (int j = 0; j < MOST; j++)
                if (handles[j].piece == mappings[i].piece) {
                    handles[j].releases++;
                    mappings[i].piece->references++;
                    *handle = (u64)j + 1;
                    return SUCCESS;
                }
            return name(handle, mappings[i].piece);
        }
    return INVALID_VALUE;
}

/* All exports are descriptor 99. */
int cuMemExportToShareableHandle(int *descriptor, u64 handle, int kind, u64 flags)
{
    struct handle *held = known(handle);

    if (held == NULL || kind != 1 || flags != 0)
        return INVALID_VALUE;
    exported = held->piece;
    *descriptor = 99;
    return SUCCESS;
}

/* Any other descriptor comes from another process. */
int cuMemImportFromShareableHandle(u64 *handle, void *descriptor, int kind)
{
    static struct piece foreign = {2 << 20, 1};

    return kind == 1 ? name(handle, (size_t)descriptor == 99 ? exported : &foreign) : INVALID_VALUE;
}
