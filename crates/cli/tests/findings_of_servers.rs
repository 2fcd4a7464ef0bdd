//! Findings on file servers, of made traces.

mod common;

use common::tree::{MPI, Mpi, SUB, Sub, Tree};
use common::{Dir, joined};
use iota_trace::flags;
use serde_json::Value;

const MS: i64 = 1_000_000;
const HALF: u64 = 512 << 10;

/// 32 writes of 1 MiB, half of each on either server: `b` takes `times` as long for `of_b` of the halves as `a`.
fn planted(times: i64, of_b: u64, options: &[&str]) -> Value {
    let (mut job, mut servers) = (Tree::new(2, 2), Tree::new(2, 2));
    for n in 0..32 {
        let (start, offset) = (100 * n * MS, n as u64 * 2 * HALF);
        let id = job.number(0, 0);
        job.sub(&Sub {
            parent: id,
            start,
            end: start + 90 * MS,
            offset: offset as i64,
            bytes: 2 * HALF,
            flags: flags::UNDER_LIBRARY,
            ..SUB
        });
        job.mpi(&Mpi {
            id,
            start,
            end: start + 95 * MS,
            bytes: 2 * HALF,
            ..MPI
        });
        for half in 0..2 {
            let is_b = half == 1 && (n as u64) < of_b;
            let took = if is_b { times * 5 * MS } else { 5 * MS };
            servers.sub(&Sub {
                rank: is_b.into(),
                start: start + MS,
                end: start + MS + took,
                file: if is_b {
                    "/srv/b/shared"
                } else {
                    "/srv/a/shared"
                },
                offset: (offset + half * HALF) as i64,
                bytes: HALF,
                ..SUB
            });
        }
    }
    let dir = Dir::new().with("run.iota", &job.finish());
    joined(&dir.with("servers.iota", &servers.finish()), options)
}

/// Kind and evidence of each finding on servers
fn of_servers(said: &Value) -> Vec<(String, String)> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let findings = said["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| (text(finding, "kind"), text(finding, "evidence")))
        .filter(|(kind, _)| kind.contains("server"))
        .collect()
}

#[test]
fn a_slow_server_is_a_finding() {
    let said = planted(10, 32, &[]);
    let found = of_servers(&said);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "slow-server");
    assert!(
        found[0].1.starts_with("node1:/srv/b took 100 ms"),
        "{found:?}"
    );
    let findings = said["findings"].as_array().unwrap();
    let slow = findings
        .iter()
        .find(|of| of["kind"] == "slow-server")
        .unwrap();
    assert_eq!(slow["cost"], 32 * 45 * MS);
    assert_eq!(of_servers(&planted(1, 32, &[])), []);
}

#[test]
fn a_server_with_most_of_the_bytes_is_a_finding() {
    let found = of_servers(&planted(1, 2, &["--threshold", "server-share=1.5"]));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "server-imbalance");
    let evidence = "node0:/srv/a moved 31.0 MiB of the 32.0 MiB";
    assert!(found[0].1.starts_with(evidence), "{found:?}");
    assert_eq!(of_servers(&planted(1, 2, &[])), []);
}
