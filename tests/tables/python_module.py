"""The module `iota` on a trace: what it says of itself, and what pandas, Polars and DuckDB make of its table, as JSON."""

import json
import sys
import warnings

import duckdb
import iota
import polars
import pyarrow

trace, damaged = sys.argv[1:]
calls = iota.calls(trace)
chosen = iota.calls([trace], where=["class=write", "layer=posix"], columns=["op", "bytes_written"])
frame = calls.to_pandas()


def failure(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    rest = iota.calls(damaged).num_rows
    rest_counted = iota.info(damaged)["calls"]["captured"]

by_stat = {row["name"]: row["calls"] for row in iota.stat(trace, where="on=storage,pipes,system", by="op")["tables"][0]["rows"]}
json.dump(
    {
        "is_table": isinstance(calls, pyarrow.Table),
        "rows": calls.num_rows,
        "columns": calls.column_names,
        "units": {name: calls.schema.metadata.get(b"iota.unit." + name.encode(), b"").decode() for name in calls.column_names},
        "pandas": {op: int(n) for op, n in frame.groupby("op", observed=True).size().items()},
        "polars": dict(polars.from_arrow(calls).group_by("op").len().with_columns(polars.col("op").cast(polars.String)).iter_rows()),
        "duckdb": dict(duckdb.sql("select op::varchar, count(*) from calls group by op").fetchall()),
        "stat": by_stat,
        "chosen": chosen.column_names,
        "bytes_written": sum(chosen["bytes_written"].to_pylist()),
        "info": iota.info(trace),
        "layers": sorted(iota.layers(trace)),
        "rest": [rest, rest_counted],
        "warned": sorted({f"{one.category.__name__}: {one.message}" for one in warned}),
        "failures": [
            failure(iota.calls, trace, columns=["nothing"]),
            failure(iota.calls, trace, where="nothing"),
            failure(iota.info, "no.iota"),
            failure(iota.calls, []),
        ],
    },
    sys.stdout,
)
