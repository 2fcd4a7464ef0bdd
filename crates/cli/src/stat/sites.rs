//! The table of sites.

use crate::table::Table;
use iota_analysis::stat;
use iota_quantity::{bytes, count, time};

/// A row for each line of the program that made calls
pub fn table(of: &stat::Table) -> Table {
    let mut out = Table::new(&["site", "calls", "time", "read", "written", "called from"]);
    for row in &of.rows {
        out.row([
            row.name.clone(),
            count(row.calls),
            time(row.time),
            bytes(row.bytes_read),
            bytes(row.bytes_written),
            row.caller.clone().unwrap_or_default(),
        ]);
    }
    out
}
