//! What a probe costs: an empty function of a library, bare, traced, and with a probe, in the same rounds; and an empty
//! function of the program itself.

use crate::figures::median;
use iota_tests::{Build, Case, Program, Ran, Way};

const CALLS: u32 = 2_000_000;

/// A row: medians.
pub fn text(rounds: usize) -> String {
    let all: Vec<_> = (0..rounds).map(|_| round()).collect();
    let [bare, traced, probed, inner, patched] =
        [0, 1, 2, 3, 4].map(|which| median(all.iter().map(|round| round[which]).collect()));
    format!(
        "\nempty function of a library, ns a call: bare {bare:.1}, traced {:+.1}, with a probe {:+.1} (goal: 60 above two \
         time stamps)\nempty function of the program, ns a call: bare {inner:.1}, with a probe {:+.1}\n",
        traced - bare,
        probed - bare,
        patched - inner
    )
}

fn round() -> [f64; 5] {
    let program = Program::new("probed_bench.c").shared("probed_library.c");
    let case = Case::of(program).args(&CALLS.to_string());
    let traced = case.clone().way(Way::Preload);
    let probed = traced.clone().env("IOTA_PROBE", "p_nothing");
    let inner = Program::new("probed_bench.c").object("probed_library.c");
    let inner = Case::of(inner).args(&CALLS.to_string());
    let iota = Build::first().iota();
    let patched = format!("{} run --quiet --probe p_nothing --", iota.display());
    [
        case.run_bare(),
        traced.run(),
        probed.env("LD_BIND_NOW", "1").run(),
        inner.run_bare(),
        inner.clone().under(&patched).run(),
    ]
    .map(|ran: Ran| {
        let printed = ran.succeeded().stdout();
        printed.trim().parse().expect("a number of ns")
    })
}
