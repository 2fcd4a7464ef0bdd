/* A storm of signals: a timer interrupts writes again as soon as its last signal was handled, and each handler makes calls of
   its own; on this stack, on one of its own, and with more calls than a ring holds.
     storm SIGNALS CALLS */
#include "program.h"
#include <signal.h>
#include <time.h>

static int fd, calls;
static volatile long handled, made, wanted;
static timer_t timer;

/* After 1 to 8 microseconds, another time each. */
static void set_timer(void)
{
    static unsigned random = 1;
    struct itimerspec soon = {.it_value = {0, 1000}};

    random = random * 1103515245 + 12345;
    soon.it_value.tv_nsec += random >> 16 & 0x1fff;
    timer_settime(timer, 0, &soon, NULL);
}

static void handler(int signal)
{
    int before = errno;

    for (int i = 0; i < calls && signal; i++)
        pwrite(fd, "h", 1, i);
    made += calls;
    if (++handled < wanted)
        set_timer();
    errno = before;
}

static void storm(long signals, int each, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    long mine = 0;

    (calls = each, handled = 0, wanted = signals);
    sigaction(SIGUSR1, &action, NULL);
    set_timer();
    for (; handled < signals; mine++)
        pwrite(fd, "m", 1, mine);
    made += mine;
}

int main(int argc, char **argv)
{
    static char memory[64 << 10];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};

    fd = open("/dev/null", O_WRONLY);
    made = 1;
    sigaltstack(&stack, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    storm(argc > 1 ? atol(argv[1]) : 10000, argc > 2 ? atoi(argv[2]) : 2, SA_RESTART);
    storm(2000, 3, SA_RESTART | SA_ONSTACK);
    storm(40, 5000, SA_RESTART);
    say("made %ld\n", made);
    tell();
    return 0;
}
