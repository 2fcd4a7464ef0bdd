//! What the command inherits, and what it gives away: descriptors, the umask, its user.

use super::{Build, shell};
use iota_tests::{Case, machine};

/// Rust's start opens /dev/null in their place: `ls >&-` said nothing, and the first file had the number 3.
#[test]
fn closed_descriptors_stay_closed() {
    let iota = Build::first().iota();
    let script = format!(
        "for n in 0 1 2; do eval \"{} run -q -- sh -c '[ -e /proc/self/fd/$n ]; echo $n \\$? >>f' $n>&-\"; done; cat f",
        iota.display()
    );
    let ran = Case::shell(&script).run().succeeded();
    assert_eq!(ran.stdout(), "0 1\n1 1\n2 1\n", "{}", ran.output.errors());
}

/// As a user without privileges, for whom no file is open that its mode closes
fn a_umask_takes_nothing_from_the_tracer(before: &str, inside: &str) {
    if !machine::SECOND_USER.is_here() {
        return;
    }
    let script = format!(
        "as='setpriv --reuid=65534 --regid=65534 --clear-groups'; iota={}; chmod 777 .. . ../trace ../spool; \
         (umask {before}; $as $iota run -- sh -c 'umask {inside}; head -c 9 /etc/passwd >/dev/null') && \
         $as $iota info ../trace/run.iota",
        Build::first().iota().display()
    );
    let ran = Case::shell(&script).run().succeeded();
    let said = ran.stdout();
    assert!(said.contains("complete   yes"), "{said}");
    assert!(said.contains("/etc/passwd"), "{said}");
    assert_eq!(ran.spooled(), Vec::<String>::new());
}

#[test]
fn a_umask_before_the_run() {
    a_umask_takes_nothing_from_the_tracer("0777", "022");
}

#[test]
fn a_umask_of_the_command() {
    a_umask_takes_nothing_from_the_tracer("022", "0777");
}

/// The command's own files are as it wants them.
#[test]
fn a_umask_goes_to_the_command() {
    let iota = Build::first().iota();
    let script = format!("umask 0737; {} run -q -- sh -c umask", iota.display());
    let ran = Case::shell(&script).run().succeeded();
    assert_eq!(ran.stdout(), "0737\n");
}

/// The part of the program before it could not be written by the other user, and its spool told of a kill.
#[test]
fn a_program_of_another_user_that_is_not_traced_is_counted() {
    if !machine::SECOND_USER.is_here() {
        return;
    }
    let script = "exec setpriv --reuid=65534 --regid=65534 --clear-groups env -i ls / >/dev/null";
    let ran = shell(&format!("chmod 777 .. ../spool; {script}"), "").succeeded();
    let said = ran.output.errors();
    assert!(said.contains("1 program not traced"), "{said}");
}
