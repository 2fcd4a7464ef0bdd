//! What ids of a part's events mean in the job.

use super::{ById, FileId, NO_SITE, OpId, SiteId};
use iota_trace::Details;
use iota_trace::read::Form;
use std::collections::HashMap;

/// What ids of a part's events mean in the job.
#[derive(Clone, Default)]
pub struct Ids {
    pub(super) files: ById,
    pub(super) ops: ById,
    /// 0: none.
    pub(super) layouts: ById,
    /// Forms of details by their ids.
    pub(super) forms: Vec<(u16, Form)>,
    /// Forms that name objects, and in which field.
    pub(super) objects: Vec<(u16, usize)>,
    pub(super) texts: HashMap<u64, Box<[u8]>>,
    /// The form that has a stack.
    pub(super) stack: Option<u16>,
    /// Sites by the texts of stacks.
    pub(super) sites: HashMap<u64, SiteId>,
}

impl Ids {
    /// A file; [`NO_FILE`] for none, and where its name is lost.
    #[inline(always)]
    pub fn file(&self, id: u32) -> FileId {
        self.files.get(id)
    }

    /// The number of a file's layout; 0: it has none.
    #[inline(always)]
    pub fn layout(&self, file: u32) -> u32 {
        self.layouts.get(file)
    }

    /// What the numbers of a form mean; `None` where that is lost.
    pub fn form(&self, id: u16) -> Option<&Form> {
        let known = self.forms.iter().find(|(known, _)| *known == id);
        known.map(|(_, form)| form)
    }

    /// Whether calls of the part may have details of a form.
    pub fn has_form(&self, name: &[u8]) -> bool {
        self.forms.iter().any(|(_, form)| form.name == name)
    }

    /// A text of details; empty for none, and where it is lost.
    pub fn text(&self, id: u64) -> &[u8] {
        self.texts.get(&id).map_or(b"", |text| text)
    }

    /// From where a call was made, as its details say.
    pub(super) fn site(&self, details: &[Details]) -> SiteId {
        let is_stack = |of: &&Details| self.stack == Some(of.form);
        let text = details.iter().find(is_stack).map(|of| of.values[0]);
        let site = text.and_then(|text| self.sites.get(&text));
        site.copied().unwrap_or(NO_SITE)
    }

    /// Functions of the part.
    pub fn ops(&self) -> impl Iterator<Item = OpId> {
        self.ops.numbers().map(|op| op as OpId)
    }

    /// A function.
    #[inline(always)]
    pub fn op(&self, id: u16) -> OpId {
        self.ops.get(id.into()) as OpId
    }
}
