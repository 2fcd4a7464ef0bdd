/* A library with an IFUNC whose resolver asks for a file, and that calls the function itself: so the resolver runs while
   the library is put together. */
#include <fcntl.h>
#include <unistd.h>

int asked = 5, opened = 5;

static int resolved(void)
{
    return 77;
}

static int (*resolver(void))(void)
{
    asked = access("/", F_OK);
    opened = open("/dev/null", O_RDONLY);
    return resolved;
}

int lib_chosen(void) __attribute__((ifunc("resolver")));

int lib_result(void)
{
    return lib_chosen();
}

int lib_open(void)
{
    return opened;
}
