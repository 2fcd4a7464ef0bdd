#!/usr/bin/env python3
"""What PyDarshan reads in a log: records with their counters by name, and transfers; as JSON. Makes its report, too."""

import contextlib
import json
import subprocess
import sys

import darshan

COUNTING = ["POSIX", "MPI-IO", "STDIO"]
DXT = ["DXT_POSIX", "DXT_MPIIO"]


def counted(report, module):
    frames = report.records[module].to_df()
    for counters, times in zip(*[frames[key].to_dict("records") for key in ("counters", "fcounters")]):
        file = report.name_records[counters.pop("id")]
        times = {key: value for key, value in times.items() if "_F_" in key}
        yield {"file": file, **counters, **times}


def segments(report, module):
    for record in report.records[module]:
        segments = {key: [dict(segment) for segment in record[key]] for key in ("write_segments", "read_segments")}
        yield {"file": report.name_records[record["id"]], "rank": int(record["rank"]), "host": record["hostname"], **segments}


def main(log):
    with contextlib.redirect_stdout(sys.stderr):
        report = darshan.DarshanReport(log, read_all=True)
    found = {"job": report.metadata["job"], "exe": report.metadata["exe"]}
    found |= {module: list(counted(report, module)) for module in COUNTING if module in report.records}
    found |= {module: list(segments(report, module)) for module in DXT if module in report.records}
    made = [sys.executable, "-m", "darshan", "summary", log, "--output", "summary.html"]
    subprocess.run(made, check=True, stdout=sys.stderr)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
