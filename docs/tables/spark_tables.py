#!/usr/bin/env python3
"""The tables of `iota stat` from Parquet shards, by Spark, on as many machines as its cluster has.

    iota convert run.iota --to parquet --shards 64 -o shards
    spark-submit spark_tables.py shards          # or python3, with pyspark, on this machine

prints, as JSON, calls, failures, bytes and time by function, file and rank: the same numbers as
`iota stat run.iota --json --top 0 --by op,file,rank --where on=storage,pipes,system`
(if MPI's own calls are left out of the shards: `iota convert --where program`).
"""

import json
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

ASYNCHRONOUS = 16
UNDER_LIBRARY = 32
FIGURES = ["calls", "failed", "bytes_read", "bytes_written", "time"]


def calls(spark, shards):
    """A row a call; `time` counts only of calls that a thread waited for and no other of these encloses, so that times add up."""
    table = spark.read.parquet(shards)
    is_io = f.col("layer").isin("POSIX", "STDIO")
    is_top = (f.col("parent") == 0) | (f.col("flags").bitwiseAND(UNDER_LIBRARY) != 0)
    waited = is_io & is_top & (f.col("flags").bitwiseAND(ASYNCHRONOUS) == 0)
    return (
        table.withColumn("calls", f.lit(1))
        .withColumn("failed", f.col("errno").isNotNull().cast("long"))
        .withColumn("time", f.when(waited, f.col("dur")).otherwise(0))
        .withColumn("is_io", is_io & (f.col("class") != "process"))
        .cache()
    )


def sums(table, by):
    """Sums of a table's figures for each value of a column."""
    return table.groupBy(by).agg(*[f.sum(figure).alias(figure) for figure in FIGURES])


def by_file(io):
    """Sums for each file, and how many ranks use it. A copy reads the first file and writes the second; sendfile reads
    the second and writes the first."""
    copies = (f.col("bytes_read") > 0) & (f.col("bytes_written") > 0) & f.col("path2").isNotNull()
    sends = f.col("op").startswith("sendfile")
    first, second = io, io.where(copies).withColumn("path", f.col("path2"))
    for figure, of_second in ("bytes_written", ~sends), ("bytes_read", sends):
        first = first.withColumn(figure, f.when(copies & of_second, 0).otherwise(f.col(figure)))
        second = second.withColumn(figure, f.when(of_second, f.col(figure)).otherwise(0))
    zeros = [f.lit(0).alias(figure) for figure in FIGURES if figure not in ("bytes_read", "bytes_written")]
    second = second.select("path", "rank", "bytes_read", "bytes_written", *zeros)
    both = first.select("path", "rank", *FIGURES).unionByName(second)
    figures = [f.sum(figure).alias(figure) for figure in FIGURES]
    return both.where(f.col("path").isNotNull()).groupBy("path").agg(*figures, f.countDistinct("rank").alias("ranks"))


def rows(table, by):
    found = (row.asDict() for row in table.collect())
    return [{"name": str(row.pop(by)), **{key: int(value) for key, value in row.items()}} for row in found]


def main(shards):
    spark = SparkSession.builder.appName("iota").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    table = calls(spark, shards)
    io = table.where("is_io")
    tables = {"op": rows(sums(table, "op"), "op"), "file": rows(by_file(io), "path"), "rank": rows(sums(io, "rank"), "rank")}
    json.dump(tables, sys.stdout, indent=1)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
