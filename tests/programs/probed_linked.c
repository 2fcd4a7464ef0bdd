/* Calls functions of another object, which a link with an object of `gen-wraps --probe` leads to probes. */
#include "program.h"
#include "probed.h"

int main(void)
{
    say("%ld %d\n", p_ints(1, 2, 3, 4, 5, 6, 7, 8, 9), p_checkpoint("saved", 3));
    say("%.2f\n", p_variadic(4, 1, 2.5, 3, 4.5));
    tell();
    return 0;
}
