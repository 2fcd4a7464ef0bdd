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
    let told = "1 file of programs, libraries and modules stands behind the others";
    assert!(page.contains(told), "{page}");
}
