//! Time that ranks lost at the end of MPI, because others did not come.

use iota_quantity::{many, time};
use iota_trace::read::Trace;
use serde::Serialize;

/// The longest wait of a rank
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Waited {
    pub nanoseconds: u64,
    /// Ranks of its node that are known not to be traced
    pub untraced: u64,
}

/// None where all came, or nobody waited
pub fn of(trace: &Trace) -> Option<Waited> {
    let ends = trace.parts().iter().filter_map(|part| part.end());
    let waited = ends
        .map(|end| end.waited)
        .filter(|&waited| waited != [0; 2]);
    waited.max().map(|[nanoseconds, untraced]| Waited {
        nanoseconds,
        untraced,
    })
}

impl Waited {
    /// `ranks waited 1.02 s in MPI_Finalize for ranks that did not come: 1 rank of a node is not traced`
    pub fn message(self) -> String {
        let time = time(self.nanoseconds);
        let why = match self.untraced {
            0 => "they came too late, left early, or are not traced".to_owned(),
            1 => "1 rank of a node is not traced".to_owned(),
            ranks => format!("{} of a node are not traced", many(ranks, "rank")),
        };
        format!("ranks waited {time} in MPI_Finalize for ranks that did not come: {why}")
    }
}
