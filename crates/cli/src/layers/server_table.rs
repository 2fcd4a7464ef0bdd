//! File servers as a table.

use super::cells::{rate, some};
use crate::table::Table;
use crate::text_page::TextPage;
use iota_analysis::servers::ServerRow;
use iota_quantity::{bytes, count, time};

/// A row for each of some servers of `all`
pub fn table(page: &mut TextPage, rows: &[ServerRow], all: u64) {
    let heads = [
        "server", "calls", "time", "wall", "read", "written", "rate", "slowest", "cached",
        "guessed", "untied", "clock",
    ];
    let mut out = Table::new(&heads);
    for row in rows {
        out.row([
            row.name.clone(),
            count(row.calls),
            time(row.time),
            time(row.wall),
            some(row.bytes_read, bytes),
            some(row.bytes_written, bytes),
            rate(row.rate),
            some(row.slowest, count),
            some(row.cached, count),
            some(row.guessed, count),
            some(row.untied, count),
            clock(row),
        ]);
    }
    page.table(&out, all - rows.len() as u64);
}

/// `+1.50 s within 20.0 us`; nothing where the job has the same clock
fn clock(row: &ServerRow) -> String {
    let sign = if row.clock_offset < 0 { '-' } else { '+' };
    let offset = || format!("{sign}{}", time(row.clock_offset.unsigned_abs()));
    match row.clock_error {
        Some(0) => "-".to_owned(),
        Some(error) => format!("{} within {}", offset(), time(error)),
        None if row.clock_offset == 0 => "not known".to_owned(),
        None => format!("{} or more", offset()),
    }
}
