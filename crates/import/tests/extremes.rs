//! Lines of the right form with numbers that no tool prints: they are wrong, or the numbers are as large as they can be.

use iota_import::{Import, ImportSummary, Log, Tool};
use std::path::Path;

/// What is found in a log, and the calls of the trace that it becomes
fn imported(tool: Tool, text: &str) -> (ImportSummary, u64) {
    let spool = tempfile::tempfile().unwrap();
    let mut import = Import::new(spool, "out.iota".into(), None);
    let log = Log {
        name: "log".into(),
        path: Path::new("log"),
        from: Box::new(text.as_bytes()),
        progress: &|_| {},
    };
    let found = import.log(log, Some(tool)).unwrap();
    let written = import.finish(std::io::sink()).unwrap();
    (found, written.events)
}

/// Of two lines the second is too far from the first
fn is_too_far(tool: Tool, text: &str) {
    let (found, calls) = imported(tool, text);
    assert_eq!((found.good, found.bad, calls), (1, 1, 1), "{text}");
    let cause = found.first_bad.unwrap().1;
    assert_eq!(cause, "its time is too far from the start of the log");
}

#[test]
fn times() {
    for (start, elapse) in [("9223372036.8", "1"), ("-9223372036.8", "-1"), ("1", "8e9")] {
        let text = format!("0\t1\t1\t0\tread\t1\t3\t-\n0\t{start}\t{elapse}\t0\tread\t1\t3\t-\n");
        is_too_far(Tool::Text, &text);
        let line = |time, elapse| format!("7 {time} read(3, \"\", 1) = 1 <{elapse}>\n");
        is_too_far(
            Tool::Strace,
            &(line("1.0", "1") + &line("9223372036.8", elapse)),
        );
        let line = |time| format!("0 w 0 8 {time} 9223372036.8\n");
        is_too_far(Tool::Ioplots, &("0 w 0 8 -1 1\n".to_owned() + &line(-1)));
        let line = |end| format!("X_POSIX 0 write 0 0 8 0 {end}\n");
        is_too_far(Tool::Dxt, &(line("1") + &line("9223372036.8")));
    }
}

#[test]
fn lengths_and_places() {
    let lines = [
        "7 1.0 openat(AT_FDCWD, \"/a\", O_RDWR|O_TRUNC|O_APPEND) = 3 <0.1>",
        "7 1.1 pwrite64(3, \"\", 9, 9223372036854775807) = 9223372036854775807 <0.1>",
        "7 1.2 write(3, \"\", 9) = 9223372036854775807 <0.1>",
        "7 1.3 writev(3, [{iov_len=18446744073709551615}, {iov_len=9}], 2) = 9 <0.1>",
        "7 1.4 copy_file_range(3, [0], 3, [9223372036854775807], 9, 0) = 9 <0.1>",
    ];
    let (found, calls) = imported(Tool::Strace, &lines.join("\n"));
    assert_eq!((found.good, found.bad, calls), (5, 0, 5));
    let lost = "# calls: 0 captured, 0 filtered, 18446744073709551615 lost\n";
    let (found, calls) = imported(Tool::Text, &lost.repeat(2));
    assert_eq!((found.bad, calls), (0, 0));
}
