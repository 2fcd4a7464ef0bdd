//! The table of files of `iota info`.

mod common;

#[test]
fn files_of_installations_stand_behind_the_others() {
    let mut part = common::trace::Part::bare(0, &common::trace::process(1, 0));
    part.name_ops(&["pread64"]);
    let pread = iota_calls::rows().find(|(_, call)| call.name == "pread64");
    let (op, _) = pread.unwrap();
    part.file(1, b"/usr/lib/libm.so.6");
    part.file(2, b"/scratch/run/in");
    let of = |file: u64, calls: u32, first: u32| {
        let reads = common::trace::writes(calls, 8).into_iter();
        reads.map(move |record| iota_trace::Record {
            op: op.0,
            file: file as _,
            id: record.id + first,
            ..record
        })
    };
    let all: Vec<_> = of(1, 9, 0).chain(of(2, 3, 9)).collect();
    part.calls(&all);
    let dir = common::Dir::new().with("run.iota", &common::trace::gathered(&[part.finish()]));
    let page = dir.run(["info", "run.iota"]).out;
    let places = ["/scratch/run/in\n", "/usr/lib/libm.so.6\n"].map(|path| page.find(path));
    assert!(places[0].is_some() && places[0] < places[1], "{page}");
    let line = "1 file of installed software, listed behind the others";
    assert!(page.contains(line), "{page}");
}

#[test]
fn a_copy_has_read_one_file_and_written_the_other() {
    let log = "\
100 1700000000.000000 openat(AT_FDCWD</tmp>, \"/a\", O_RDONLY) = 3</a> <0.000010>
100 1700000000.100000 openat(AT_FDCWD</tmp>, \"/b\", O_WRONLY|O_CREAT, 0644) = 4</b> <0.000010>
100 1700000000.200000 copy_file_range(3</a>, NULL, 4</b>, NULL, 100, 0) = 60 <0.000020>
100 1700000000.300000 sendfile(4</b>, 3</a>, NULL, 100) = 40 <0.000020>
";
    let dir = common::Dir::new().with("log.strace", log.as_bytes());
    dir.run(["convert", "log.strace", "-o", "run.iota"]);
    let page = dir.run(["info", "run.iota"]).out;
    let of = |file: &str| {
        let mut lines = page.lines();
        let line = lines.find(|line| line.ends_with(file)).unwrap_or_default();
        let words = line.split_whitespace().collect::<Vec<_>>();
        words[1..words.len() - 1].join(" ")
    };
    assert_eq!(of(" /a"), "2 30.0 us 100 B 0 B", "{page}");
    assert_eq!(of(" /b"), "2 30.0 us 0 B 100 B", "{page}");
}
