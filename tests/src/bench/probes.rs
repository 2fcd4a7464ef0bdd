//! What a probe costs: an empty function of a library, bare, traced, and with a probe, in the same rounds.

use crate::figures::median;
use iota_tests::{Case, Program, Way};

const CALLS: u32 = 2_000_000;

/// A row: medians.
pub fn text(rounds: usize) -> String {
    let all: Vec<_> = (0..rounds).map(|_| round()).collect();
    let [bare, traced, probed] =
        [0, 1, 2].map(|which| median(all.iter().map(|round| round[which]).collect()));
    format!(
        "\nempty function of a library, ns a call: bare {bare:.1}, traced {:+.1}, with a probe {:+.1} (goal: 60 above two \
         time stamps)\n",
        traced - bare,
        probed - bare
    )
}

fn round() -> [f64; 3] {
    let program = Program::new("probed_bench.c").shared("probed_library.c");
    let case = Case::of(program).args(&CALLS.to_string());
    let traced = case.clone().way(Way::Preload);
    let probed = traced.clone().env("IOTA_PROBE", "p_nothing");
    [
        case.run_bare(),
        traced.run(),
        probed.env("LD_BIND_NOW", "1").run(),
    ]
    .map(|ran| {
        let printed = ran.succeeded().stdout();
        printed.trim().parse().expect("a number of ns")
    })
}
