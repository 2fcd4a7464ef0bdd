/* Makes probed calls, and is killed. */
#include "probed.h"
#include <signal.h>

int main(void)
{
    for (int i = 0; i < 100; i++)
        p_ints(i, 0, 0, 0, 0, 0, 0, 0, 0);
    raise(SIGKILL);
    return 0;
}
