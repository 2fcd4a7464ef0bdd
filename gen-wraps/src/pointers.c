/* Calls every function of the table with arguments of every sort, good and bad, and prints what came of each call. A child
   for each function keeps what one breaks from the next; results go to shared memory, which survives closed descriptors. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define SENTINEL 4242
#define MOST 8
#define AT_RANDOM_CALLS 24

enum kind {
    DESCRIPTOR, PATH, NAME, TEXT, MODE_TEXT, MEMORY, STREAM, DIRECTORY, WALK, VECTOR, OFFSET, CONTROL, CONTROLS, WORDS, TIMES,
    ADDRESS, LENGTH, EXTENT, ROOM, SIZE, FLAGS, NUMBER, OPEN_FLAGS, MAP_FLAGS, CALL, ANY, LINE, HOW, VISIT, NOTHING
};
static va_list no_arguments;
enum result { PLAIN, SIGN, POINTER, NO_RESULT };

struct row {
    const char *name;
    long (*call)(const long *);
    enum result result;
    int count;
    enum kind kinds[MOST];
};

/* ROWS */

/* A page of memory that ends where nothing can be read, behind others of the same sort. */
struct guarded { char *end; };
static struct guarded texts, shorts, longs, exact, vectors, offsets, controls, lists, words, room, line, times;
static char *scratch;
static struct { char *at; size_t used, size; } *shared_report;
static char *report_text;
static sigjmp_buf back;
static long self;

static long kernel(long number, long a, long b, long c, long d, long e, long f)
{
#if defined __x86_64__
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long ret;
    __asm__ volatile("syscall" : "=a"(ret) : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = number;
    register long ret __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(ret) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
#endif
    return ret;
}

/* At the same addresses in each run: some are taken for numbers. */
static char *map(size_t pages, int flags)
{
    static long next = 0x100000000000;
    long at = kernel(SYS_mmap, next, (long)pages * 4096, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    next += ((long)pages + 1) * 4096;
    return (char *)at;
}

/* So many pages, and one behind them that nobody may touch. */
static struct guarded guard(size_t pages)
{
    char *at = map(pages + 1, MAP_PRIVATE);
    kernel(SYS_mprotect, (long)(at + pages * 4096), 4096, PROT_NONE, 0, 0, 0);
    return (struct guarded){at + pages * 4096};
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list ap;
    char text[256];
    va_start(ap, format);
    int length = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (shared_report->used + (size_t)length < shared_report->size) {
        memcpy(report_text + shared_report->used, text, (size_t)length);
        shared_report->used += (size_t)length;
    }
}

static int visit(void)
{
    return 0;
}

static void fill(struct guarded to, size_t size, const void *from)
{
    memcpy(to.end - size, from, size);
}

/* The arguments as they are before each call. */
static void prepare(void)
{
    memset(texts.end - 4096, 0, 4096);
    static const char text[] = "f\0d\0nope/x\0\0r+\0hello\0exit 3\0tmpXXXXXX\0user.x";
    memcpy(texts.end - 4096, text, sizeof text);
    memset(texts.end - 3072, 'b', 3000);
    memset(shorts.end - 10, 'a', 10);
    memset(longs.end - 8192, 'a', 8192);
    memcpy(exact.end - 2, "f", 2);
    memset(room.end - 8192, 0, 8192);
    memset(scratch, 0, 4096);
    struct iovec two[2] = {{room.end - 64, 8}, {room.end - 32, 8}};
    fill(vectors, sizeof two, two);
    fill(offsets, 8, &(long){0});
    struct aiocb control;
    memset(&control, 0, sizeof control);
    control.aio_fildes = 5;
    control.aio_buf = room.end - 64;
    control.aio_nbytes = 8;
    control.aio_sigevent.sigev_notify = SIGEV_NONE;
    control.aio_lio_opcode = LIO_READ;
    memcpy(controls.end - 4096, &control, sizeof control);
    memset(controls.end - 128, 'a', 128);
    void *list[2] = {controls.end - 4096, NULL};
    fill(lists, sizeof list, list);
    char *word[2] = {texts.end - 4096, NULL};
    fill(words, sizeof word, word);
    char *nothing[2] = {NULL, NULL};
    fill(line, sizeof nothing, nothing);
    struct timespec omitted[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
    fill(times, sizeof omitted, omitted);
}

/* What the functions of a sort get: the first of each is good. Others are absent, cut off by a page that cannot be read,
   misaligned, or no addresses at all. */
#define BAD 0, 0x10, (long)0x8000000000000000, -1
#define ALL(...) do { static long all[32]; long now[] = {__VA_ARGS__}; \
    memcpy(all, now, sizeof now); *count = sizeof now / sizeof *now; return all; } while (0)

static const long *values(enum kind kind, int *count)
{
    char *text = texts.end - 4096;
    switch (kind) {
    case DESCRIPTOR:
        ALL(5, 6, 7, 99, -1, AT_FDCWD, 0x7fffffff);
    case PATH:
        ALL((long)text, (long)(text + 2), (long)(text + 4), (long)(text + 11), (long)(exact.end - 2), (long)(shorts.end - 10),
            (long)(longs.end - 4098), (long)(longs.end - 4096), (long)(texts.end - 3072), (long)(text + 28), BAD);
    case NAME:
        ALL((long)text, (long)(text + 4), (long)(text + 11), (long)(exact.end - 2), (long)(texts.end - 3072));
    case TEXT:
        ALL((long)(text + 15), (long)text, (long)(text + 21), (long)(exact.end - 2), (long)(shorts.end - 10),
            (long)(longs.end - 4098), (long)(texts.end - 3072), (long)(text + 38), BAD);
    case MODE_TEXT:
        ALL((long)(text + 12), (long)text, (long)(text + 11), (long)(exact.end - 2), (long)(shorts.end - 10), BAD);
    case MEMORY:
        ALL((long)(room.end - 4096), (long)(room.end - 4095), (long)(room.end - 8), (long)(room.end - 4), (long)room.end, BAD);
    case STREAM:
        ALL((long)fopen("f", "r+"), 0);
    case DIRECTORY:
        ALL((long)opendir("."), 0);
    case WALK:
        ALL(0);
    case VECTOR:
        ALL((long)(vectors.end - 32), (long)(vectors.end - 16), (long)(vectors.end - 31), (long)(vectors.end - 8), BAD);
    case OFFSET:
        ALL((long)(offsets.end - 8), (long)(offsets.end - 4), (long)(offsets.end - 7), (long)(room.end - 63), BAD);
    case CONTROL:
        ALL((long)(controls.end - 4096), (long)(controls.end - 128), (long)(controls.end - 64), (long)(controls.end - 4), BAD);
    case CONTROLS:
        ALL((long)(lists.end - 16), (long)(lists.end - 8), (long)(lists.end - 4), BAD);
    case WORDS:
        ALL((long)(words.end - 16), (long)(words.end - 8), (long)(words.end - 4), BAD);
    case TIMES:
        ALL((long)(times.end - 32), 0, (long)(times.end - 16), (long)(room.end - 64), 0x10, -1);
    case LINE:
        ALL((long)(line.end - 16), (long)(line.end - 4), BAD);
    case HOW:
        ALL((long)(room.end - 64), (long)(room.end - 24), (long)(room.end - 63), (long)(room.end - 8), BAD);
    case ADDRESS:
        ALL((long)scratch, (long)(scratch + 1), 0, 0x10, -1);
    case LENGTH:
        ALL(1, 0, 8, 4096);
    case SIZE:
        ALL(8, 0, 1, 2, 16, 24, 4096, -1, 1L << 40, 0x7fffffff);
    // Nothing large: with FALLOC_FL_KEEP_SIZE no limit of the process bounds what a file takes.
    case EXTENT:
        ALL(8, 0, 4096, -1);
    case ROOM:
        ALL(4096, 64);
    case FLAGS:
        ALL(0, 1, 2, 0x1000, -1);
    case NUMBER:
        ALL(1, 0, 2, -1, 0x7fffffff, 0x401);
    case OPEN_FLAGS:
        ALL(O_RDWR, O_RDONLY, O_CREAT | O_WRONLY, O_DIRECTORY, O_PATH, -1);
    case MAP_FLAGS:
        ALL(MAP_PRIVATE, MAP_SHARED, MAP_PRIVATE | MAP_ANONYMOUS, 0);
    case CALL:
        ALL(SYS_openat, SYS_openat2, SYS_readv, SYS_writev, SYS_preadv, SYS_pwritev2, SYS_sendfile, SYS_splice,
            SYS_copy_file_range, SYS_newfstatat, SYS_statx, SYS_utimensat, SYS_unlinkat, SYS_linkat, SYS_renameat2,
            SYS_mknodat, SYS_readlinkat, SYS_truncate, SYS_statfs, SYS_pipe2, SYS_fcntl, SYS_getdents64, SYS_io_submit,
            SYS_io_getevents, SYS_io_cancel, SYS_chdir, SYS_execve, SYS_close, SYS_mkdirat, SYS_pread64);
    case ANY:
        ALL(5, (long)text, (long)(vectors.end - 16), (long)(longs.end - 4098), (long)(times.end - 32), 0, 1, 8,
            (long)(offsets.end - 8), (long)(room.end - 8), AT_FDCWD, (long)(words.end - 16), 0x10, -1);
    case VISIT:
        ALL((long)visit);
    default:
        ALL(0);
    }
}

static void struck(int signal)
{
    siglongjmp(back, signal);
}

static void catch_signals(void)
{
    stack_t stack = {.ss_sp = map(16, MAP_PRIVATE), .ss_size = 16 * 4096};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = struck, .sa_flags = SA_ONSTACK | SA_NODEFER};
    int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
}

/* A folder with a file and a folder, and descriptors of fixed numbers: a file, a folder, a pipe's end. */
static void furnish(const char *name)
{
    int pipe[2];
    kernel(SYS_mkdirat, AT_FDCWD, (long)name, 0700, 0, 0, 0);
    if (kernel(SYS_chdir, (long)name, 0, 0, 0, 0, 0) < 0)
        kernel(SYS_exit_group, 1, 0, 0, 0, 0, 0);
    kernel(SYS_mkdirat, AT_FDCWD, (long)"d", 0700, 0, 0, 0);
    long file = kernel(SYS_openat, AT_FDCWD, (long)"f", O_CREAT | O_RDWR, 0600, 0, 0);
    kernel(SYS_write, file, (long)"0123456789 abcdefghij\nklmno pqrst\n0123456789 abcdefghij\nklmno pq\n", 64, 0, 0, 0);
    kernel(SYS_pipe2, (long)pipe, O_NONBLOCK, 0, 0, 0, 0);
    long folder = kernel(SYS_openat, AT_FDCWD, (long)"d", O_RDONLY | O_DIRECTORY, 0, 0, 0);
    long null = kernel(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDWR, 0, 0, 0);
    long from[] = {null, folder, pipe[1], file};
    for (int i = 0; i < 4; i++)
        kernel(SYS_dup3, from[i], 20 + i, 0, 0, 0, 0);
    for (int fd = 3; fd < 20; fd++)
        kernel(SYS_close, fd, 0, 0, 0, 0, 0);
    kernel(SYS_dup3, 23, 0, 0, 0, 0, 0);
    kernel(SYS_dup3, 20, 1, 0, 0, 0, 0);
    kernel(SYS_dup3, 20, 2, 0, 0, 0, 0);
    kernel(SYS_dup3, 23, 5, 0, 0, 0, 0);
    kernel(SYS_dup3, 21, 6, 0, 0, 0, 0);
    kernel(SYS_dup3, 22, 7, 0, 0, 0, 0);
    for (int fd = 20; fd < 24; fd++)
        kernel(SYS_close, fd, 0, 0, 0, 0, 0);
}

static void tell(const struct row *row, const int *chosen, long result, int after)
{
    char which[64] = "";
    for (int i = 0; i < row->count; i++)
        sprintf(which + strlen(which), "%d ", chosen[i]);
    if (row->result == POINTER)
        result = result == 0 ? 0 : result == -1 ? -1 : 1;
    else if (row->result == SIGN)
        result = (result > 0) - (result < 0);
    else if (row->result == NO_RESULT)
        result = 0;
    say("%s(%.*s) = %ld errno %d\n", row->name, (int)strlen(which) - (row->count > 0), which, result, after);
}

static void make(const struct row *row, const int *chosen)
{
    long arguments[MOST] = {0};
    prepare();
    for (int i = 0; i < row->count; i++) {
        int count;
        const long *all = values(row->kinds[i], &count);
        arguments[i] = all[chosen[i] % count];
    }
    int signal = sigsetjmp(back, 1);
    if (signal != 0) {
        tell(row, chosen, -1000 - signal, 0);
        return;
    }
    errno = SENTINEL;
    long result = row->call(arguments);
    int after = errno;
    if (kernel(SYS_getpid, 0, 0, 0, 0, 0, 0) != self)
        kernel(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    tell(row, chosen, result, after);
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* All good; then each argument in turn of every sort; then some calls at random, the same ones in each run. */
static void try_row(const struct row *row)
{
    int chosen[MOST] = {0}, count;
    unsigned state = 1;
    for (const char *letter = row->name; *letter; letter++)
        state = state * 31 + (unsigned char)*letter;
    make(row, chosen);
    for (int i = 0; i < row->count; i++) {
        values(row->kinds[i], &count);
        for (chosen[i] = 1; chosen[i] < count; chosen[i]++)
            make(row, chosen);
        chosen[i] = 0;
    }
    for (int n = 0; n < AT_RANDOM_CALLS * (row->count > 1); n++) {
        for (int i = 0; i < row->count; i++) {
            values(row->kinds[i], &count);
            chosen[i] = (int)(next_random(&state) % (unsigned)count);
        }
        make(row, chosen);
    }
}

static void in_child(const struct row *row)
{
    struct rlimit bytes = {4 << 20, 4 << 20}, core = {0, 0};
    self = kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
    kernel(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, SIGKILL, 0, 0, 0, 0);
    furnish(row->name);
    setrlimit(RLIMIT_FSIZE, &bytes);
    setrlimit(RLIMIT_CORE, &core);
    catch_signals();
    alarm(5);
    try_row(row);
    kernel(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

int main(int argc, char **argv)
{
    shared_report = (void *)map(1, MAP_SHARED);
    report_text = map(1024, MAP_SHARED);
    shared_report->size = 1024 * 4096;
    texts = guard(1), shorts = guard(1), longs = guard(2), exact = guard(1), vectors = guard(1), offsets = guard(1);
    controls = guard(1), lists = guard(1), words = guard(1), room = guard(2), line = guard(1), times = guard(1);
    scratch = map(1, MAP_PRIVATE);
    for (const struct row *row = rows; row->name; row++) {
        int status;
        if (argc > 1 && strcmp(argv[1], row->name) != 0)
            continue;
        long child = fork();
        if (child == 0)
            in_child(row);
        waitpid((pid_t)child, &status, 0);
        if (status != 0)
            say("%s ends with %d\n", row->name, status);
    }
    for (size_t done = 0; done < shared_report->used;)
        done += (size_t)kernel(SYS_write, 1, (long)(report_text + done), (long)(shared_report->used - done), 0, 0, 0);
    return 0;
}
