//! Which files a join looks at.

use crate::{Job, Medium, is_installed};

/// Files that may hold data: on storage, and not of an installation.
pub(super) fn data_files(job: &Job) -> Vec<bool> {
    let mut all = vec![false; job.files.len() + 1];
    for (file, path) in job.files.all() {
        let is_data =
            Medium::of(path) == Medium::Storage && path.starts_with(b"/") && !is_installed(path);
        if let Some(of) = all.get_mut(file as usize) {
            *of = is_data;
        }
    }
    all
}
