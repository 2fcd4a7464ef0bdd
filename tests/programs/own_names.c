// Defines functions whose names C leaves to programs, and which the C library has too: nobody but the program may call them.
#include <stddef.h>

struct stream;
struct directory;
extern struct stream *fopen(const char *, const char *);
extern int fputs(const char *, struct stream *);
extern int fclose(struct stream *);
extern int puts(const char *);
extern struct directory *opendir(const char *);
extern void *readdir(struct directory *);
extern int closedir(struct directory *);
extern long write(int, const void *, size_t);
extern int fork(void);
extern int wait(int *);
extern int remove(const char *);

int fileno(struct stream *stream) {
    puts("the program's fileno");
    return stream ? -1 : 0;
}

int dirfd(struct directory *directory) {
    puts("the program's dirfd");
    return directory ? -1 : 0;
}

int clock_gettime(int clock, void *time) {
    puts("the program's clock_gettime");
    return time ? clock : 0;
}

char *secure_getenv(const char *name) {
    puts("the program's secure_getenv");
    return name ? NULL : "";
}

unsigned long getauxval(unsigned long kind) {
    puts("the program's getauxval");
    return kind;
}

int aio_error(const void *control) {
    puts("the program's aio_error");
    return control ? 5 : 0;
}

int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) {
    puts("the program's pthread_atfork");
    return before && parent && child;
}

char **environ;

int main(void) {
    struct stream *stream = fopen("names", "w");
    fputs("text\n", stream);
    fclose(stream);
    struct directory *directory = opendir(".");
    readdir(directory);
    closedir(directory);
    remove("names");
    for (int i = 0; i < 3000; i++) {
        write(1, "", 0);
    }
    if (fork() == 0) {
        write(1, "child\n", 6);
        return 0;
    }
    wait(NULL);
    puts("done");
    return 0;
}
