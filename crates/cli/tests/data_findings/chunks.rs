//! Findings on the chunks of datasets.

use super::common::tree::Upper;
use super::{MIB, Made, READ, WRITE, both};
use serde_json::Value;

#[test]
fn small_chunks() {
    both("small-chunks", |made, faulty| {
        let chunk = if faulty { 4096 } else { MIB };
        let write = Upper {
            bytes: 200 * 4096,
            says: &[("chunk", chunk)],
            ..WRITE
        };
        let subs = if faulty { 200 } else { 1 };
        made.call(&write, ("pwrite64", subs, 200 * 4096 / subs));
    });
}

#[test]
fn chunks_read_many_times() {
    both("chunk-cache", |made, faulty| {
        for n in 0..100 {
            let subs = if faulty || n % 25 == 0 { 1 } else { 0 };
            let says = &[("chunk", MIB / 16)];
            let read = Upper {
                bytes: 4096,
                says,
                ..READ
            };
            made.call(&read, ("pread64", subs, MIB / 16));
        }
    });
}

#[test]
fn chunks_of_which_each_read_uses_little() {
    let kinds = |distance: u64| {
        let mut made = Made::new();
        for n in 0..100 {
            let says = &[("chunk", MIB / 16)];
            let read = Upper {
                bytes: 4096,
                says,
                ..READ
            };
            made.place = n * distance;
            made.call(&read, ("pread64", 1, MIB / 16));
        }
        let found = made.found();
        let kind = |one: &Value| one["kind"].as_str().unwrap().to_owned();
        let said = |one: &Value| one["evidence"].as_str().unwrap().to_owned();
        let of_chunks = found.iter().filter(|one| kind(one).starts_with("chunk-"));
        of_chunks
            .map(|one| (kind(one), said(one)))
            .collect::<Vec<_>>()
    };
    let [(kind, said)] = &kinds(MIB / 16)[..] else {
        panic!("one finding");
    };
    assert_eq!(kind, "chunk-shape");
    assert!(said.contains("6.25 MiB read, for 400 KiB"), "{said}");
    // Half of each chunk was read before.
    let [(kind, said)] = &kinds(MIB / 32)[..] else {
        panic!("one finding");
    };
    assert_eq!(kind, "chunk-cache");
    assert!(
        said.contains("6.25 MiB read, 3.09 MiB of it again"),
        "{said}"
    );
}

#[test]
fn chunks_of_which_a_read_uses_little() {
    both("chunk-shape", |made, faulty| {
        let says = &[("chunk", MIB / 16)];
        let bytes = if faulty { 4096 } else { 2 * MIB };
        let read = Upper {
            bytes,
            says,
            ..READ
        };
        made.call(&read, ("pread64", 32, MIB / 16));
    });
}
