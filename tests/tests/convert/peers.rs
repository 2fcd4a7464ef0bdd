//! Logs of Darshan and DFTracer by their own tools, and tables by Spark.

use super::{assert_same, by_script, by_stat, figures, iota, traced};
use iota_tests::machine::JAVA;
use iota_tests::{Build, Case, Ran, Way, command_output, tables};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

#[test]
fn tables_by_spark_from_shards_are_those_of_stat() {
    if !tables::are_wanted() || !JAVA.is_here() {
        return;
    }
    let (ran, trace) = traced();
    iota(
        &ran,
        &[
            "convert", &trace, "--to", "parquet", "--shards", "3", "-o", "shards",
        ],
    );
    let said = tables::say("docs/tables/spark_tables.py", "shards", &ran.work());
    assert_same(&by_script(&said), &by_stat(&ran, &trace));
}

/// Bytes read and written by file, as PyDarshan reads them
fn by_darshan(said: &Value) -> BTreeMap<String, [u64; 2]> {
    let mut found: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for module in ["POSIX", "STDIO"] {
        for record in said[module].as_array().into_iter().flatten() {
            let bytes = ["READ", "WRITTEN"].map(|way| {
                let counter = &record[format!("{module}_BYTES_{way}")];
                counter.as_u64().expect("a number")
            });
            let file = record["file"].as_str().expect("a name").to_owned();
            let sums = found.entry(file).or_default();
            *sums = [sums[0] + bytes[0], sums[1] + bytes[1]];
        }
    }
    found.retain(|_, bytes| *bytes != [0, 0]);
    found
}

fn pydarshan_agrees(ran: &Ran, modules: &[[&str; 2]]) {
    let trace = ran.trace_dir().display().to_string();
    iota(ran, &["convert", &trace, "-o", "run.darshan"]);
    let said = tables::say("tests/tables/darshan_log.py", "run.darshan", &ran.work());
    let stat = iota(
        ran,
        &["stat", &trace, "--json", "--top", "0", "--by", "file"],
    );
    let stat: Value = serde_json::from_str(&stat).expect("JSON");
    let mut files: BTreeMap<String, [u64; 2]> = figures(&stat["tables"][0]["rows"])
        .into_iter()
        .map(|(file, figures)| (file, [figures[2], figures[3]]))
        .collect();
    files.retain(|_, bytes| *bytes != [0, 0]);
    assert_eq!(by_darshan(&said), files);
    for [module, dxt] in modules {
        let sum = |records: &Value, count: &dyn Fn(&Value) -> u64| {
            let records = records.as_array().expect("records");
            records.iter().map(count).sum::<u64>()
        };
        let counted = sum(&said[*module], &|record| {
            let ways = ["READS", "WRITES"];
            let counters = record.as_object().expect("counters").iter();
            let transfers = counters.filter(|(name, _)| {
                ways.iter().any(|way| name.ends_with(way))
                    && !name.contains("CONSEC")
                    && !name.contains("SEQ")
            });
            transfers
                .map(|(_, count)| count.as_u64().unwrap_or(0))
                .sum()
        });
        let segments = sum(&said[*dxt], &|record| {
            let ways = ["read_segments", "write_segments"];
            ways.iter()
                .map(|way| record[*way].as_array().expect("segments").len() as u64)
                .sum()
        });
        assert!(segments > 0, "{dxt} is empty");
        assert_eq!(segments, counted, "{module}");
    }
    assert!(ran.work().join("summary.html").exists());
}

#[test]
fn pydarshan_reads_logs_and_says_what_stat_says() {
    if !tables::are_wanted() {
        return;
    }
    pydarshan_agrees(&traced().0, &[["POSIX", "DXT_POSIX"]]);
    let Some((_, _only)) = iota_tests::mpi_is_wanted("openmpi") else {
        return;
    };
    let ran = Case::mpi("mpi_files.c", Build::first(), 4)
        .way(Way::Preload)
        .run()
        .succeeded();
    pydarshan_agrees(&ran, &[["POSIX", "DXT_POSIX"]]);
}

#[test]
fn dftracer_counts_what_stat_counts() {
    if !tables::are_wanted() {
        return;
    }
    let (ran, trace) = traced();
    iota(&ran, &["convert", &trace, "-o", "run.pfw.gz"]);
    let mut view = Command::new(tables::packages().join("dftracer/bin/dftracer_view"));
    view.args(["--files", "run.pfw.gz", "--log-level", "error"])
        .args(["--group-by", "name", "--agg", "count,sum:dur"])
        .current_dir(ran.work());
    let said = command_output(&mut view);
    let rows = said.lines().filter(|line| line.starts_with('{'));
    let rows = rows.map(|row| serde_json::from_str::<Value>(row).expect("JSON"));
    let found: BTreeMap<String, u64> = rows
        .map(|row| {
            let count = row["count"].as_u64().expect("a number");
            (row["name"].as_str().expect("a name").to_owned(), count)
        })
        .collect();
    let stat = by_stat(&ran, &trace);
    let calls = stat["op"]
        .iter()
        .map(|(op, figures)| (op.clone(), figures[0]));
    assert_eq!(found, calls.collect());
}
