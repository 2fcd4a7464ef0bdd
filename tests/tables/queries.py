#!/usr/bin/env python3
"""Runs every SQL query of a Markdown page in the working directory by DuckDB; prints the rows of each as JSON."""

import json
import re
import sys

import duckdb


def main(page):
    with open(page, encoding="utf-8") as file:
        queries = re.findall(r"^```sql\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    assert queries, "no query in the page"
    found = []
    for query in queries:
        result = duckdb.sql(query)
        found.append({"columns": result.columns, "rows": [[str(value) for value in row] for row in result.fetchall()]})
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
