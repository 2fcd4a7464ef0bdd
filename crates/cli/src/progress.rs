//! How far long work is: a bar on standard error, where that is a terminal and the work takes long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Work that takes longer is shown
const LONG: Duration = Duration::from_secs(1);

/// The bar; threads may share it
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
}

impl Progress {
    /// Of so many bytes
    pub fn of_bytes(total: u64) -> Progress {
        Progress::new(
            total,
            "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        )
    }

    /// Of so many calls
    pub fn of_calls(total: u64) -> Progress {
        Progress::new(
            total,
            "{bar:40} {human_pos} of {human_len} calls, {eta} left",
        )
    }

    fn new(total: u64, style: &str) -> Progress {
        let style = ProgressStyle::with_template(style);
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        Progress {
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            begun: Instant::now(),
        }
    }

    /// It is so much in all
    pub fn expect(&self, total: u64) {
        self.bar.set_length(total);
    }

    /// So much more is done
    pub fn add(&self, more: u64) {
        if self.bar.is_hidden() && self.begun.elapsed() > LONG {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(more);
    }

    /// All is done
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
