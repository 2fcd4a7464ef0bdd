"""Jobs that load data with several processes. What each process read of which file is printed as `pid bytes path`."""

import multiprocessing
import os
import sys


def told(path, length):
    # In one piece: others write there, too.
    os.write(1, b"%d %d %s\n" % (os.getpid(), length, os.fsencode(os.path.abspath(path))))


def shards(count, length):
    os.makedirs("shards")
    paths = ["shards/%02d" % number for number in range(count)]
    for number, path in enumerate(paths):
        with open(path, "wb") as file:
            file.write(bytes(length + 1000 * number))
    return paths


def read_shard(path):
    with open(path, "rb") as file:
        data = file.read()
    told(path, len(data))
    return len(data)


def read_rows(rows):
    import h5py

    with h5py.File("data.h5", "r") as file:
        data = file["rows"][rows * 1000 : rows * 1000 + 1000]
    told("data.h5", data.nbytes)


def read_chunk(number):
    import zarr

    told("data.zarr/%d" % number, zarr.open("data.zarr", mode="r")[number * 1000 : number * 1000 + 1000].nbytes)


def in_processes(way, function, items):
    with multiprocessing.get_context(way).Pool(3) as pool:
        pool.map(function, items, chunksize=1)


def h5py_(way):
    import h5py
    import numpy

    with h5py.File("data.h5", "w") as file:
        file.create_dataset("rows", data=numpy.arange(12000, dtype="f8"), chunks=(1000,))
    in_processes(way, read_rows, range(12))


def zarr_(way):
    import numpy
    import zarr

    zarr.save_array("data.zarr", numpy.arange(12000, dtype="f8"), chunks=(1000,), compressor=None)
    in_processes(way, read_chunk, range(12))


def pyarrow_(_):
    from pyarrow import csv, dataset, int64, schema, table

    os.makedirs("tables")
    for number in range(5):
        path = "tables/%d.csv" % number
        csv.write_csv(table({"n": list(range(1000 * number + 10))}), path)
        told(path, os.stat(path).st_size)
    found = dataset.dataset("tables", format="csv", schema=schema([("n", int64())])).to_table()
    assert found.num_rows == 10050, found.num_rows


def torch_(way):
    from torch.utils.data import DataLoader

    paths = shards(64, 10000)
    loader = DataLoader(Shards(paths), batch_size=4, num_workers=2, shuffle=True, multiprocessing_context=way)
    assert sum(int(batch.sum()) for batch in loader) == sum(os.stat(path).st_size for path in paths)


def tensorflow_(_):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow

    paths = shards(16, 10000)
    files = tensorflow.data.Dataset.from_tensor_slices(paths)
    rows = files.interleave(
        lambda path: tensorflow.data.FixedLengthRecordDataset(path, 1000), cycle_length=4, num_parallel_calls=4
    )
    sizes = [os.stat(path).st_size for path in paths]
    assert sum(len(row.numpy()) for row in rows) == sum(sizes)
    for path, size in zip(paths, sizes):
        told(path, size)


class Shards:
    """A data set of PyTorch."""

    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return read_shard(self.paths[index])


def plain_(way):
    in_processes(way, read_shard, shards(64, 10000))


if __name__ == "__main__":
    globals()[sys.argv[1] + "_"](sys.argv[2])
