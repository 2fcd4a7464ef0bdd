#!/usr/bin/env python3
"""The tables of `iota stat` from Parquet shards, by Dask, on as many machines as its cluster has.

    iota convert run.iota --to parquet --shards 64 -o shards
    python3 dask_tables.py shards

prints, as JSON, calls, failures, bytes and time by function, file and rank: the same numbers as
`iota stat run.iota --json --top 0 --by op,file,rank`.
"""

import json
import sys

import dask.dataframe as dd

ASYNCHRONOUS = 16
COLUMNS = ["rank", "op", "layer", "class", "path", "dur", "parent", "flags", "errno", "bytes_read", "bytes_written"]


def calls(shards):
    """A row a call; `time` counts only where a thread waited and no other call encloses it, so that times add up."""
    table = dd.read_parquet(f"{shards}/*.parquet", columns=COLUMNS)
    waited = (table["parent"] == 0) & (table["flags"] & ASYNCHRONOUS == 0)
    return table.assign(time=table["dur"].where(waited, 0), failed=table["errno"].notnull().astype("int64"))


def sums(table, by):
    """Sums of a table's figures for each value of some columns, and how many ranks each has."""
    figures = ["failed", "bytes_read", "bytes_written", "time"]
    groups = table.groupby(by)
    found = groups[figures].sum()
    found["calls"] = groups.size()
    return found.compute().astype("int64")


def rows(found):
    return [{"name": str(name), **{key: int(value) for key, value in row.items()}} for name, row in found.iterrows()]


def main(shards):
    table = calls(shards)
    io = table[table["layer"].isin(["POSIX", "STDIO"]) & (table["class"] != "process")]
    files = sums(io, "path")
    pairs = io[["path", "rank"]].drop_duplicates().compute()
    files["ranks"] = pairs.groupby("path").size()
    tables = {"op": rows(sums(table, "op")), "file": rows(files), "rank": rows(sums(io, "rank"))}
    json.dump(tables, sys.stdout, indent=1)


if __name__ == "__main__":
    main(sys.argv[1])
