/* Built with -O2 -D_FORTIFY_SOURCE=2: sizes known at build time, counts only at run time, as distributions compile. */
#include "program.h"

static volatile size_t four = 4;

static void descriptors(int flags)
{
    char buffer[16];
    int fd = open("fortified", flags | O_CREAT, 0600);

    say("  write %zd\n", write(fd, "0123456789", four));
    say("  pread %zd\n", pread(fd, buffer, four, 1));
    say("  pread64 %zd\n", pread64(fd, buffer, four, 2));
    lseek(fd, 0, SEEK_SET);
    say("  read %zd\n", read(fd, buffer, four));
    show("read", buffer, 4);
    close(fd);
    close(open("fortified", flags));
    close(open64("fortified", flags));
    close(openat(AT_FDCWD, "fortified", flags));
    close(openat64(AT_FDCWD, "fortified", flags));
}

static void streams(void)
{
    char buffer[16];
    FILE *stream = fopen("fortified", "w+");

    say("  fprintf %d\n", fprintf(stream, "%zu lines\n", four));
    rewind(stream);
    say("  fgets %s", fgets(buffer, (int)four + 3, stream));
    say("\n  fread %zu\n", fread(buffer, 1, four - 2, stream));
    rewind(stream);
    say("  fgets_unlocked %s\n", fgets_unlocked(buffer, (int)four, stream));
    say("  fread_unlocked %zu\n", fread_unlocked(buffer, 1, four - 2, stream));
    fclose(stream);
    printf("printf %zu\n", four);
    fflush(stdout);
    dprintf(1, "dprintf %zu\n", four);
}

static void links(void)
{
    char buffer[16];

    symlink("fortified", "link");
    say("  readlink %zd\n", readlink("link", buffer, four));
    say("  readlinkat %zd\n", readlinkat(AT_FDCWD, "link", buffer, four));
    show("link", buffer, 4);
}

int main(int argc, char **argv)
{
    begin();
    descriptors(argc > 9 ? O_RDONLY : O_RDWR);
    streams();
    links();
    say("%s", argv[argc] ? "" : "done\n");
    end();
    return 0;
}
