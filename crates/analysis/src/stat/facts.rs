//! What must be known of a job beside what was found out, so that it can be shown without the trace.

use crate::{FileId, Medium, ObjectId, Site, SiteId, Tasks};
use iota_trace::Printable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What must be known of a job to tell what its numbers mean, when its trace is not at hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// When it began, in ns since 1970.
    pub start: i64,
    /// When its last process ended.
    pub duration: i64,
    /// Ranks that it had, as its processes say.
    pub ranks: u32,
    /// These, or the processes of a job that has none.
    pub tasks: Tasks,
    /// Events in the trace.
    pub events: u64,
    /// Paths by their numbers.
    pub files: BTreeMap<FileId, Vec<u8>>,
    /// Datasets, variables and attributes by their numbers.
    pub objects: BTreeMap<ObjectId, Vec<u8>>,
    /// From where calls were made, by their numbers.
    pub sites: BTreeMap<SiteId, Site>,
    /// Functions: name and layer.
    pub ops: Vec<(Vec<u8>, u8)>,
    /// Hosts by their numbers.
    pub hosts: Vec<Vec<u8>>,
}

impl Facts {
    /// A path as it is.
    pub(super) fn raw(&self, file: FileId) -> &[u8] {
        self.files.get(&file).map_or(&[], Vec::as_slice)
    }

    /// A path, on one line.
    pub(super) fn path(&self, file: FileId) -> String {
        self.files
            .get(&file)
            .map_or("-".to_owned(), |path| printable(path))
    }

    /// An object's name, on one line.
    pub(super) fn object(&self, object: ObjectId) -> String {
        self.objects
            .get(&object)
            .map_or("-".to_owned(), |name| printable(name))
    }

    /// The line of the program that a site is.
    pub(super) fn site(&self, site: SiteId) -> String {
        self.sites.get(&site).map_or("-".to_owned(), Site::name)
    }

    /// A host's name, on one line.
    pub(super) fn host(&self, host: u32) -> String {
        let name = self.hosts.get(host as usize);
        name.map_or("-".to_owned(), |name| printable(name))
    }

    /// Whether it is storage that a file lies on: no pipe, socket or device, nothing that the kernel makes up. How it is
    /// used can be done better or worse.
    pub(super) fn is_stored(&self, file: FileId) -> bool {
        let path = self.files.get(&file);
        path.is_some_and(|path| Medium::of(path) == Medium::Storage)
    }
}

/// Bytes as `iota text` writes paths.
pub(super) fn printable(bytes: &[u8]) -> String {
    Printable(bytes).to_string()
}
