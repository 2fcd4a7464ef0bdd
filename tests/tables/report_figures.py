#!/usr/bin/env python3
"""Every figure of a page of `iota report`, computed again from the CSV by nothing but Python's own modules. Says on standard
output how many were compared; what differs is an error."""

import collections
import csv
import json
import re
import sys

CLASSES = {"read": 0, "write": 1, "sync": 2}


def page(path):
    text = open(path, encoding="utf-8").read()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found.group(1))


class Bins:
    """Equal bins; what lasts is spread evenly, to the digit."""

    def __init__(self, axis):
        self.first, self.width, self.count = axis["from"], axis["width"], axis["count"]

    def at(self, value):
        return min(max(value - self.first, 0) // self.width, self.count - 1)

    def spread(self, start, end, amount):
        length = max(end - start, 1)
        if self.at(start) == self.at(end):
            yield self.at(start), amount
            return
        for bin in range(self.at(start), self.at(end) + 1):
            edges = (self.first + self.width * n for n in (bin, bin + 1))
            before, after = (amount * (min(max(edge, start), end) - start) // length for edge in edges)
            yield bin, after - before


def log_bin(value):
    """Four bins for each power of two."""
    value = max(value, 1)
    power = value.bit_length() - 1
    return power * 4 + (value * 4 >> power) % 4


def moved(row):
    """Path, offset, way and bytes of each side of a call."""
    read, written = int(row["bytes_read"]), int(row["bytes_written"])
    first, second = (row["path"], int(row["off"])), (row["path2"], int(row["off2"]))
    if read and written:
        source, target = (second, first) if row["op"].startswith("sendfile") else (first, second)
    else:
        source = target = first
    return [(*side, way, n) for side, way, n in ((source, 0, read), (target, 1, written)) if n]


def computed(data, rows):
    time, ranks = Bins(data["time"]), Bins(data["ranks"])
    cells = collections.Counter()
    names = [set(data["files"]), set(data["ops"])]
    # Of a job without ranks a row is a process.
    processes = {name.split(" ")[0]: n for n, name in enumerate(data["processes"])}
    paths = {row["path"] for row in rows}
    # Of each picture of offsets its number, its file if it is of one, and its bins.
    pictures = [(n, one["of"] if one["of"] in paths else None, Bins(one["axis"])) for n, one in enumerate(data["offsets"])]
    for row in rows:
        if row["class"] == "process":
            continue
        # Flushing a stream is writing (docs/STAT.md).
        flushes = row["class"] == "sync" and row["layer"] == "STDIO"
        start, elapse, kind = int(row["start"]), int(row["dur"]), CLASSES.get("write" if flushes else row["class"], 3)
        end, is_io = start + elapse, row["layer"] in ("POSIX", "STDIO")
        rank = ranks.at(processes.get(row["pid"], int(row["rank"])))
        keys = [("file", row["path"] or "-", is_io), ("op", row["op"], True), ("rank", rank, is_io)]
        is_top = row["parent"] == "0" or int(row["flags"]) & 32 != 0
        if row["layer"] not in ("HDF5", "NETCDF", "PNETCDF", "MPI-IO") and is_top and int(row["flags"]) & 16 == 0:
            for bin, some in time.spread(start, end, elapse):
                cells["busy", kind, bin] += some
                for by, name in (("file", row["path"] or "-"), ("rank", rank)):
                    cells[by, "time", name, bin] += some
        for bin, some in time.spread(start, end, elapse):
            cells["op", "time", row["op"], bin] += some
        for by, name, counts in keys:
            cells[by, "calls", name, time.at(start)] += counts
        for path, _, way, n in moved(row):
            for by, name, counts in (("file", path, is_io), ("op", row["op"], True), ("rank", rank, is_io)):
                for bin, some in time.spread(start, end, n if counts else 0):
                    cells[by, ("read", "written")[way], name, bin] += some
        if not is_io:
            continue
        cells["latency", kind, time.at(start), log_bin(elapse)] += 1
        for path, offset, way, n in moved(row):
            cells["size", way, time.at(start), log_bin(n)] += 1
            cells["both", log_bin(n), log_bin(elapse)] += 1
            for picture, _, offsets in (one for one in pictures if offset >= 0 and one[1] in (None, path)):
                for at, part in offsets.spread(offset, offset + n, n):
                    for bin, some in time.spread(start, end, part):
                        cells["offset", picture, way, at, bin] += some
    listed = lambda key: not (key[0] == "file" and key[2] not in names[0] or key[0] == "op" and key[2] not in names[1])
    return {key: value for key, value in cells.items() if value and listed(key)}


def shown(data):
    cells, count = {}, data["time"]["count"]
    names = [data["files"], data["ops"], range(data["ranks"]["count"])]
    for by, rows, names in zip(("file", "op", "rank"), data["rows"], names):
        for figure, values in rows.items():
            for row, name in enumerate(names):
                for bin in range(count):
                    cells[by, figure, name, bin] = values[row * count + bin]
    for kind, values in enumerate(data["busy"]):
        cells.update({("busy", kind, bin): value for bin, value in enumerate(values)})
    for picture, one in enumerate(data["offsets"]):
        for way, values in enumerate((one["read"], one["written"])):
            cells.update({("offset", picture, way, at // count, at % count): value for at, value in enumerate(values)})
    bins = len(data["log"]) - 1
    for name, all in (("size", data["sizes"]), ("latency", data["latencies"])):
        for kind, values in enumerate(all):
            pairs = zip(values[::2], values[1::2])
            cells.update({(name, kind, at // bins, at % bins): value for at, value in pairs})
    cells.update({("both", size, latency): calls for size, latency, calls in data["both"]})
    return {key: value for key, value in cells.items() if value}


def main(html, table):
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    data = page(html)["data"]
    ours, theirs = computed(data, rows), shown(data)
    differing = [(key, ours.get(key), theirs.get(key)) for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)]
    if differing:
        sys.exit(f"{len(differing)} of {len(theirs)} figures differ, computed and shown: {differing[:5]}")
    print(len(theirs))


if __name__ == "__main__":
    main(*sys.argv[1:])
