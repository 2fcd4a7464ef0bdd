/* What a member says that names functions of a library: FIND makes the function that looks them up. Those that every version
 * has are taken out of a static library; a version that lacks one of the others can be linked as well. */
#include <stddef.h>

static int same(const char *one, const char *other)
{
    while (*one && *one == *other)
        one++, other++;
    return *one == *other;
}

#define NEED_EACH(name) extern char name[];
#define NEED_SOME(name) extern char name[] __attribute__((weak));
#define NEED_FOUND(needed)   \
    if (same(name, #needed)) \
        return needed;

#define FIND(function, NEEDS)         \
    NEEDS(NEED_EACH, NEED_SOME)       \
    void *function(const char *name); \
    void *function(const char *name)  \
    {                                 \
        NEEDS(NEED_FOUND, NEED_FOUND) \
        return NULL;                  \
    }
