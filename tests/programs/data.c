/* Data calls on descriptors in all their forms: at the position, at an offset, in vectors, with flags, with 64-bit names. */
#include "program.h"
#include <sys/mman.h>
#include <sys/sendfile.h>

static char buffer[64];

static int open_all_ways(void)
{
    SAW(close(SAW(creat("made", 0600))));
    SAW(close(SAW(creat64("made", 0600))));
    SAW(close(SAW(open64("data", O_WRONLY | O_CREAT, 0640))));
    SAW(close(SAW(openat(AT_FDCWD, "data", O_RDONLY))));
    SAW(close(SAW(openat64(AT_FDCWD, "data", O_RDONLY | O_CLOEXEC))));
    return SAW(open("data", O_RDWR | O_CREAT | O_TRUNC, 0640));
}

static void write_all_ways(int fd)
{
    struct iovec two[2] = {{"abc", 3}, {"defgh", 5}};

    SAW(write(fd, "0123456789", 10));
    SAW(write(fd, "", 0));
    SAW(pwrite(fd, "P", 1, 2));
    SAW(pwrite64(fd, "Q", 1, 20));
    SAW(writev(fd, two, 2));
    SAW(pwritev(fd, two, 2, 30));
    SAW(pwritev64(fd, two, 1, 40));
    SAW(pwritev2(fd, two, 2, -1, 0));
    SAW(pwritev64v2(fd, two, 2, 50, RWF_SYNC));
    SAW(pwritev2(fd, two, 1, 0, RWF_APPEND));
}

static void read_all_ways(int fd)
{
    struct iovec two[2] = {{buffer, 4}, {buffer + 4, 8}};

    SAW(lseek(fd, 0, SEEK_SET));
    SAW(read(fd, buffer, 10));
    SAW(pread(fd, buffer + 10, 5, 1));
    SAW(pread64(fd, buffer + 15, 5, 30));
    show("read", buffer, 20);
    SAW(readv(fd, two, 2));
    SAW(preadv(fd, two, 2, 3));
    SAW(preadv64(fd, two, 2, 35));
    SAW(preadv2(fd, two, 2, -1, 0));
    SAW(preadv64v2(fd, two, 2, 52, 0));
    show("vectors", buffer, 12);
    SAW(lseek64(fd, -2, SEEK_END));
    SAW(read(fd, buffer, sizeof buffer));
    SAW(read(fd, buffer, sizeof buffer));
}

static void move_bytes(int fd)
{
    off_t from = 2;
    off64_t from64 = 3, to64 = 100;
    int other = SAW(open("copy", O_RDWR | O_CREAT | O_TRUNC, 0644));

    SAW(sendfile(other, fd, &from, 10));
    SAW(sendfile64(other, fd, &from64, 10));
    SAW(copy_file_range(fd, &from64, other, &to64, 4, 0));
    say("  offsets %ld %ld %ld, size %ld\n", (long)from, (long)from64, (long)to64, size_of("copy"));
    SAW(fallocate(other, 0, 0, 200));
    SAW(posix_fallocate(other, 0, 300));
    SAW(posix_fadvise(other, 0, 0, POSIX_FADV_SEQUENTIAL));
    SAW(readahead(other, 0, 100));
    SAW(ftruncate(other, 250));
    SAW(ftruncate64(other, 240));
    SAW(close(other));
}

static void make_sure(int fd)
{
    SAW(fsync(fd));
    SAW(fdatasync(fd));
    SAW(syncfs(fd));
    SAW(sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE));
}

static void map_it(int fd)
{
    char *map = SAW_POINTER(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));

    show("map", map, 8);
    map[0] = 'M';
    SAW(msync(map, 4096, MS_SYNC));
    SAW(munmap(map, 4096));
    SAW(pread(fd, buffer, 3, 0));
    show("after", buffer, 3);
}

int main(void)
{
    begin();
    int fd = open_all_ways();
    write_all_ways(fd);
    read_all_ways(fd);
    move_bytes(fd);
    make_sure(fd);
    map_it(fd);
    SAW(close(fd));
    end();
    return 0;
}
