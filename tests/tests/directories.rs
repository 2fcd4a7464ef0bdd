//! Files are told by the directories in which they were opened, however these are called by then.

use iota_tests::{Case, Way};
use std::collections::BTreeSet;

/// A name may mean another directory each time, and a path may be gone when the call that it was passed to ends.
#[test]
fn directories_that_change_are_told_as_they_were() {
    for way in Way::TRACED {
        let ran = Case::new("directories.c").way(way).run().succeeded();
        let work = ran.work().canonicalize().expect("it is there");
        let trace = ran.trace();
        let opened = trace.calls().filter(|call| call.op.starts_with("openat"));
        let paths: BTreeSet<_> = opened
            .map(|call| String::from_utf8_lossy(&call.path).into_owned())
            .filter(|path| path.contains('-'))
            .collect();
        let names = [
            "A-fd", "A-link", "A-root", "B-fd", "B-link", "B-root", "D-again", "D-before",
            "E-after", "F-after",
        ];
        let expected = names.map(|name| work.join(&name[..1]).join(name).display().to_string());
        assert_eq!(paths, BTreeSet::from(expected), "{way:?}");
    }
}
