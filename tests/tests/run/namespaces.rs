//! Processes in PID namespaces of their own, where they have other ids.

use super::Build;
use iota_tests::{Case, machine};

/// A number that another process has here, or none: the one that has it there was taken for dead, and its spool removed.
#[test]
fn a_process_of_another_pid_namespace_that_lives_on_keeps_its_spool() {
    if !machine::NAMESPACES.is_here() {
        return;
    }
    let iota = Build::first().iota();
    let script = format!(
        "{0} run -q -- sh -c \"unshare --user --map-root-user --pid --fork --mount-proc \
         sh -c 'echo a > f; read wait < go; echo b >> f' > said 2>&1 & sleep 0.5\"; \
         {0} recover --list; {0} recover ../trace/.iota-run-*; echo > go; while ls ../spool | grep -q .; do sleep 0.1; done; cat f",
        iota.display()
    );
    let ran = Case::shell(&format!("mkfifo go; {script}"))
        .run()
        .succeeded();
    let said = ran.output.errors();
    assert!(said.contains("process 1 is still running"), "{said}");
    let lines = ran.stdout();
    let listed = lines.lines().any(|line| line.starts_with("alive        1"));
    assert!(listed && lines.ends_with("a\nb\n"), "{lines}");
}
