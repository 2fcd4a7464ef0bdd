//! The table of datasets, variables and attributes.

use crate::table::Table;
use iota_analysis::stat;
use iota_quantity::{bytes, count, time};

/// A row for each, by layer and file
pub fn table(of: &stat::Table) -> Table {
    let mut out = Table::new(&[
        "object", "layer", "calls", "time", "read", "written", "file",
    ]);
    for row in &of.rows {
        out.row([
            row.name.clone(),
            row.layer.unwrap_or("-").to_owned(),
            count(row.calls),
            time(row.time),
            bytes(row.bytes_read),
            bytes(row.bytes_written),
            row.file.clone().unwrap_or_default(),
        ]);
    }
    out
}
