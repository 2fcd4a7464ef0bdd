/* Asks for functions that the C library may lack, as programs do that are built for several: it uses what it finds. */
#include "program.h"
#include <dlfcn.h>
#include <linux/openat2.h>

extern int openat2(int, const char *, const struct open_how *, size_t) __attribute__((weak));

int main(void)
{
    struct open_how how = {.flags = O_CREAT | O_WRONLY, .mode = 0600};
    void (*closefrom_here)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "closefrom");

    if (openat2) {
        int fd = openat2(AT_FDCWD, "newer", &how, sizeof how);
        say("opened %d\n", fd >= 0 || errno == ENOSYS);
    }
    if (closefrom_here) {
        int low = open("low", O_CREAT | O_WRONLY, 0600);
        closefrom_here(low);
        say("closed %d\n", fcntl(low, F_GETFD) == -1);
    }
    tell();
    return 0;
}
