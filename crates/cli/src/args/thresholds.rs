//! What must be reached for a finding.

use iota_analysis::thresholds::{Part, Thresholds as Table};

/// What must be reached for a finding
#[derive(Debug, clap::Args)]
pub struct Thresholds {
    /// Changes what must be reached for a finding, as in small-bytes=1m; may be repeated. docs/STAT.md lists the thresholds
    #[arg(long, value_name = "NAME=VALUE")]
    pub threshold: Vec<String>,
    /// Shows all findings, also those that cost the run little: as --threshold worth=0
    #[arg(long)]
    pub all: bool,
}

impl Thresholds {
    /// All of them
    pub fn table(&self) -> anyhow::Result<Table> {
        let mut table = Table::default();
        if self.all {
            table.worth = Part::NONE;
        }
        for given in &self.threshold {
            let set = table.set(given);
            set.map_err(|fault| anyhow::anyhow!("--threshold {given}: {fault}"))?;
        }
        Ok(table)
    }
}
