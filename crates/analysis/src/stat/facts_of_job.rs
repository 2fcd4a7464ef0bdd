//! What is known of a job while its trace is at hand.

use super::{Facts, Stat};
use crate::Job;

impl Facts {
    /// Of a job; of its files only those that `stat` has.
    pub fn of<'s>(job: &Job, stat: impl IntoIterator<Item = &'s Stat>) -> Facts {
        let stats: Vec<&Stat> = stat.into_iter().collect();
        let used = stats.iter().flat_map(|stat| stat.files_used());
        let objects = stats.iter().flat_map(|stat| stat.objects.used());
        let sites = stats.iter().flat_map(|stat| stat.sites.used());
        let sites = sites.filter_map(|id| Some((id, job.sites.get(id)?.clone())));
        Facts {
            sites: sites.collect(),
            start: job.trace.start().0,
            duration: job.duration,
            ranks: job.ranks,
            tasks: job.tasks.clone(),
            events: job.event_count(),
            hosts: job.hosts().to_vec(),
            files: used
                .map(|file| (file, job.files.path(file).to_owned()))
                .collect(),
            objects: objects
                .map(|object| (object, job.objects.name(object).to_owned()))
                .collect(),
            ops: job
                .ops
                .all()
                .iter()
                .map(|op| (op.name.clone(), op.layer))
                .collect(),
        }
    }
}
