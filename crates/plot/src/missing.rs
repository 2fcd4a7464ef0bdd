//! What a trace must have for a kind of picture, and has not.

use crate::kinds::{Kind, PlotData, tree};
use iota_analysis::layers::layer_of;
use iota_trace::text;
use std::fmt;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Missing {
    /// No call at all.
    pub fn calls() -> Missing {
        Missing::of("call", true)
    }

    fn of(what: &str, is_chosen: bool) -> Missing {
        Missing(match is_chosen {
            true => format!("no {what} passes the filter"),
            false => format!("no {what} is in the trace"),
        })
    }
}

impl PlotData<'_> {
    /// What a kind of picture would show, if there is none of it.
    pub(crate) fn missing(&self, kind: Kind, is_chosen: bool) -> Option<Missing> {
        let layer = || text::layer(layer_of(self.job));
        let bytes = self.survey.bytes();
        let (has, what) = match kind {
            Kind::Offset | Kind::Map => (
                self.survey.busiest(self.job).is_some(),
                "transfer with a known offset in a file".to_owned(),
            ),
            Kind::Heatmap | Kind::Latency => (bytes != [0, 0], "call that moved bytes".to_owned()),
            Kind::Ost => {
                let what = "layout of a file on Lustre".to_owned();
                return (self.plan.osts.is_empty()).then(|| Missing::of(&what, false));
            }
            Kind::Conflicts => (
                self.survey.busiest_shared().is_some(),
                "file that several ranks use and at least one writes".to_owned(),
            ),
            Kind::Layers => (!self.tree.is_empty(), format!("call of {}", layer())),
            Kind::Pairs if self.tree.is_empty() => (false, format!("call of {}", layer())),
            Kind::Pairs => (
                tree::has_pairs(self.tree),
                format!("sub-call of {} that moved bytes", layer()),
            ),
            Kind::Overview | Kind::Rank | Kind::Throughput | Kind::Sizes | Kind::Tree => {
                return None;
            }
        };
        (!has).then(|| Missing::of(&what, is_chosen))
    }
}
