// Directories whose names mean something else from one call to the next, and paths that are not there when a call ends. Each
// file is opened in the directory that its name says.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(int holds, const char *what) {
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static void make(int directory, const char *name) {
    int fd = openat(directory, name, O_CREAT | O_WRONLY, 0600);
    must(fd >= 0 && close(fd) == 0, name);
}

static void make_in(const char *path, const char *name) {
    int directory = open(path, O_DIRECTORY);
    must(directory >= 0, path);
    make(directory, name);
    close(directory);
}

// A path at the end of a page behind which there is nothing; its NUL is the page's last byte, or left out.
static char *at_end(const char *path, int has_nul) {
    char *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(page != MAP_FAILED && munmap(page + 4096, 4096) == 0, "mmap");
    return memcpy(page + 4096 - strlen(path) - has_nul, path, strlen(path) + has_nul);
}

static char *visited;
static int answer;

static int visit(const char *path, const struct stat *status, int kind) {
    (void)path, (void)status, (void)kind;
    munmap((void *)((size_t)visited & ~4095ul), 4096);
    errno = answer ? ENOENT : 0;
    return answer;
}

static void walk(int result) {
    visited = at_end("A", 1);
    answer = result;
    must(ftw(visited, visit, 4) == result, "ftw");
}

int main(void) {
    char text[64];
    must(mkdir("A", 0700) == 0 && mkdir("B", 0700) == 0, "mkdir");
    // A link that leads elsewhere
    must(symlink("A", "link") == 0, "symlink");
    make_in("link", "A-link");
    must(unlink("link") == 0 && symlink("B", "link") == 0, "symlink");
    make_in("link", "B-link");
    // A descriptor of another directory under the same number
    for (const char *name = "AB"; *name; name++) {
        char path[] = {*name, 0}, file[] = {*name, '-', 'f', 'd', 0};
        int directory = open(path, O_PATH);
        snprintf(text, sizeof text, "/proc/self/fd/%d", directory);
        make_in(text, file);
        close(directory);
    }
    // A directory that is gone, and made again
    must(mkdir("D", 0700) == 0, "mkdir");
    int gone = open("D", O_DIRECTORY);
    struct stat status;
    must(rmdir("D") == 0 && fstatat(gone, "x", &status, 0) < 0, "rmdir");
    close(gone);
    must(mkdir("D", 0700) == 0, "mkdir");
    make_in("D", "D-again");
    // One that a child renames which runs in this memory
    int directory = open("D", O_DIRECTORY);
    make(directory, "D-before");
    if (vfork() == 0)
        _exit(rename("D", "E") != 0);
    make(directory, "E-after");
    must(rename("E", "F") == 0, "rename");
    make(directory, "F-after");
    close(directory);
    // What is not there is not looked at to its end; what was walked through may be gone
    must(realpath(at_end("/nonexistent/xxxxxxxx", 0), 0) == NULL && errno == ENOENT, "realpath");
    must(canonicalize_file_name(at_end("/nonexistent/xxxxxxxx", 0)) == NULL, "canonicalize_file_name");
    walk(-1);
    walk(0);
    // The root, whose name is the slash alone
    char here[4096], path[4200];
    int root = open("/", O_DIRECTORY);
    must(getcwd(here, sizeof here) != NULL && chdir("/") == 0, "chdir");
    snprintf(path, sizeof path, "%s/A/A-root", here + 1);
    make(AT_FDCWD, path);
    snprintf(path, sizeof path, "%s/B/B-root", here + 1);
    make(root, path);
    close(root);
    return 0;
}
