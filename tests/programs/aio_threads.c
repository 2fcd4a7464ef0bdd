/* Asynchronous transfers that one thread begins and another one ends: the trace has each where it ended, and says where it
   began. */
#include "program.h"
#include <aio.h>
#include <pthread.h>

static char buffer[64];
static struct aiocb one, own;

static long ended(struct aiocb *control)
{
    while (aio_error(control) == EINPROGRESS)
        usleep(100);
    return aio_return(control);
}

static void *helper(void *unused)
{
    (void)unused;
    access("helper", F_OK);
    say("ended %ld\n", ended(&one));
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int fd = open("transfers", O_CREAT | O_RDWR | O_TRUNC, 0600);

    one = (struct aiocb){.aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 64};
    own = (struct aiocb){.aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 32, .aio_offset = 64};
    say("begun %d\n", aio_write(&one));
    say("begun %d\n", aio_write(&own));
    pthread_create(&thread, NULL, helper, NULL);
    pthread_join(thread, NULL);
    say("ended %ld\n", ended(&own));
    tell();
    return 0;
}
