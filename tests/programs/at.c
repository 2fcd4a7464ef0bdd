/* Paths as programs give them: relative to a changed working directory, to a directory descriptor, with dots and links,
   with bytes that text lines must escape. The report's `path` lines say which file each open is. */
#include "program.h"

static char start[4096];

/* Where a descriptor leads, by the kernel's word, below the directory where the program began. */
static void is(int fd)
{
    char link[64], path[4096];

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long length = kernel(SYS_readlinkat, AT_FDCWD, (long)link, (long)path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    size_t below = strncmp(path, start, strlen(start)) == 0 ? strlen(start) : 0;
    show("path", path + below, strlen(path + below));
    kernel(SYS_close, fd, 0, 0, 0);
}

static void below_a_descriptor(void)
{
    int directory = SAW(open("dir", O_RDONLY | O_DIRECTORY));

    is(SAW(openat(directory, "file", O_CREAT | O_WRONLY, 0600)));
    is(SAW(openat(directory, "sub/../file", O_RDONLY)));
    SAW(mkdirat(directory, "made", 0700));
    is(SAW(openat(directory, "made/it", O_CREAT | O_WRONLY, 0600)));
    SAW(renameat(directory, "made/it", AT_FDCWD, "moved"));
    SAW(unlinkat(directory, "made", AT_REMOVEDIR));
    SAW(close(directory));
}

static void elsewhere(void)
{
    int home = SAW(open(".", O_RDONLY | O_DIRECTORY));

    SAW(chdir("dir/sub"));
    is(SAW(open("deep", O_CREAT | O_WRONLY, 0600)));
    is(SAW(open("../file", O_RDONLY)));
    is(SAW(openat(AT_FDCWD, "deep", O_RDONLY)));
    is(SAW(openat(home, "moved", O_RDONLY)));
    SAW(fchdir(home));
    is(SAW(open("moved", O_RDONLY)));
    SAW(close(home));
}

static void renamed_above(void)
{
    SAW(mkdir("dir/before", 0700));
    SAW(chdir("dir/before"));
    is(SAW(open("kept", O_CREAT | O_WRONLY, 0600)));
    SAW(rename("../before", "../after"));
    is(SAW(open("kept", O_RDONLY)));
    SAW(syscall(SYS_chdir, ".."));
    is(SAW(open("after/kept", O_RDONLY)));
    SAW(chdir(start));
}

static void odd_names(void)
{
    is(SAW(open("with space", O_CREAT | O_WRONLY, 0600)));
    is(SAW(open("tab\there", O_CREAT | O_WRONLY, 0600)));
    is(SAW(open("line\nbreak", O_CREAT | O_WRONLY, 0600)));
    is(SAW(open("back\\slash", O_CREAT | O_WRONLY, 0600)));
    is(SAW(open("not\xff utf8", O_CREAT | O_WRONLY, 0600)));
    is(SAW(open("./dir/./file", O_RDONLY)));
    is(SAW(open("dir//file", O_RDONLY)));
}

static void long_names(void)
{
    char name[256];

    memset(name, 'n', 255);
    name[255] = 0;
    is(SAW(open(name, O_CREAT | O_WRONLY, 0600)));
    for (int i = 0; i < 12; i++) {
        SAW(mkdir(name + 10, 0700));
        SAW(chdir(name + 10));
    }
    is(SAW(open(name, O_CREAT | O_WRONLY, 0600)));
}

int main(void)
{
    getcwd(start, sizeof start);
    mkdir("dir", 0700);
    mkdir("dir/sub", 0700);
    begin();
    below_a_descriptor();
    elsewhere();
    renamed_above();
    odd_names();
    long_names();
    end();
    return 0;
}
