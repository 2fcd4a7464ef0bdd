//! Directories with very many files.

use super::{METADATA, Measure, Rules};
use crate::filter::Select;
use crate::stat::Finding;
use crate::stat::facts::printable;
use iota_quantity::{many, time};

impl Rules<'_> {
    pub(super) fn crowded_directory(&self) -> Option<Finding> {
        let (path, of) = self.files.fullest()?;
        self.thresholds.crowd.is_reached(of.files).then(|| Finding {
            kind: "crowded-directory",
            cost: self.run_cost.share(Measure::Metadata, of.time),
            what: format!("{} of one directory are opened", many(of.files, "file")),
            evidence: format!(
                "in {}; to open, close and query them took {}",
                printable(path),
                time(of.time)
            ),
            advice: "Spread the files over directories (on Lustre: over metadata servers, `lfs mkdir -c`), or keep the data \
                in few large files; a directory that many ranks create files in is locked by each in turn.",
            select: Select::class(METADATA).directory(path).text(),
        })
    }
}
