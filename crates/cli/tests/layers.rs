//! `iota layers`: the tree as text and as JSON, its filters, and what it says where there is none.

mod common;

use common::Dir;
use common::tree::{MPI, Mpi, SUB, Sub, Tree, UPPER, Upper};
use iota_trace::flags;
use serde_json::Value;

const MS: i64 = 1_000_000;

fn trace() -> Vec<u8> {
    trace_of(Tree::new(4, 2))
}

/// Four ranks open a file and write it together twice. Rank 3 comes 20 ms late; ranks 0 and 2 write for all. Then rank 1
/// begins a write of its own and reads something else.
fn trace_of(mut tree: Tree) -> Vec<u8> {
    for rank in 0..4u32 {
        let late = if rank == 3 { 20 } else { 0 };
        let both = Mpi {
            rank,
            ranks: 4,
            ..MPI
        };
        tree.mpi(&Mpi {
            op: "MPI_File_open",
            end: MS,
            collective: 1,
            hints: "cb_nodes=2;romio_cb_write=enable",
            ..both
        });
        for n in 0..2 {
            let start = (10 + 100 * n) * MS;
            let id = tree.number(rank, 0);
            if rank % 2 == 0 {
                tree.sub(&Sub {
                    rank,
                    parent: id,
                    start: start + 30 * MS,
                    end: start + 70 * MS,
                    bytes: 2 << 20,
                    flags: flags::UNDER_LIBRARY,
                    ..SUB
                });
            }
            tree.mpi(&Mpi {
                op: "MPI_File_write_at_all",
                id,
                start: start + late * MS,
                end: start + 80 * MS,
                bytes: 1 << 20,
                collective: 2 + n as u64,
                ..both
            });
        }
    }
    tree.mpi(&Mpi {
        op: "MPI_File_iread_at",
        rank: 1,
        start: 300 * MS,
        end: 400 * MS,
        file: "/scratch/own",
        bytes: 4096,
        flags: flags::ASYNCHRONOUS,
        begun: 500_000,
        ..MPI
    });
    tree.finish()
}

fn json(dir: &Dir, args: &[&str]) -> Value {
    let all = ["layers", "run.iota", "--json"];
    serde_json::from_str(&dir.run(all.iter().chain(args)).whole()).unwrap()
}

#[test]
fn the_page_has_facts_findings_and_tables() {
    let dir = Dir::new().with("run.iota", &trace());
    insta::assert_snapshot!(dir.run(["layers", "run.iota"]).whole());
}

#[test]
fn json_says_the_same() {
    let dir = Dir::new().with("run.iota", &trace());
    let all = json(&dir, &[]);
    assert_eq!(
        (&all["version"], &all["ranks"].as_array().unwrap().len()),
        (&1.into(), &4)
    );
    assert_eq!(
        (&all["total"]["calls"], &all["total"]["collective"]),
        (&13.into(), &12.into())
    );
    assert_eq!(all["total"]["waiting"], 6 * 20 * MS);
    let one = &all["collectives"][0];
    assert_eq!(
        (&one["last"], &one["waiting"]),
        (&3.into(), &(3 * 20 * MS).into())
    );
    assert_eq!(one["aggregators"], serde_json::json!([0, 2]));
    assert_eq!(one["amplification"], 1.0);
    let call = &all["calls"][0];
    assert_eq!(
        (&call["in_flight"], &call["library"]),
        (&true.into(), &Value::Null)
    );
}

/// The numbers of collective calls are the same in every job that does the same.
#[test]
fn ranks_wait_for_those_of_their_own_job() {
    let later = trace_of(Tree::new(4, 2).after(1));
    let dir = Dir::new().with("run.iota", &trace()).with("b.iota", &later);
    let all = json(&dir, &["b.iota"]);
    assert_eq!(all["total"]["waiting"], 2 * 6 * 20 * MS);
    let rows = all["collectives"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().all(|row| row["ranks"] == 4), "{rows:?}");
    let merged = ["merge", "run.iota", "b.iota", "-o", "both.iota"];
    dir.run(merged);
    let both = ["layers", "both.iota", "--json"];
    let both: Value = serde_json::from_str(&dir.run(both).whole()).unwrap();
    assert_eq!(both["collectives"], all["collectives"]);
}

#[test]
fn a_filter_selects_calls_of_mpi() {
    let dir = Dir::new().with("run.iota", &trace());
    let total = |only| json(&dir, &["--where", only])["total"].clone();
    let of = |only, what| total(only)[what].as_u64().unwrap();
    assert_eq!((of("rank=2", "calls"), of("rank=2", "sub_calls")), (3, 2));
    assert_eq!(
        (of("op=*open", "calls"), of("op=*open", "sub_calls")),
        (4, 0)
    );
    assert_eq!(of("layer=mpiio,class=write", "sub_calls"), 4);
    assert_eq!(
        of("layer=posix", "calls"),
        0,
        "nothing below stands for itself"
    );
}

#[test]
fn a_trace_without_mpi_says_so() {
    let dir = Dir::new().with("run.iota", &common::small(2));
    let page = dir.run(["layers", "run.iota"]).whole();
    assert!(
        page.starts_with("run.iota\nMPI-IO     no calls\n\ntree "),
        "{page}"
    );
    assert!(page.contains("\npwrite64      6 "), "{page}");
    assert_eq!(json(&dir, &[])["total"]["calls"], 0);
}

#[test]
fn tables_are_those_that_are_asked_for() {
    let dir = Dir::new().with("run.iota", &trace());
    let page = dir
        .run(["layers", "run.iota", "--by", "rank", "-n", "2"])
        .whole();
    assert!(page.contains("\nrank "), "{page}");
    assert!(
        page.ends_with("and 2 more rows (--top 0 shows all)\n"),
        "{page}"
    );
    assert!(!page.contains("aggregators"), "{page}");
}

fn drawn(dir: &Dir, kind: &str, args: &[&str]) -> String {
    let all = ["plot", "run.iota", "--kind", kind, "-fo", "out.svg"];
    dir.run(all.iter().chain(args)).whole();
    std::fs::read_to_string(dir.file("out.svg")).unwrap()
}

/// Boxes of a layer of a picture
fn boxes(picture: &str, layer: &str) -> usize {
    let begin = format!("inkscape:label=\"{layer}\"");
    let of_layer = picture.split(&begin).nth(1).unwrap_or_default();
    let of_layer = of_layer.split("</g>").next().unwrap();
    of_layer.matches('M').count()
}

#[test]
fn a_picture_has_a_bar_for_each_call() {
    let dir = Dir::new().with("run.iota", &trace());
    let picture = drawn(&dir, "layers", &[]);
    // An open and two writes of all ranks, and a read in flight; sub-calls below the writes.
    assert_eq!(boxes(&picture, "MPI library"), 3, "{picture}");
    assert_eq!(boxes(&picture, "client: POSIX and STDIO calls"), 2);
    assert_eq!(boxes(&picture, "in flight"), 1);
    assert!(
        picture.contains("MPI_File_open 0; MPI_File_write_at_all 1\u{2013}2; MPI_File_iread_at 3")
    );
    let picture = drawn(&dir, "layers", &["--where", "class=write"]);
    assert_eq!(boxes(&picture, "MPI library"), 2);
}

#[test]
fn a_picture_has_a_bar_for_each_pair() {
    let dir = Dir::new().with("run.iota", &trace());
    let picture = drawn(&dir, "pairs", &[]);
    // Two aggregators below each of two writes.
    assert_eq!(
        (boxes(&picture, "writing"), boxes(&picture, "reading")),
        (4, 0),
        "{picture}"
    );
    for pair in ["1\u{2013}0", "1\u{2013}1", "2\u{2013}0", "2\u{2013}1"] {
        assert!(picture.contains(&format!(">{pair}<")), "{pair}");
    }
}

#[test]
fn the_page_of_the_browser_has_a_section() {
    let dir = Dir::new()
        .with("run.iota", &trace())
        .with("none.iota", &common::small(2));
    let page = |name: &str| {
        dir.run(["report", name, "-fo", "out.html"]).whole();
        std::fs::read_to_string(dir.file("out.html")).unwrap()
    };
    let with = page("run.iota");
    assert!(with.contains("<section id=\"layers\">"));
    assert!(with.contains("comes late to collective calls, and the others wait for it"));
    assert!(with.contains("<td>MPI_File_write_at_all</td>") && with.contains("<td>0, 2</td>"));
    assert!(with.contains("<td>MPI_File_write_at_all</td>") && with.contains("Who called what"));
    assert!(with.contains("<td style=\"--depth:1\">pwrite64</td>"));
    assert!(with.contains("<title>MPI_File_write_at_all\nMPI-IO: 8 calls, 4 processes\n"));
    assert!(!page("none.iota").contains("<section id=\"layers\">"));
}

/// Two ranks write a dataset, each with one call of HDF5, MPI-IO and POSIX; one comes first that no library makes
fn of_hdf5() -> Vec<u8> {
    let mut tree = Tree::new(2, 1);
    for rank in 0..2 {
        let (set, mpi) = (tree.number(rank, 0), tree.number(rank, 0));
        tree.sub(&Sub {
            rank,
            parent: mpi,
            start: 20 * MS,
            end: 30 * MS,
            bytes: 2 << 20,
            flags: flags::UNDER_LIBRARY,
            ..SUB
        });
        tree.mpi(&Mpi {
            rank,
            id: mpi,
            parent: set,
            start: 15 * MS,
            end: 35 * MS,
            bytes: 2 << 20,
            ..MPI
        });
        tree.upper(&Upper {
            rank,
            id: set,
            start: 10 * MS,
            end: 40 * MS,
            bytes: 1 << 20,
            object: "/density",
            ..UPPER
        });
    }
    tree.finish()
}

#[test]
fn any_layer_may_be_the_one_whose_calls_are_told() {
    let dir = Dir::new().with("run.iota", &of_hdf5());
    let of = |layer| json(&dir, &["--layer", layer]);
    let (mpi, hdf5) = (of("MPI-IO"), of("hdf5"));
    assert_eq!(json(&dir, &[])["layer"], "MPI-IO");
    assert_eq!(
        (&mpi["layer"], &hdf5["layer"]),
        (&"MPI-IO".into(), &"HDF5".into())
    );
    assert_eq!(
        (&mpi["total"]["library"], &hdf5["total"]["library"]),
        (&(20 * MS).into(), &(40 * MS).into())
    );
    assert_eq!(hdf5["total"]["client"], 20 * MS);
    assert_eq!(hdf5["total"]["amplification"], 2.0);
    let set = &hdf5["objects"][0];
    assert_eq!(
        (&set["name"], &set["ranks"]),
        (&"/density".into(), &2.into())
    );
    assert_eq!(
        (&set["file"], &set["calls"]),
        (&"/scratch/shared".into(), &2.into())
    );
    assert_eq!(hdf5["calls"][0]["object"], "/density");
    insta::assert_snapshot!(dir.run(["layers", "run.iota", "--layer", "hdf5"]).whole());
    let said = dir.run(["layers", "run.iota", "--layer", "netcdf"]);
    let stderr = said.failed();
    assert!(stderr.contains("the trace has hdf5, mpiio"), "{stderr}");
}

/// Left edge, upper edge and width of the rectangle of a function in a picture, with what it says
fn rectangle<'p>(picture: &'p str, name: &str) -> ([f64; 3], &'p str) {
    let (_, rest) = picture
        .split_once(&format!("<title>{name}\n"))
        .unwrap_or_else(|| panic!("no {name}: {picture}"));
    let (told, rest) = rest.split_once("</title><rect ").unwrap();
    let value = |key: &str| {
        let (_, value) = rest.split_once(&format!("{key}=\"")).unwrap();
        value.split('"').next().unwrap().parse().unwrap()
    };
    (["x", "y", "width"].map(value), told)
}

#[test]
fn a_picture_has_calls_below_their_callers() {
    let dir = Dir::new().with("run.iota", &of_hdf5());
    let picture = drawn(&dir, "tree", &[]);
    let (set, of_set) = rectangle(&picture, "H5Dwrite [/density]");
    let (mpi, of_mpi) = rectangle(&picture, "MPI_File_write_at");
    let (write, of_write) = rectangle(&picture, "pwrite64");
    assert!(set[0] <= mpi[0] && mpi[0] <= write[0] && write[0] + write[2] <= set[0] + set[2]);
    assert!(set[1] < mpi[1] && mpi[1] < write[1], "{picture}");
    let shares = [mpi, write].map(|[.., width]| (width / set[2] * 30.0).round());
    assert_eq!(shares, [20.0, 10.0]);
    assert!(of_set.contains("HDF5: 2 calls, 2 processes\ntime 60.0 ms (100.0 %), own 20.0 ms"));
    assert!(
        of_mpi.contains("time 40.0 ms (66.7 %), own 20.0 ms"),
        "{of_mpi}"
    );
    assert!(
        of_write.contains("0 B read, 4.00 MiB written\n/scratch/shared"),
        "{of_write}"
    );
    for label in ["H5Dwrite [/density] 100.0 %", "MPI_File_write_at 66.7 %"] {
        assert!(picture.contains(&format!(">{label}</text>")), "{label}");
    }
    let characters = dir.run(["plot", "run.iota", "-k", "tree"]).whole();
    assert!(
        characters.contains("\u{258f}pwrite64 33.3 %"),
        "{characters}"
    );
    let few = drawn(&dir, "tree", &["--where", "layer=posix,rank=1"]);
    let (_, of_write) = rectangle(&few, "pwrite64");
    assert!(of_write.starts_with("POSIX: 1 call, 1 process\n"), "{few}");
    let said = dir.run(["plot", "run.iota", "-k", "tree", "--where", "op=open"]);
    assert!(
        said.failed().contains("no call passes the filter"),
        "{said:?}"
    );
}

#[test]
fn data_sets_are_columns_tables_and_terms() {
    let dir = Dir::new().with("run.iota", &of_hdf5());
    let rows = dir
        .run(["stat", "run.iota", "--by", "dataset", "--json"])
        .whole();
    let rows: Value = serde_json::from_str(&rows).unwrap();
    let row = &rows["tables"][0]["rows"][0];
    assert_eq!(
        (&row["name"], &row["layer"]),
        (&"/density".into(), &"HDF5".into())
    );
    assert_eq!(
        (&row["calls"], &row["bytes_written"]),
        (&2.into(), &(2 << 20).into())
    );
    let csv = |only: &str| {
        let args = [
            "convert", "run.iota", "--to", "csv", "-o", "-", "--where", only,
        ];
        dir.run(args).whole()
    };
    assert_eq!(csv("object=/dens*").matches(",/density,").count(), 2);
    assert_eq!(csv("object!=/dens*").lines().count(), 1 + 4);
    assert_eq!(csv("dataset=/energy").lines().count(), 1);
    let text = dir.run(["text", "run.iota", "-v"]).whole();
    assert!(text.contains("array{object=\"/density\""), "{text}");
}
