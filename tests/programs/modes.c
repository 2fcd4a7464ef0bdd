/* open's third argument: needed by O_CREAT and by O_TMPFILE, absent otherwise. */
#include "program.h"

static void mode_of(const char *how, int fd)
{
    struct stat status;

    if (kernel(SYS_fstat, fd, (long)&status, 0, 0) == 0)
        say("  %s: mode %o\n", how, status.st_mode);
    SAW(close(fd));
}

int main(void)
{
    umask(0);
    begin();
    mode_of("open", SAW(open("a", O_CREAT | O_WRONLY, 0604)));
    mode_of("open64", SAW(open64("b", O_CREAT | O_WRONLY, 0406)));
    mode_of("openat", SAW(openat(AT_FDCWD, "c", O_CREAT | O_WRONLY, 0660)));
    mode_of("openat64", SAW(openat64(AT_FDCWD, "d", O_CREAT | O_WRONLY, 04755)));
    mode_of("creat", SAW(creat("e", 0642)));
    mode_of("O_TMPFILE", SAW(open(".", O_TMPFILE | O_RDWR, 0624)));
    mode_of("O_TMPFILE at", SAW(openat(AT_FDCWD, ".", O_TMPFILE | O_RDWR, 0642)));
    char one[] = "one-XXXXXX", two[] = "two-XXXXXX.c", three[] = "three-XXXXXX", four[] = "four-XXXXXX.c";
    mode_of("mkstemp", SAW(mkstemp(one)));
    mode_of("mkstemps", SAW(mkstemps(two, 2)));
    mode_of("mkostemp", SAW(mkostemp(three, O_APPEND)));
    mode_of("mkostemps64", SAW(mkostemps64(four, 2, O_CLOEXEC)));
    SAW(unlink(one)), SAW(unlink(two)), SAW(unlink(three)), SAW(unlink(four));
    mode_of("umask", (umask(027), SAW(open("g", O_CREAT | O_WRONLY, 0666))));
    end();
    return 0;
}
