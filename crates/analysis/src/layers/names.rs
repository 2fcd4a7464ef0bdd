//! What findings call things.

use crate::{FileId, Job, ObjectId, OpId};
use iota_trace::Printable;

/// What numbers of the job mean.
pub(super) struct Names<'j>(pub &'j Job<'j>);

impl Names<'_> {
    pub fn op(&self, op: OpId) -> String {
        Printable(&self.0.ops.get(op).name).to_string()
    }

    pub fn file(&self, file: FileId) -> String {
        Printable(self.0.files.path(file)).to_string()
    }

    pub fn object(&self, object: ObjectId) -> String {
        Printable(self.0.objects.name(object)).to_string()
    }

    /// Bytes of a stripe of a file on Lustre; 0: it is not known.
    pub fn stripe(&self, file: FileId) -> u64 {
        let layout = self.0.files.layout(file);
        layout
            .and_then(|layout| layout.main())
            .map_or(0, |main| main.stripe_size.into())
    }

    /// Nodes of the job.
    pub fn hosts(&self) -> u64 {
        let hosts = self.0.trace.parts().iter().map(|part| part.host());
        hosts.collect::<std::collections::HashSet<_>>().len() as u64
    }
}
