//! Findings on datasets and attributes, each with a trace that has the fault and one like it that has not.

mod chunks;
#[path = "../common/mod.rs"]
mod common;

use common::tree::{SUB, Sub, Tree, UPPER, Upper};
use common::{Dir, threshold_decides};
use iota_calls::Kind;
use serde_json::Value;

const US: i64 = 1000;
const MIB: u64 = 1 << 20;

/// A trace under way, whose calls come one after another on each rank
struct Made {
    tree: Tree,
    now: i64,
    /// Where the sub-calls of the next call begin in the file
    place: u64,
}

impl Made {
    fn new() -> Made {
        Made {
            tree: Tree::new(4, 1),
            now: 0,
            place: 0,
        }
    }

    /// A call that makes so many of a sub-call, of so many bytes each; a sub-call takes 10 us, the call itself 10 more
    fn call(&mut self, call: &Upper, subs: (&str, u64, u64)) {
        let (op, count, bytes) = subs;
        let id = self.tree.number(call.rank, 0);
        let start = self.now;
        for n in 0..count {
            self.now += 10 * US;
            self.tree.sub(&Sub {
                op,
                rank: call.rank,
                parent: id,
                start: self.now - 10 * US,
                end: self.now,
                bytes,
                offset: (self.place + n * bytes) as i64,
                ..SUB
            });
        }
        self.now += 10 * US;
        self.tree.upper(&Upper {
            id,
            start,
            end: self.now,
            ..*call
        });
    }

    fn found(self) -> Vec<Value> {
        let dir = Dir::new().with("run.iota", &self.tree.finish());
        let report = dir.run(["layers", "run.iota", "--json", "--all"]).whole();
        let report: Value = serde_json::from_str(&report).unwrap();
        let stat = dir.run(["stat", "run.iota", "--json", "--all"]).whole();
        let stat: Value = serde_json::from_str(&stat).unwrap();
        let all = stat["findings"].as_array().unwrap();
        let of_layers = report["findings"].as_array().unwrap();
        assert!(
            of_layers.iter().all(|finding| all.contains(finding)),
            "{all:#?}"
        );
        report["findings"].as_array().unwrap().clone()
    }
}

const NONE: (&str, u64, u64) = ("pread64", 0, 0);

const WRITE: Upper = Upper {
    object: "/density",
    ..UPPER
};

const OPEN: Upper = Upper {
    op: "H5Dopen2",
    kind: Kind::Open,
    ..WRITE
};

const READ: Upper = Upper {
    op: "H5Dread",
    kind: Kind::Read,
    ..WRITE
};

/// Checks that what is made with `true` has the finding, whose expression selects calls, and what is made with `false` has
/// none of the kind
fn both(kind: &str, make: impl Fn(&mut Made, bool)) {
    for faulty in [true, false] {
        let mut made = Made::new();
        make(&mut made, faulty);
        let found = made.found();
        let kinds: Vec<&str> = found
            .iter()
            .map(|one| one["kind"].as_str().unwrap())
            .collect();
        assert_eq!(kinds.contains(&kind), faulty, "{kind}: {found:#?}");
    }
}

/// Checks that what is made has the finding where a threshold has the first value, and not where it has the second
fn on_and_off(kind: &str, name: &str, values: [&str; 2], make: impl Fn(&mut Made)) {
    let mut made = Made::new();
    make(&mut made);
    threshold_decides(&made.tree.finish(), kind, name, values);
}

#[test]
fn metadata_that_every_rank_reads() {
    both("independent-metadata", |made, faulty| {
        for rank in 0..4 {
            let open = Upper { rank, ..OPEN };
            let subs = if faulty || rank == 0 { 10 } else { 0 };
            made.call(&open, ("pread64", subs, 512));
            made.call(
                &Upper {
                    rank,
                    bytes: MIB,
                    ..READ
                },
                ("pread64", 1, MIB),
            );
        }
    });
}

#[test]
fn how_much_metadata_every_rank_may_read() {
    on_and_off("independent-metadata", "rank-reads", ["10", "11"], |made| {
        for rank in 0..4 {
            let open = Upper { rank, ..OPEN };
            made.call(&open, ("pread64", 10, 512));
        }
    });
}

#[test]
fn data_sets_that_grow_by_a_record() {
    both("grown-by-record", |made, faulty| {
        for n in 0..200 {
            if faulty || n % 100 == 0 {
                let extend = Upper {
                    op: "H5Dset_extent",
                    kind: Kind::Meta,
                    ..WRITE
                };
                made.call(&extend, NONE);
            }
            made.call(
                &Upper {
                    bytes: 4096,
                    ..WRITE
                },
                ("pwrite64", 1, 4096),
            );
        }
    });
}

#[test]
fn how_often_a_data_set_may_grow() {
    on_and_off("grown-by-record", "extents-share", ["50%", "51%"], |made| {
        for n in 0..200 {
            if n % 2 == 0 {
                let extend = Upper {
                    op: "H5Dset_extent",
                    kind: Kind::Meta,
                    ..WRITE
                };
                made.call(&extend, NONE);
            }
            made.call(&WRITE, ("pwrite64", 1, 4096));
        }
    });
}

#[test]
fn fill_values() {
    both("fill-values", |made, faulty| {
        let create = Upper {
            op: "H5Dcreate2",
            kind: Kind::Open,
            ..WRITE
        };
        made.call(&create, ("pwrite64", if faulty { 4 } else { 0 }, MIB));
        made.call(
            &Upper {
                bytes: 4 * MIB,
                ..WRITE
            },
            ("pwrite64", 4, MIB),
        );
    });
}

#[test]
fn conversions() {
    for says in [&[("element", 8), ("stored", 4)][..], &[("converted", 1)]] {
        both("conversion", |made, faulty| {
            let same: &[(&str, u64)] = &[("element", 8), ("stored", 8), ("converted", 0)];
            let says = if faulty { says } else { same };
            let write = Upper {
                bytes: MIB,
                says,
                ..WRITE
            };
            (0..4).for_each(|_| made.call(&write, ("pwrite64", 1, MIB)));
        });
    }
}

#[test]
fn how_many_transfers_may_convert() {
    on_and_off("conversion", "conversion-share", ["50%", "51%"], |made| {
        for n in 0..4 {
            let write = Upper {
                bytes: MIB,
                says: &[("converted", 1)],
                ..WRITE
            };
            let same = Upper {
                says: &[("converted", 0)],
                ..write
            };
            match n % 2 {
                0 => made.call(&write, ("pwrite64", 1, MIB)),
                _ => made.call(&same, NONE),
            }
        }
    });
}

#[test]
fn how_few_attributes_are_too_few_to_open_a_file() {
    let attribute = Upper {
        op: "H5Aread",
        object: "/@version",
        bytes: 8,
        ..READ
    };
    on_and_off(
        "opened-for-attributes",
        "rank-attributes",
        ["6", "5"],
        |made| {
            for rank in 0..4 {
                (0..6).for_each(|_| made.call(&Upper { rank, ..attribute }, ("pread64", 1, 512)));
            }
        },
    );
}

#[test]
fn files_opened_for_an_attribute() {
    let attribute = Upper {
        op: "H5Aread",
        object: "/@version",
        bytes: 8,
        ..READ
    };
    both("opened-for-attributes", |made, faulty| {
        for rank in 0..4 {
            let open = Upper {
                op: "H5Fopen",
                kind: Kind::Open,
                rank,
                object: "",
                ..WRITE
            };
            made.call(&open, ("pread64", 1, 512));
            made.call(&Upper { rank, ..attribute }, ("pread64", 1, 512));
            if !faulty {
                (0..2).for_each(|_| {
                    made.call(
                        &Upper {
                            rank,
                            bytes: MIB,
                            ..READ
                        },
                        ("pread64", 1, MIB),
                    )
                });
            }
        }
    });
}

#[test]
fn thousands_of_attributes() {
    let attribute = Upper {
        op: "H5Awrite",
        object: "/density@step",
        bytes: 8,
        ..WRITE
    };
    both("many-attributes", |made, faulty| {
        let count = if faulty { 1500 } else { 100 };
        (0..count).for_each(|_| made.call(&attribute, NONE));
        made.call(
            &Upper {
                bytes: MIB,
                ..WRITE
            },
            ("pwrite64", 1, MIB),
        );
    });
}

#[test]
fn the_expression_of_a_finding_selects_its_calls() {
    let mut made = Made::new();
    let create = Upper {
        op: "H5Dcreate2",
        kind: Kind::Open,
        ..WRITE
    };
    made.call(&create, ("pwrite64", 4, MIB));
    made.call(
        &Upper {
            bytes: 4 * MIB,
            ..WRITE
        },
        ("pwrite64", 4, MIB),
    );
    let trace = made.tree.finish();
    let dir = Dir::new().with("run.iota", &trace);
    let found = dir.run(["layers", "run.iota", "--json"]).whole();
    let found: Value = serde_json::from_str(&found).unwrap();
    let select = found["findings"][0]["select"].as_str().unwrap();
    assert_eq!(select, "layer=hdf5,file=/scratch/shared,object=/density");
    let lines = dir.run(["text", "run.iota", "--where", select]).whole();
    let calls = lines.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(calls.count(), 2, "{lines}");
    let cut = dir.run(["cut", "run.iota", "--where", select, "-o", "cut.iota"]);
    assert_eq!(cut.status, 0, "{cut:?}");
    let table = dir.run(["stat", "cut.iota", "--by", "object"]).whole();
    let row = table.lines().find(|line| line.starts_with("/density"));
    assert!(row.is_some_and(|row| row.contains("HDF5")), "{table}");
}
