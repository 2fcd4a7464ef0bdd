//! The object of `--json`.

use iota_analysis::layers::LayerReport;

/// The object of `--json`
#[derive(serde::Serialize)]
pub struct LayersJson<'a> {
    pub traces: &'a [String],
    pub filter: &'a [String],
    /// In ns since 1970
    pub start: i64,
    /// In ns
    pub duration: i64,
    #[serde(flatten)]
    pub report: &'a LayerReport,
}
