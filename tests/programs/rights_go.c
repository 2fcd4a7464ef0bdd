/* A little is done, then the right to open files goes, then more is done.
     rights_go user|root|descriptors|umask CALLS */
#include "program.h"
#include <sys/resource.h>

/* How many calls of it a trace holds. */
static long let_go(const char *what)
{
    struct rlimit few = {8, 8};
    long calls = 0;

    if (strcmp(what, "user") == 0) {
        SAW(setgid(65534) || setuid(65534));
    } else if (strcmp(what, "root") == 0) {
        SAW(chroot("empty") || chdir("/"));
        calls = 2;
    } else if (strcmp(what, "descriptors") == 0) {
        setrlimit(RLIMIT_NOFILE, &few);
        for (calls = 1; open("/dev/null", O_WRONLY) >= 0; calls++)
            ;
    } else {
        umask(0777);
    }
    return calls;
}

int main(int argc, char **argv)
{
    int fd = open("/dev/null", O_WRONLY);
    long made = 2;

    if (argc != 3)
        return 2;
    mkdir("empty", 0700);
    made += let_go(argv[1]);
    for (long i = 0; i < atol(argv[2]); i++, made++)
        write(fd, "abcd", 4);
    say("made %ld\n", made);
    tell();
    return 0;
}
