/* Regions that the program says begin and end; weak, so that it runs without iota. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

extern void iota_region_begin(const char *name) __attribute__((weak));
extern void iota_region_end(const char *name) __attribute__((weak));

static void begin(const char *name)
{
    if (iota_region_begin)
        iota_region_begin(name);
}

static void end(const char *name)
{
    if (iota_region_end)
        iota_region_end(name);
}

static void deep(int depth)
{
    begin("deep");
    if (depth)
        deep(depth - 1);
    else
        close(-1);
    end("deep");
}

int main(void)
{
    int fd = open("regions", O_CREAT | O_RDWR, 0600);
    char data[100] = {0};

    begin("checkpoint");
    for (int n = 0; n < 3; n++) {
        begin("write field");
        pwrite(fd, data, 100, 100 * n);
        end("write field");
    }
    fsync(fd);
    begin("left open");
    pread(fd, data, 10, 0);
    end("checkpoint");
    pread(fd, data, 20, 0);
    end("checkpoint");
    end("nobody began this");
    begin(NULL);
    begin("by no name");
    pread(fd, data, 30, 0);
    end(NULL);
    end(NULL);
    if (fork() == 0) {
        begin("in a child");
        pread(fd, data, 40, 0);
        end("in a child");
        _exit(0);
    }
    deep(2000);
    pread(fd, data, 50, 0);
    return close(fd);
}
