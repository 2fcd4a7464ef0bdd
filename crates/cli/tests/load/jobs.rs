//! Job files.

use super::count;
use crate::common::Dir;

const JOB: &str = "cleanup = true\n\n[defaults]\nfile = \"x\"\nbufsz = \"4k\"\nnops = 4\n\n\
    [[phase]]\nname = \"write\"\nop = \"w\"\ntest = \"buffer\"\n\n\
    [[phase]]\nname = \"read back\"\nop = \"r\"\ntest = \"buffer\"\nio_api = \"pio\"\n";

#[test]
fn phases_come_one_after_another_and_files_go_at_the_end() {
    let dir = Dir::new().with("job.toml", JOB.as_bytes());
    let rows = dir.log("-job job.toml");
    let of = |phase: &str| {
        rows.iter()
            .filter(|row| row.phase == phase)
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (count(&of("write"), "op"), count(&of("read back"), "op")),
        (4, 4)
    );
    assert_eq!(
        (count(&of("write"), "seek"), count(&of("read back"), "seek")),
        (4, 0)
    );
    assert_eq!(dir.names(), ["job.toml"]);
}

#[test]
fn options_of_the_command_line_come_before_those_of_the_job() {
    let dir = Dir::new().with("job.toml", JOB.as_bytes());
    assert_eq!(count(&dir.log("-job job.toml -nops 2"), "op"), 4);
}

#[test]
fn nothing_is_done_when_one_phase_cannot_be() {
    for (change, said) in [
        (
            "nops = 9\n",
            "job.toml: line 18: phase 3: x.filen.00000: has 16384 bytes, but 36864 would be read",
        ),
        (
            "bufzs = 1\n",
            "job.toml: line 19: phase 3: unexpected argument '--bufzs'",
        ),
        ("nops = 0\n", "job.toml: line 18: phase 3: -nops 0"),
    ] {
        let dir = Dir::new().with("job.toml", format!("{JOB}[[phase]]\n{change}").as_bytes());
        let said_of = dir.load("-job job.toml");
        assert!(said_of.failed().contains(said), "{said_of:?}");
        assert_eq!(dir.names(), ["job.toml"]);
    }
}

#[test]
fn preconditions_are_held_before_anything_is_done() {
    for (require, said) in [
        ("free = \"1000000t\"", "job.toml: require.free"),
        ("exists = [\"input\"]", "require.exists: input"),
        ("absent = [\"job.toml\"]", "require.absent: job.toml"),
    ] {
        let dir = Dir::new().with(
            "job.toml",
            format!(
                "[require]\n{require}\n{}",
                JOB.replace("cleanup = true\n", "")
            )
            .as_bytes(),
        );
        let result = dir.load("-job job.toml");
        assert!(result.failed().contains(said), "{result:?}");
        assert_eq!(dir.names(), ["job.toml"]);
    }
}

#[test]
fn a_phase_that_fails_ends_the_job_and_cleans_up() {
    let job = JOB.replace("io_api = \"pio\"\n", "seed = 2\n") + "[[phase]]\nname = \"never\"\n";
    let dir = Dir::new().with("job.toml", job.as_bytes());
    let said = dir.load("-job job.toml");
    assert!(said.failed().contains("wrong data"), "{said:?}");
    assert!(said.out.contains("# phase read back") && !said.out.contains("# phase never"));
    assert_eq!(dir.names(), ["job.toml"]);
}
