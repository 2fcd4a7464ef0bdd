"""A module that python_probes.py imports when it runs: what of it is called is printed as `pid name`."""

import functools
import os

FILE = __file__


def told(name):
    print(os.getpid(), "python_loader." + name, flush=True)


def read_some(length):
    told("read_some")
    with open(FILE, "rb", buffering=0) as file:
        return file.read(length)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)

    return wrapper


@decorated
def read_more(length):
    told("read_more")
    return read_some(length)


class Shard:
    def __init__(self, length):
        told("Shard.__init__")
        self.length = length

    def __getitem__(self, index):
        told("Shard.__getitem__")
        if index > 1:
            raise IndexError(index)
        return read_some(self.length)

    @staticmethod
    def size():
        told("Shard.size")
        return os.stat(FILE).st_size

    @property
    def is_large(self):
        told("Shard.is_large")
        return Shard.size() > 1 << 20


def batches(count):
    for _ in range(count):
        told("batches")
        yield read_some(7)
    told("batches")


def deep(depth):
    told("deep")
    return deep(depth - 1) if depth else read_some(3)
