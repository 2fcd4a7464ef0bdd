//! `iota-load-mpi`: the load over ranks, which start together and tell what each of them did.

use iota_tests::mpi::Turn;
use iota_tests::{Build, Case, Ran, canonical, mpi_is_wanted};

/// On two ranks of a build, with words separated by blanks, after a script; `{}` is the test's directory.
fn on_ranks(build: &Build, before: &str, words: &str) -> Ran {
    let launcher = [build.words("MPIEXEC"), build.words("MPIEXEC_FLAGS")]
        .concat()
        .join(" ");
    let load = build.load_over_ranks();
    Case::shell(&format!(
        "{before}\n{launcher} -n 2 {} -quiet {words}",
        load.display()
    ))
    .seconds(120)
    .run()
}

/// The builds that are wanted, each held for its turn.
fn builds() -> impl Iterator<Item = (&'static Build, Turn)> {
    ["openmpi", "mpich"].into_iter().filter_map(mpi_is_wanted)
}

#[test]
fn every_rank_has_files_of_its_own() {
    for (build, _turn) in builds() {
        let how = "-io_api mpiio -nfiles 1 -nops 4 -bufsz 64k -test buffer -file x";
        let ran = on_ranks(build, "", &format!("-op w {how} -format json")).succeeded();
        assert_eq!(ran.left().len(), 2, "a file for each rank");
        let told: serde_json::Value = serde_json::from_str(&ran.stdout()).expect("JSON");
        let bytes = |rank: usize| told[rank]["phases"][0]["moved"][0]["bytes"].as_u64();
        assert_eq!([bytes(0), bytes(1)], [Some(4 << 16); 2]);
    }
}

#[test]
fn ranks_share_a_file_independently_and_together() {
    for (build, _turn) in builds() {
        for how in ["", "-collective"] {
            let write = format!(
                "-op w -io_api mpiio -share_files {how} -nops 5 -bufsz 10007 -test buffer -file x"
            );
            let ran = on_ranks(build, "", &write).succeeded();
            let file = &ran.left()[std::ffi::OsStr::new("x.filen.00000")];
            assert_eq!(file.contents.len(), 2 * 5 * 10007);
            assert!(
                ran.stdout().contains("# all ranks: 97.7 KiB in "),
                "{}",
                ran.stdout()
            );
            let read = "-op r -io_api pio -share_files -nops 5 -bufsz 10007 -test buffer -file x";
            let work = ran.work().join("x.filen.00000");
            on_ranks(build, &format!("cp {} .", work.display()), read).succeeded();
        }
    }
}

#[test]
fn no_rank_begins_before_all_are_ready() {
    for (build, _turn) in builds() {
        // Rank 0 has 64 MiB to prepare, rank 1 finds its file there.
        let before = "head -c 67108864 /dev/zero >x.filen.00001";
        let iota = build.iota().display().to_string();
        let launcher = [build.words("MPIEXEC"), build.words("MPIEXEC_FLAGS")]
            .concat()
            .join(" ");
        let load = build.load_over_ranks();
        let words = "-quiet -op r -prepare -nops 64 -bufsz 1m -io_api pio -log off -file x";
        let script = format!(
            "{before}\n{iota} run --quiet -- {launcher} -n 2 {} {words}",
            load.display()
        );
        let trace = Case::shell(&script).seconds(180).run().succeeded().trace();
        let of = |op: &str| {
            let calls = trace.calls().filter(|call| {
                canonical(&call.op) == op && call.path.windows(8).any(|part| part == b"x.filen.")
            });
            calls.cloned().collect::<Vec<_>>()
        };
        let (prepared, read) = (of("pwrite"), of("pread"));
        assert_eq!((prepared.len(), read.len()), (64, 128));
        let ready = prepared.iter().map(|call| call.end).max();
        let began = read.iter().map(|call| call.start).min();
        assert!(began > ready, "{began:?} is not after {ready:?}");
    }
}

#[test]
fn a_mistake_is_told_once_and_a_failure_by_its_rank() {
    for (build, _turn) in builds() {
        let ran = on_ranks(build, "", "-op w -bufsz 0");
        let lines = |ran: &Ran| {
            ran.output
                .errors()
                .lines()
                .filter(|line| line.starts_with("iota: "))
                .map(String::from)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            lines(&ran),
            ["iota: rank 0: -bufsz 0: must be at least one byte"]
        );
        assert_eq!((ran.output.code(), ran.left().len()), (2, 0));
        let ran = on_ranks(build, "ln -s /dev/full x.filen.00001", "-op w -file x");
        let said = lines(&ran);
        assert!(
            said.len() == 1 && said[0].starts_with("iota: rank 1: x.filen.00001: write"),
            "{said:?}"
        );
        assert_ne!(ran.output.code(), 0);
    }
}
