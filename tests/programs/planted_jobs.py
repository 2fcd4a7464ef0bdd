"""Jobs of Python, each with one cause for which it waits, which its first argument names; and some that have none."""

import os
import sqlite3
import subprocess
import sys

SELF = os.path.abspath(__file__)


def workers(job, each):
    """Four processes, which get their number."""
    all = [subprocess.Popen([sys.executable, "-S", SELF, job, str(n)]) for n in range(each)]
    sys.exit(max(one.wait() for one in all))


def rereads(number=None):
    """Workers that all read the whole of one file."""
    if number is None:
        with open("input", "wb") as file:
            file.truncate(64 << 20)
        workers("rereads", 4)
    with open("input", "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def straggler(number=None):
    """Workers of which one writes most."""
    if number is None:
        workers("imbalance", 4)
    with open("output.%d" % number, "wb", buffering=0) as file:
        for _ in range(400 if number == 2 else 4):
            file.write(bytes(1 << 20))


def lines():
    """Lines that go to the file one by one."""
    with open("lines", "wb", buffering=0) as file:
        for n in range(50000):
            file.write(b"line %d\n" % n)


def records():
    """A file that is opened for each record."""
    for n in range(10000):
        with open("records", "ab") as file:
            file.write(b"record %d\n" % n)


def database(commits):
    """Rows of which each is committed, or all at once."""
    rows = sqlite3.connect("rows.db", isolation_level=None)
    rows.execute("create table numbers (n integer)")
    if not commits:
        rows.execute("pragma synchronous = off")
        rows.execute("begin")
    for n in range(200 if commits else 100000):
        rows.execute("insert into numbers values (?)", (n,))
    if not commits:
        rows.execute("commit")


def healthy():
    """Much work, and a file that is written once, in large pieces."""
    total = sum(n * n for n in range(3000000))
    with open("result", "wb") as file:
        for _ in range(8):
            file.write(bytes([total % 256]) * (1 << 20))


JOBS = {
    "rereads": rereads,
    "imbalance": straggler,
    "small-writes": lines,
    "open-per-access": records,
    "sync": lambda: database(True),
    "database": lambda: database(False),
    "healthy": healthy,
}
JOBS[sys.argv[1]](*map(int, sys.argv[2:]))
