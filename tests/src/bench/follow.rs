//! What a followed system call costs, beside strace; and what following costs a call that hooks record.

use crate::figures::median;
use iota_tests::machine::STRACE;
use iota_tests::{Build, Case, Program, Way};

const CALLS: u32 = 20_000;
/// With a filter, and with the times and paths that a trace has
const STRACES: &str = "strace -f --seccomp-bpf -ttt -T -y -e trace=%file,%desc -o {}/strace";

/// Rows: medians.
pub fn text(rounds: usize) -> String {
    if !STRACE.is_here() {
        return "\nfollowing is not measured: no strace\n".into();
    }
    let all: Vec<_> = (0..rounds).map(|_| round()).collect();
    let [bare, followed, strace, hooked, both] =
        [0, 1, 2, 3, 4].map(|which| median(all.iter().map(|round| round[which]).collect()));
    format!(
        "\npwrite of 8 B, us of elapsed time a call: static, bare {bare:.2}, followed {followed:.1}, by strace --seccomp-bpf \
         {strace:.1} (goal: half of that)\npreloaded {hooked:.2}, with --follow {both:.1}\n"
    )
}

fn round() -> [f64; 5] {
    let case = || Case::of(Program::new("follow_bench.c").flags("-O2")).args(&CALLS.to_string());
    let of_static = || case().way(Way::BareStatic);
    let iota = Build::first().iota();
    let run = |options| format!("{} run --quiet {options} --", iota.display());
    [
        of_static(),
        of_static().under(&run("--follow")),
        of_static().under(STRACES),
        case().under(&run("--no-follow")),
        case().under(&run("--follow")),
    ]
    .map(|case| {
        let printed = case.run().succeeded().stdout();
        printed.trim().parse().expect("a number of us")
    })
}
