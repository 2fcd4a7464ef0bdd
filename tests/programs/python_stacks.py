"""Writes from lines whose comments say how many bytes each of their calls writes."""

import multiprocessing
import os
import pathlib
import sys
import threading

FILE = os.open("out", os.O_WRONLY | os.O_CREAT, 0o644)


def write_plain():
    os.write(
        FILE,
        b"x" * 11,
    )


def write_deep(depth):
    if depth:
        return write_deep(depth - 1)
    return os.write(FILE, b"x" * 12)  # 12.


def write_in_thread():
    for _ in range(100):
        os.write(FILE, b"x" * 13)  # 13.


def writes():
    for _ in range(10):
        yield os.write(FILE, b"x" * 14)  # 14.


class Sink:
    def __setitem__(self, name, text):
        pathlib.Path(name).write_bytes(text)  # 15.

    def __del__(self):
        os.write(FILE, b"x" * 16)  # 16.


def write_in_child(_):
    os.write(FILE, b"x" * 17)  # 17.


def compare(item):
    os.write(FILE, b"x" * 18)  # 18.
    return item


def write_for_ever(has_begun):
    while True:
        os.pwrite(FILE, b"x" * 19, 0)  # 19.
        has_begun.set()


def main():
    for _ in range(100):
        write_plain()  # plain
    for depth in (0, 5, 40):
        write_deep(depth)
    threads = [threading.Thread(target=write_in_thread) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sum(writes())
    sink = Sink()
    sink["out.bytes"] = b"x" * 15
    del sink
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(write_in_child, range(6))
    sorted(range(3), key=compare)
    exec(compile("\n\nos.write(FILE, b'x' * 20)", "/somewhere/pl\u00e4ne.py", "exec"))
    # Goes on while the interpreter ends.
    has_begun = threading.Event()
    threading.Thread(target=write_for_ever, args=[has_begun], daemon=True).start()
    has_begun.wait()


main()
sys.stdout.write("done\n")
