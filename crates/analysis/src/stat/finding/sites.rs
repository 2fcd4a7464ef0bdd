//! Which line of the program makes most of the calls that a finding is about.

use super::Finding;
use crate::stat::{Facts, Stat, TimeCategory};
use iota_quantity::share;

/// Adds to each finding on a kind of calls the site that most of their time is spent from.
pub(super) fn name(findings: &mut [Finding], stat: &Stat, facts: &Facts) {
    for finding in findings {
        let Some((category, what)) = category(finding.kind) else {
            continue;
        };
        let Some(most) = stat.sites.most(category) else {
            continue;
        };
        let caller = facts
            .sites
            .get(&most.site)
            .and_then(|site| site.caller.as_ref());
        let caller = caller.map_or(String::new(), |caller| format!(", called from {caller}"));
        finding.evidence += &format!(
            "; {} of the time {what} is in calls from {}{caller}",
            share(most.time, most.all),
            facts.site(most.site),
        );
    }
}

/// What the calls of a finding do.
fn category(kind: &str) -> Option<(TimeCategory, &'static str)> {
    match kind {
        "small-reads" | "random-reads" | "rereads" => Some((TimeCategory::Read, "of reading")),
        "small-writes" | "random-writes" | "unaligned-writes" | "rewrites" | "overwrites" => {
            Some((TimeCategory::Write, "of writing"))
        }
        "sync" => Some((TimeCategory::Sync, "of syncing")),
        "metadata" | "failed-lookups" | "open-per-access" | "repeated-opens" | "unused-opens"
        | "crowded-directory" | "idle-seeks" => Some((TimeCategory::Meta, "of metadata")),
        _ => None,
    }
}
