//! Events as DFTracer writes them.

use crate::common::trace::{Part, call};
use crate::common::{Dir, small};
use iota_trace::{Record, flags};

#[test]
fn dftracer_has_an_event_on_each_line() {
    let dir = Dir::new().with("run.iota", &small(1));
    dir.run(["convert", "run.iota", "-o", "run.pfw"]).whole();
    let plain = std::fs::read_to_string(dir.file("run.pfw")).unwrap();
    insta::assert_snapshot!(plain, @r#"
    [
    {"name":"HH","cat":"dftracer","pid":4000,"tid":4000,"ph":"M","args":{"hhash":"e6f978c220cc3202","name":"node01","value":"e6f978c220cc3202"}}
    {"name":"CM","cat":"dftracer","pid":4000,"tid":4000,"ph":"M","args":{"hhash":"e6f978c220cc3202","name":"time_metric","value":"NS"}}
    {"name":"FH","cat":"dftracer","pid":4000,"tid":4000,"ph":"M","args":{"hhash":"e6f978c220cc3202","name":"/scratch/run/out.0","value":"592ca6aff48558d3"}}
    {"id":1,"name":"open","cat":"POSIX","pid":4000,"tid":4000,"ts":1795240800000001000,"dur":2000,"ph":"X","args":{"hhash":"e6f978c220cc3202","fhash":"592ca6aff48558d3","rank":0,"ret":3,"flags":65,"mode":420}}
    {"id":2,"name":"pwrite64","cat":"POSIX","pid":4000,"tid":4000,"ts":1795240800000010000,"dur":400,"ph":"X","args":{"hhash":"e6f978c220cc3202","fhash":"592ca6aff48558d3","rank":0,"ret":8,"count":8,"offset":0}}
    {"id":3,"name":"pwrite64","cat":"POSIX","pid":4000,"tid":4000,"ts":1795240800000011000,"dur":400,"ph":"X","args":{"hhash":"e6f978c220cc3202","fhash":"592ca6aff48558d3","rank":0,"ret":8,"count":8,"offset":8}}
    {"id":4,"name":"pwrite64","cat":"POSIX","pid":4000,"tid":4000,"ts":1795240800000012000,"dur":400,"ph":"X","args":{"hhash":"e6f978c220cc3202","fhash":"592ca6aff48558d3","rank":0,"ret":8,"count":8,"offset":16}}
    {"id":5,"name":"close","cat":"POSIX","pid":4000,"tid":4000,"ts":1795240800000020000,"dur":500,"ph":"X","args":{"hhash":"e6f978c220cc3202","fhash":"592ca6aff48558d3","rank":0,"ret":0}}
    ]
    "#);
    for line in plain.lines().filter(|line| line.len() > 1) {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    dir.run(["convert", "run.iota", "-o", "run.pfw.gz"]).whole();
    let packed = std::fs::File::open(dir.file("run.pfw.gz")).unwrap();
    let unpacked = std::io::read_to_string(flate2::read::MultiGzDecoder::new(packed)).unwrap();
    assert_eq!(unpacked, plain);
}

#[test]
fn a_second_file_is_told_as_such_where_the_first_is_not_known() {
    let rename = Record {
        id: 1,
        flags: flags::MORE,
        ..call("rename", 10_000, 1000)
    };
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/data/a");
    part.calls(&[rename, Record::more(1, -1, -1, 0)]);
    let dir = Dir::new().with("run.iota", &part.finish());
    dir.run(["convert", "run.iota", "-o", "run.pfw"]).whole();
    let told = std::fs::read_to_string(dir.file("run.pfw")).unwrap();
    let event = told.lines().find(|line| line.contains("rename")).unwrap();
    assert!(
        event.contains("\"fhash2\":") && !event.contains("\"fhash\":"),
        "{event}"
    );
}
