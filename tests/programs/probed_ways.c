/* Leaves probed calls in every way but by returning, and makes them where the stack is not a thread's own.
   probed_ways WHAT: prints what happened, the same with probes as without. */
#include "program.h"
#include "probed.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

static sigjmp_buf back;
static long count;

static void jump(void *unused UNUSED)
{
    siglongjmp(back, 1);
}

static void write_one(void *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);

    count += write(fd, "x", 1);
    close(fd);
}

static void jumps(void)
{
    for (int i = 0; i < 1000; i++)
        if (sigsetjmp(back, 1) == 0)
            p_call(jump, NULL);
        else
            count++;
    write_one("after");
}

/* A handler that interrupts probed calls, makes some, and returns or not. */
static volatile sig_atomic_t leaves;

static void handle(int signal UNUSED)
{
    count += p_ints(1, 0, 0, 0, 0, 0, 0, 0, 0);
    if (leaves)
        siglongjmp(back, 1);
}

static void tick(long us)
{
    struct itimerval often = {{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &often, NULL);
}

static void handlers(void)
{
    double wrong = 0;

    signal(SIGALRM, handle);
    tick(100);
    for (int i = 0; i < 200000; i++)
        wrong += p_doubles(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) - 385;
    for (volatile int i = 0; i < 300; i++)
        if (sigsetjmp(back, 1) == 0)
            for (leaves = 1;;)
                wrong += p_doubles(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) - 385;
    tick(0);
    say("wrong %.1f\n", wrong);
    count = 0;
}

static void wait_for_it(void *unused UNUSED)
{
    pause();
}

static void *cancelled(void *asynchronous)
{
    pthread_setcanceltype(asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
    for (;;)
        if (asynchronous)
            p_nothing();
        else
            p_call(wait_for_it, NULL);
    return NULL;
}

static void cancels(void)
{
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        void *ended;

        pthread_create(&thread, NULL, cancelled, i % 2 ? "" : NULL);
        usleep(i % 4 * 100);
        pthread_cancel(thread);
        pthread_join(thread, &ended);
        count += ended == PTHREAD_CANCELED;
    }
}

/* Threads that end in a call inside another one. */
static void end_here(void *unused)
{
    write_one("ends");
    pthread_exit(unused);
}

static void call_the_end(void *unused)
{
    p_call(end_here, unused);
}

static void *ends(void *unused)
{
    p_call(call_the_end, unused);
    return "not reached";
}

static void exits(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        void *ended;

        pthread_create(&thread, NULL, ends, NULL);
        pthread_join(thread, &ended);
        count += ended == NULL;
    }
}

static void *calls(void *unused UNUSED)
{
    long sum = 0;

    for (int i = 0; i < 20; i++)
        sum += p_ints(1, 2, 3, 4, 5, 6, 7, 8, 9) == 285;
    return (void *)sum;
}

static void threads(void)
{
    static pthread_t all[1000];
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    for (int i = 0; i < 1000; i++)
        if (pthread_create(&all[i], &small, calls, NULL) != 0)
            abort();
    for (int i = 0; i < 1000; i++) {
        void *sum;
        pthread_join(all[i], &sum);
        count += (long)sum;
    }
}

static void fork_here(void *unused UNUSED)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0)
        return;
    waitpid(child, &status, 0);
    count += WEXITSTATUS(status);
}

static void forks(void)
{
    pid_t self = getpid();

    p_call(fork_here, NULL);
    if (getpid() != self) {
        p_call(write_one, "child");
        exit(count == 1 ? 5 : 6);
    }
    p_call(write_one, "parent");
}

/* Two that take turns, each inside a probed call of its own. */
static ucontext_t outside, routines[2];

static void turn(void *other)
{
    for (int i = 0; i < 5; i++) {
        write_one("turns");
        swapcontext(other == &routines[1] ? &routines[0] : &routines[1], other);
    }
}

static void routine(void)
{
    p_call(turn, &routines[1]);
}

static void other_routine(void)
{
    p_call(turn, &routines[0]);
}

static void coroutines(void)
{
    static char stacks[2][64 << 10];
    void (*starts[])(void) = {routine, other_routine};

    for (int i = 0; i < 2; i++) {
        getcontext(&routines[i]);
        routines[i].uc_stack.ss_sp = stacks[i];
        routines[i].uc_stack.ss_size = sizeof stacks[i];
        routines[i].uc_link = &outside;
        makecontext(&routines[i], starts[i], 0);
    }
    swapcontext(&outside, &routines[0]);
    p_call(write_one, "turned");
}

/* A stack that ends where memory does. */
static void at_the_edge(void)
{
    static ucontext_t here, there;
    char *memory = mmap(NULL, 20 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(memory + 16 * 4096, 4 * 4096);
    for (int i = 0; i < 64; i++) {
        getcontext(&there);
        there.uc_stack.ss_sp = memory;
        there.uc_stack.ss_size = (size_t)(16 * 4096 - 16 * i);
        there.uc_link = &here;
        makecontext(&there, (void (*)(void))p_call, 2, write_one, "edge");
        /* makecontext leaves no room above: the first call is made a few bytes below the end. */
        swapcontext(&here, &there);
    }
    p_nothing();
}

static void deep(void)
{
    count = p_deep(4000);
}

int main(int argc, char **argv)
{
    const struct { const char *name; void (*run)(void); } all[] = {
        {"jumps", jumps}, {"handlers", handlers}, {"cancels", cancels}, {"exits", exits}, {"threads", threads}, {"forks", forks},
        {"coroutines", coroutines}, {"edge", at_the_edge}, {"deep", deep},
    };

    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0)
            all[i].run();
    say("%s %ld\n", argv[1], count);
    tell();
    return 0;
}
