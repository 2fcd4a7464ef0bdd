/* A plugin whose constructor waits, while the dynamic linker's lock is held for it. */
#include <unistd.h>

enum { READY = 100, GO = 101 };

__attribute__((constructor)) static void loaded(void)
{
    char byte = 0;

    if (write(READY, &byte, 1) == 1)
        (void)!read(GO, &byte, 1);
}
