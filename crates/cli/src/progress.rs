//! How far long work is: a bar on standard error, where that is a terminal and it takes longer than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Work that takes longer is shown
const LONG: Duration = Duration::from_secs(1);

/// A bar that appears when it is worth it
pub struct Bar {
    bar: ProgressBar,
    begun: Instant,
}

impl Bar {
    /// Of so many bytes
    pub fn of(total: u64) -> Bar {
        Bar::new(
            total,
            "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        )
    }

    /// Of so many traces
    pub fn of_traces(total: u64) -> Bar {
        Bar::new(
            total,
            "{bar:40} {human_pos} of {human_len} traces, {eta} left",
        )
    }

    /// Of so many calls
    pub fn of_calls(total: u64) -> Bar {
        Bar::new(
            total,
            "{bar:40} {human_pos} of {human_len} calls, {eta} left",
        )
    }

    fn new(total: u64, style: &str) -> Bar {
        let style = ProgressStyle::with_template(style);
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        Bar {
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            begun: Instant::now(),
        }
    }

    /// Of what, if that was not known before, and how far it is
    pub fn at(&self, done: u64, total: u64) {
        self.appear();
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    /// So much further
    pub fn add(&self, more: u64) {
        self.appear();
        self.bar.inc(more);
    }

    fn appear(&self) {
        if self.bar.is_hidden() && self.begun.elapsed() > LONG {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Takes it away
    pub fn done(self) {
        self.bar.finish_and_clear();
    }
}
