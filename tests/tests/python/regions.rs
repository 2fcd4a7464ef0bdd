//! Regions: what a program says begins and ends (`iota_region_begin`, `iota_region_end`).

use super::{chain, of_user};
use iota_tests::{Case, Way, in_each_way};
use std::collections::BTreeMap;

fn recorded(_: (), way: Way) {
    let case = Case::new("regions.c").way(way);
    let ran = case.run().succeeded();
    ran.assert_same_as(&case.run_bare());
    let trace = ran.trace();
    let mut calls = trace
        .parts
        .iter()
        .flat_map(|part| part.calls.iter().map(move |call| (part, call)));
    let reads: BTreeMap<_, _> = calls
        .clone()
        .filter(|(_, call)| call.op.starts_with("pread"))
        .map(|(part, call)| (call.length, chain(call, part)))
        .collect();
    // What encloses it is not recorded where it never ended by itself.
    assert_eq!(reads[&10], [] as [&str; 0]);
    assert_eq!(reads[&20], [] as [&str; 0]);
    assert_eq!(reads[&30], ["by no name"]);
    assert_eq!(reads[&40], ["in a child"]);
    assert_eq!(reads[&50], [] as [&str; 0]);
    let writes = calls
        .by_ref()
        .filter(|(_, call)| call.op.starts_with("pwrite"));
    let above: Vec<_> = writes.map(|(part, call)| chain(call, part)).collect();
    assert_eq!(above, [["write field", "checkpoint"]; 3]);
    let mut counts = BTreeMap::new();
    for call in trace.parts.iter().flat_map(of_user) {
        *counts.entry(&*call.op).or_insert(0) += 1;
    }
    let expected = [
        ("by no name", 1),
        ("checkpoint", 1),
        ("deep", 1024),
        ("in a child", 1),
        ("write field", 3),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
}

in_each_way! {
    recorded:
    regions_of_a_program in dynamic, linked_statically, preload: ();
}
