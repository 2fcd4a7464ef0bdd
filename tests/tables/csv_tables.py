#!/usr/bin/env python3
"""The same tables from CSV by nothing but Python's own csv module: what is compared is not computed by one library."""

import collections
import csv
import json
import sys

FIGURES = ("calls", "failed", "bytes_read", "bytes_written", "time")

LIBRARIES = ("HDF5", "NETCDF", "PNETCDF", "MPI-IO")


def main(path):
    tables = {by: collections.defaultdict(lambda: dict.fromkeys(FIGURES, 0)) for by in ("op", "file", "rank")}
    ranks = collections.defaultdict(set)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, strict=True):
            is_io = row["layer"] in ("POSIX", "STDIO") and row["class"] != "process"
            # Calls of libraries do not count beside the POSIX and STDIO calls that they make (docs/STAT.md).
            is_top = row["parent"] == "0" or int(row["flags"]) & 32 != 0
            waited = row["layer"] not in LIBRARIES and is_top and int(row["flags"]) & 16 == 0
            groups = [tables["op"][row["op"]]]
            if is_io:
                groups.append(tables["rank"][row["rank"]])
            if is_io and row["path"]:
                groups.append(tables["file"][row["path"]])
                ranks[row["path"]].add(row["rank"])
            for group in groups:
                group["calls"] += 1
                group["failed"] += row["errno"] != ""
                group["bytes_read"] += int(row["bytes_read"])
                group["bytes_written"] += int(row["bytes_written"])
                group["time"] += int(row["dur"]) if waited else 0
            copied = int(row["bytes_written"]) if int(row["bytes_read"]) > 0 and row["path2"] else 0
            if is_io and copied:
                # A copy writes the second file, but sendfile reads it.
                figure = "bytes_read" if row["op"].startswith("sendfile") else "bytes_written"
                tables["file"][row["path"]][figure] -= copied
                tables["file"][row["path2"]][figure] += copied
                ranks[row["path2"]].add(row["rank"])
    for path, group in tables["file"].items():
        group["ranks"] = len(ranks[path])
    json.dump({by: [{"name": name, **row} for name, row in rows.items()] for by, rows in tables.items()}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
