/* many COUNT [SIZE [FILE]]: that many writes of SIZE bytes, one behind the other. */
#include "program.h"

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 1000;
    size_t size = argc > 2 ? (size_t)atol(argv[2]) : 1;
    const char *name = argc > 3 ? argv[3] : "many";
    char *bytes = calloc(1, size);
    long good = 0;
    int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

    for (long i = 0; i < count; i++) {
        errno = SENTINEL;
        good += pwrite(fd, bytes, size, (off_t)((unsigned long)i * size)) == (ssize_t)size && errno == SENTINEL;
    }
    say("good %ld, size %ld, close %d\n", good, size_of(name), close(fd));
    tell();
    free(bytes);
    return 0;
}
