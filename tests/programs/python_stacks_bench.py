"""Prints how long a call takes that is made ten functions below the module, in ns."""

import os
import sys
import time


def loop(file, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        os.pread(file, 10, 0)
    print((time.perf_counter_ns() - start) / calls)


def below(depth, file, calls):
    if depth:
        below(depth - 1, file, calls)
    else:
        loop(file, calls)


below(10, os.open(sys.executable, os.O_RDONLY), int(sys.argv[1]))
