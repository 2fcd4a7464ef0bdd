//! Which clock times calls: the processor's counter if the kernel uses it, as the process looks up or `iota run` tells it.

use iota_tests::{Build, Case, Way, command_output};
use std::process::Command;

/// None where /sys is not mounted.
fn kernels_clock() -> Option<String> {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let clock = std::fs::read_to_string(path).ok()?;
    Some(clock.trim_ascii().to_owned())
}

/// What times the calls of a process that believes this of the kernel.
fn source_with(clock: Option<&str>) -> &'static str {
    match clock {
        _ if cfg!(target_arch = "aarch64") => "CNTVCT",
        Some("tsc") => "TSC",
        _ => "CLOCK_MONOTONIC",
    }
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("it has a name");
    name.trim_ascii().to_owned()
}

/// The source that `iota info` shows of a program that is told this.
fn source(told: &str) -> String {
    let ran = Case::new("many.c").args("10").way(Way::Static);
    let ran = ran.env("IOTA_NODE", told).run().succeeded().quiet();
    let mut info = Command::new(Build::first().iota());
    let info = command_output(info.args(["info", "--json"]).arg(ran.trace_dir()));
    let info: serde_json::Value = serde_json::from_str(&info).expect("JSON");
    let source = info.pointer("/time/clocks/0/source");
    source
        .and_then(|source| source.as_str())
        .expect("a clock")
        .to_owned()
}

#[test]
fn a_process_takes_the_clock_that_it_is_told_of_its_host() {
    let told = |clock: &str| source(&format!("{} {clock}", host()));
    for clock in ["hpet", "tsc"] {
        assert_eq!(told(clock), source_with(Some(clock)));
    }
}

#[test]
fn what_it_is_told_of_another_host_is_not_believed() {
    let own = source("");
    assert_eq!(own, source_with(kernels_clock().as_deref()));
    for clock in ["tsc", "hpet"] {
        assert_eq!(source(&format!("another-{} {clock}", host())), own);
        assert_eq!(source(&format!("{}-2 {clock}", host())), own);
    }
}

#[test]
fn iota_run_tells_it() {
    let script = "echo \"told $IOTA_NODE\"";
    let iota = Build::first().iota();
    let case = Case::shell(&format!(
        "exec {} run -q -o t.iota -- sh -c '{script}'",
        iota.display()
    ));
    let ran = case.run().succeeded();
    let expected = kernels_clock().map_or(String::new(), |clock| {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").expect("mounts");
        let is_root = |line: &&str| line.split(' ').nth(4) == Some("/");
        let root = mounts.lines().rfind(is_root);
        let has_lustre = [" - lustre ", " - autofs "]
            .iter()
            .any(|kind| mounts.contains(kind));
        let root = root
            .filter(|_| !has_lustre)
            .and_then(|line| line.split(' ').next());
        format!("{} {clock} {}", host(), root.unwrap_or("-"))
    });
    let told = ran.output.text();
    let step = told.strip_prefix(&format!("told {expected}"));
    let step = step.expect("the host, its clock and its root").trim_ascii();
    // In 1/65536 ticks, of the processor's counter alone.
    let has_step = step.parse().is_ok_and(|step: u64| step >= 65_536);
    assert_eq!(
        (has_step, step.is_empty()),
        match kernels_clock().as_deref() {
            Some("tsc") => (true, false),
            _ => (false, true),
        },
        "{told}"
    );
}
