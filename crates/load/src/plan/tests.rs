use super::*;
use crate::api::Direction;
use std::ffi::OsString;

fn plan(line: &str) -> anyhow::Result<Plan> {
    let words = crate::dashes::doubled(line.split_whitespace().map(OsString::from));
    let options = Options::parse(&words).unwrap_or_else(|error| panic!("{error}"));
    Plan::new(options, line.to_owned(), World::ALONE, &api::APIS)
}

#[test]
fn a_piece_stands_at_operation_times_buffer_plus_its_start() {
    let plan = plan("-op w -bufsz 11 -npieces 4 -nops 3").unwrap();
    let offsets: Vec<u64> = (0..3)
        .map(|operation| plan.offset(operation) + plan.pieces[3].start)
        .collect();
    assert_eq!(offsets, [9, 20, 31]);
    assert_eq!(plan.end(), Some(33));
}

#[test]
fn random_offsets_meet_each_buffer_once_and_strided_ones_leave_gaps() {
    let random = plan("-access random -bufsz 4k -nops 100").unwrap();
    let mut offsets: Vec<u64> = (0..100).map(|operation| random.offset(operation)).collect();
    assert!(!offsets.is_sorted());
    offsets.sort_unstable();
    assert!(offsets.iter().copied().eq((0..100).map(|n| n * 4096)));
    let strided = plan("-access strided -stride 10k -bufsz 4k -nops 3").unwrap();
    assert_eq!(
        [0, 1, 2].map(|operation| strided.offset(operation)),
        [0, 10240, 20480]
    );
    assert_eq!(strided.end(), Some(24576));
}

#[test]
fn fsize_bounds_offsets() {
    let plan = plan("-time 1 -fsize 10k -bufsz 4k").unwrap();
    assert_eq!((plan.blocks, plan.nops), (2, None));
    assert_eq!(
        [0, 1, 2].map(|operation| plan.offset(operation)),
        [0, 4096, 0]
    );
}

#[test]
fn read_share_is_kept() {
    let plan = plan("-op rw -read_share 70 -nops 10000").unwrap();
    let reads = (0..10_000)
        .filter(|&operation| plan.direction(0, operation) == Direction::Read)
        .count();
    assert!((6700..7300).contains(&reads), "{reads}");
}

#[test]
fn ranks_number_their_files_or_share_them() {
    let words = |line: &str| crate::dashes::doubled(line.split_whitespace().map(OsString::from));
    let world = World { rank: 1, ranks: 2 };
    let of = |line: &str| {
        Plan::new(
            Options::parse(&words(line)).unwrap(),
            String::new(),
            world,
            &api::APIS,
        )
        .unwrap()
    };
    let own = of("-nfiles 2 -file x");
    assert_eq!(
        own.paths,
        ["x.filen.00002", "x.filen.00003"].map(PathBuf::from)
    );
    let shared = of("-share_files -file x -nops 2 -bufsz 4k");
    assert_eq!(shared.paths, [PathBuf::from("x.filen.00000")]);
    assert_eq!(
        (
            [0, 1].map(|operation| shared.offset(operation)),
            shared.end()
        ),
        ([4096, 12288], Some(16384))
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (line, said) in [
        ("-bufsz 0", "-bufsz 0"),
        ("-nfiles 0", "-nfiles 0"),
        ("-nops 0", "-nops 0"),
        ("-npieces 0", "-npieces 0"),
        ("-npieces 5 -bufsz 4", "-npieces 5"),
        ("-time 0 -fsize 1m", "-time 0"),
        ("-time 1", "-fsize"),
        ("-fsize 1k -bufsz 4k", "-fsize"),
        ("-bufsz 4g", "-npieces"),
        ("-nops 4000000000 -bufsz 4000m -npieces 2", "2^63"),
        ("-io_api telepathy", "unixio"),
        ("-noseek -io_api pio", "-noseek"),
        ("-noseek -access random", "-noseek"),
        ("-noseek -share -npieces 2 -test buffer", "-noseek"),
        ("-stride 1m", "-stride"),
        ("-access strided", "-stride"),
        ("-qd 4", "-qd 4"),
        ("-qd 32769 -io_api io_uring", "at most 32768"),
        ("-direct -io_api stdio", "-direct"),
        ("-fsync end", "-fsync"),
        ("-op w -fdatasync", "-fdatasync"),
        ("-read_share 10", "-read_share"),
        ("-op rw -read_share 101", "percentage"),
        ("-share_files", "iota-load-mpi"),
        ("-speed max", "-replay"),
    ] {
        match plan(line) {
            Err(error) => assert!(error.to_string().contains(said), "{line}: {error}"),
            Ok(_) => panic!("{line} was taken"),
        }
    }
}

#[test]
fn what_may_not_be_meant_is_reported() {
    for (line, said) in [
        ("-noseek -npieces 2", "pieces overlap"),
        ("-noseek", "from offset 0"),
        ("-share -npieces 2", "-lock_atomic"),
        ("-lock_atomic -noseek -share", "no effect"),
        ("-lock_atomic -io_api pio", "no effect"),
        ("-scope proc", "system scope"),
    ] {
        let warnings = plan(line).unwrap().warnings;
        assert!(
            warnings.iter().any(|warning| warning.contains(said)),
            "{line}: {warnings:?}"
        );
    }
    for quiet in [
        "",
        "-npieces 2",
        "-share -npieces 2 -lock_atomic",
        "-share -noseek",
    ] {
        assert_eq!(
            plan(quiet).unwrap().warnings,
            Vec::<String>::new(),
            "{quiet}"
        );
    }
}
