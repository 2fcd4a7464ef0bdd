"""Calls functions in every way; which ones it called is printed as `pid name`, by themselves."""

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading


def told(name):
    print(os.getpid(), "python_probes." + name, flush=True)


def at_top(length):
    told("at_top")
    import python_loader

    def inner():
        told("at_top.<locals>.inner")
        return python_loader.read_more(length)

    return inner()


async def waits():
    told("waits")
    await asyncio.sleep(0)
    told("waits")
    return os.stat("/")


async def both():
    await asyncio.gather(waits(), waits())


def in_process(length):
    told("in_process")
    import python_loader

    return len(python_loader.read_some(length))


def main():
    assert len(at_top(11)) == 11
    import python_loader as loader

    assert [len(part) for part in loader.Shard(5)] == [5, 5]
    assert not loader.Shard(1).is_large
    assert [len(batch) for batch in loader.batches(2)] == [7, 7]
    assert len(loader.deep(20)) == 3
    asyncio.run(both())
    thread = threading.Thread(target=at_top, args=(4,))
    thread.start()
    thread.join()
    child = os.fork()
    if child == 0:
        in_process(6)
        os._exit(0)
    os.waitpid(child, 0)
    for way in "fork", "spawn", "forkserver":
        with multiprocessing.get_context(way).Pool(1) as pool:
            assert pool.map(in_process, [8, 9]) == [8, 9]
    subprocess.run([sys.executable, "-c", "import python_loader as l; l.read_some(2)"], check=True)


if __name__ == "__main__":
    main()
