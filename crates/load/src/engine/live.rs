//! The line on a terminal while a load runs.

use crate::plan::Plan;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use iota_quantity as quantity;
use std::time::Duration;

/// How often it changes.
pub const INTERVAL: Duration = Duration::from_millis(250);

/// The line, on standard error where that is a terminal.
pub struct Live {
    line: ProgressBar,
    name: String,
    /// All bytes, or all nanoseconds where time is the limit
    goal: Option<u64>,
    timed: bool,
}

impl Live {
    /// For a plan.
    pub fn new(plan: &Plan) -> Live {
        let target = match plan.options.quiet {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let line = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            line.set_style(style);
        }
        let bytes = plan.nops.map(|nops| {
            nops.saturating_mul(plan.options.bufsz)
                .saturating_mul(plan.paths.len() as u64)
        });
        let time = plan.options.time.map(|time| time.as_nanos() as u64);
        let name = plan
            .name
            .as_ref()
            .map_or(String::new(), |name| format!("{name}: "));
        Live {
            line,
            name,
            goal: time.or(bytes),
            timed: time.is_some(),
        }
    }

    /// Bytes and transfers so far, in so many nanoseconds.
    pub fn show(&self, (bytes, transfers): (u64, u64), nanos: u64) {
        let done = if self.timed { nanos } else { bytes };
        let share = self
            .goal
            .map(|goal| (done as f64 * 100.0 / goal.max(1) as f64).min(100.0));
        let share = share.map_or(String::new(), |share| format!("{share:.0} %, "));
        self.line.set_message(format!(
            "{}{share}{}, {:.1} MB/s, {}/s",
            self.name,
            quantity::bytes(bytes),
            quantity::mb_per_s(bytes, nanos).unwrap_or(0.0),
            quantity::many(
                (transfers as f64 * 1e9 / nanos.max(1) as f64) as u64,
                "transfer"
            )
        ));
    }

    /// Something else is being done.
    pub fn say(&self, what: &str) {
        self.line.set_message(format!("{}{what}", self.name));
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
