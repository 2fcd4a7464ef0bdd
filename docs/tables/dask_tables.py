#!/usr/bin/env python3
"""The tables of `iota stat` from Parquet shards, by Dask, on as many machines as its cluster has.

    iota convert run.iota --to parquet --shards 64 -o shards
    python3 dask_tables.py shards

prints, as JSON, calls, failures, bytes and time by function, file and rank: the same numbers as
`iota stat run.iota --json --top 0 --by op,file,rank --where on=storage,pipes,system`
(if MPI's own calls are left out of the shards: `iota convert --where program`).
"""

import json
import sys

import dask.dataframe as dd
import pandas as pd

ASYNCHRONOUS = 16
UNDER_LIBRARY = 32
COLUMNS = ["rank", "op", "layer", "class", "path", "path2", "dur", "parent", "flags", "errno", "bytes_read", "bytes_written"]


def calls(shards):
    """A row a call; `time` counts only of POSIX and STDIO calls that a thread waited for and no other of these encloses, so that times add up."""
    table = dd.read_parquet(f"{shards}/*.parquet", columns=COLUMNS)
    is_top = (table["parent"] == 0) | (table["flags"] & UNDER_LIBRARY != 0)
    is_io = table["layer"].isin(["POSIX", "STDIO"])
    waited = is_io & is_top & (table["flags"] & ASYNCHRONOUS == 0)
    failed = table["errno"].notnull().astype("int64")
    return table.assign(calls=1, time=table["dur"].where(waited, 0), failed=failed)


def sums(table, by):
    """Sums of a table's figures for each value of a column."""
    figures = ["calls", "failed", "bytes_read", "bytes_written", "time"]
    return table.groupby(by)[figures].sum().compute().astype("int64")


def rows(found):
    return [{"name": str(name), **{key: int(value) for key, value in row.items()}} for name, row in found.iterrows()]


def by_file(io):
    """Sums for each file, and how many ranks use it. A copy reads the first file and writes the second; sendfile reads
    the second and writes the first."""
    copies = io[(io["bytes_read"] > 0) & (io["bytes_written"] > 0) & io["path2"].notnull()]
    sends = copies["op"].str.startswith("sendfile")
    found = sums(io, "path")
    for figure, some in ("bytes_written", copies[~sends]), ("bytes_read", copies[sends]):
        moved = [some.groupby(path)[figure].sum().compute() for path in ("path", "path2")]
        found[figure] = found[figure].sub(moved[0], fill_value=0).add(moved[1], fill_value=0)
    used = [io[["path", "rank"]], copies[["path2", "rank"]].rename(columns={"path2": "path"})]
    used = pd.concat([pairs.drop_duplicates().compute() for pairs in used]).dropna().drop_duplicates()
    found["ranks"] = used.groupby("path").size()
    return found


def main(shards):
    table = calls(shards)
    io = table[table["layer"].isin(["POSIX", "STDIO"]) & (table["class"] != "process")]
    tables = {"op": rows(sums(table, "op")), "file": rows(by_file(io)), "rank": rows(sums(io, "rank"))}
    json.dump(tables, sys.stdout, indent=1)


if __name__ == "__main__":
    main(sys.argv[1])
