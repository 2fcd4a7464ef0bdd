/* What iota uses of liblustreapi, for one layout: the magic number 0x0BD90BD0, whose first 64 KiB lie with the metadata and
   the rest on OSTs 7, 8 and 9. Names and types are those of lustreapi.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct llapi_layout {
    int component;
};

struct llapi_layout *llapi_layout_get_by_xattr(void *xattr, ssize_t size, uint32_t flags)
{
    const uint32_t magic = 0x0BD90BD0;

    if (flags || size < 4 || memcmp(xattr, &magic, sizeof magic))
        return NULL;
    return calloc(1, sizeof(struct llapi_layout));
}

void llapi_layout_free(struct llapi_layout *layout)
{
    free(layout);
}

int llapi_layout_comp_use(struct llapi_layout *layout, uint32_t position)
{
    enum { FIRST = 1, NEXT = 3 };
    int next = position == FIRST ? 0 : position == NEXT ? layout->component + 1 : -1;

    if (next < 0)
        return -1;
    if (next > 1)
        return 1;
    layout->component = next;
    return 0;
}

int llapi_layout_comp_extent_get(const struct llapi_layout *layout, uint64_t *start, uint64_t *end)
{
    *start = layout->component ? 65536 : 0;
    *end = layout->component ? UINT64_MAX : 65536;
    return 0;
}

int llapi_layout_comp_flags_get(const struct llapi_layout *layout, uint32_t *flags)
{
    (void)layout;
    *flags = 0x10;
    return 0;
}

int llapi_layout_comp_id_get(const struct llapi_layout *layout, uint32_t *id)
{
    *id = (uint32_t)layout->component + 1;
    return 0;
}

int llapi_layout_stripe_size_get(const struct llapi_layout *layout, uint64_t *size)
{
    *size = layout->component ? 1 << 20 : 65536;
    return 0;
}

int llapi_layout_stripe_count_get(const struct llapi_layout *layout, uint64_t *count)
{
    *count = layout->component ? 3 : 0;
    return 0;
}

int llapi_layout_pattern_get(const struct llapi_layout *layout, uint64_t *pattern)
{
    *pattern = layout->component ? 0 : 2;
    return 0;
}

int llapi_layout_pool_name_get(const struct llapi_layout *layout, char *name, size_t room)
{
    strncpy(name, layout->component ? "flash" : "", room);
    return 0;
}

int llapi_layout_ost_index_get(const struct llapi_layout *layout, uint64_t stripe, uint64_t *index)
{
    if (!layout->component || stripe > 2)
        return -1;
    *index = 7 + stripe;
    return 0;
}
