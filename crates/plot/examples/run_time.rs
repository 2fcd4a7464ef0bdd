//! The picture of run times with and without tracing, by number of ranks: `docs/pictures/run-time.svg`, for which
//! `scripts/figures.sh` measures. Reads a line `RANKS BARE TRACED` (milliseconds) for each run from standard input, and writes
//! SVG.

use iota_plot::axis::{Axis, Unit};
use iota_plot::colours::among;
use iota_plot::figure::{Figure, Form, Panel, Shape};
use iota_quantity::many;
use std::collections::BTreeMap;
use std::io::{self, Read};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;

/// Times of all runs on so many ranks, in ns: bare, and traced.
type Runs = BTreeMap<u32, [Vec<f64>; 2]>;

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    print!(
        "{}",
        iota_plot::svg::draw(&figure(&runs(&text)), WIDTH, HEIGHT)
    );
    Ok(())
}

fn runs(text: &str) -> Runs {
    let mut runs = Runs::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [ranks, bare, traced] = words[..] else {
            panic!("{line:?}: three numbers were expected");
        };
        let number = |word: &str| {
            word.parse::<f64>()
                .unwrap_or_else(|why| panic!("{line:?}: {why}"))
        };
        let of_ranks = runs.entry(number(ranks) as u32).or_default();
        of_ranks[0].push(number(bare) * 1e6);
        of_ranks[1].push(number(traced) * 1e6);
    }
    runs
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// For each number of ranks a panel.
fn figure(runs: &Runs) -> Figure {
    let all = runs.values().flatten().flatten();
    let longest = all.copied().fold(0.0, f64::max);
    let width = 1.0 / runs.len().max(1) as f64;
    let panels = runs.iter().enumerate().map(|(place, (ranks, both))| {
        let panel = panel(*ranks, both, longest * 1.1);
        panel.at(place as f64 * width, 0.0, width, 1.0)
    });
    let differences: Vec<String> = runs.iter().map(difference).collect();
    Figure {
        title: "FLASH-IO with and without tracing".into(),
        subtitle: "Left bars: without iota. Right bars: traced, POSIX and MPI-IO. Bars are medians, dots single runs".into(),
        notes: vec![format!(
            "Median of the pairs' differences: {}",
            differences.join(", ")
        )],
        panels: panels.collect(),
    }
}

/// Two bars as high as the medians, and a dot for each run.
fn panel(ranks: u32, both: &[Vec<f64>; 2], longest: f64) -> Panel {
    let along = Axis::new("", Unit::Count, 0.0, 1.0).silent();
    let mut panel = Panel::new(
        many(ranks.into(), "rank"),
        along,
        Axis::new("run time", Unit::Time, 0.0, longest),
    );
    for (which, times) in both.iter().enumerate() {
        let (colour, left) = (among(which as u64, 2), 0.1 + 0.42 * which as f64);
        let at = |i: usize| left + 0.38 * (i as f64 + 0.5) / times.len() as f64;
        let bar = Form::Boxes(vec![[left, 0.0, left + 0.38, median(times)]]);
        let dots = times.iter().enumerate().map(|(i, time)| (at(i), *time));
        panel = panel
            .with(Shape::new(colour, bar).faint(0.7))
            .with(Shape::new(colour, Form::Dots(dots.collect())));
    }
    panel
}

fn difference((ranks, [bare, traced]): (&u32, &[Vec<f64>; 2])) -> String {
    let pairs = bare.iter().zip(traced);
    let ratios: Vec<f64> = pairs.map(|(bare, traced)| traced / bare).collect();
    let ranks = many((*ranks).into(), "rank");
    format!("{ranks} {:+.1} %", (median(&ratios) - 1.0) * 100.0)
}
