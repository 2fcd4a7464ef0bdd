//! Sites: what the calls come to that a line of the program made.

use super::facts::Facts;
use super::figures::Row;
use super::tally::TimeCategory;
use crate::sums::{add, add_each, sum};
use crate::{Call, NO_SITE, SiteId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// By site.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SiteStats(BTreeMap<SiteId, SiteStat>);

/// Calls of descriptors and streams, and the time of outermost calls.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct SiteStat {
    calls: u64,
    failed: u64,
    bytes: [u64; 2],
    time: u64,
    /// By what calls of descriptors and streams do.
    times: [u64; TimeCategory::COUNT],
}

/// The site with most of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MostOfTime {
    pub site: SiteId,
    pub time: u64,
    pub all: u64,
}

impl SiteStats {
    #[cold]
    pub(super) fn add(&mut self, call: &Call, elapse: u64) {
        let of = self.0.entry(call.site).or_default();
        if call.is_outermost() {
            add(&mut of.time, elapse);
        }
        if !call.is_io() {
            return;
        }
        of.calls += 1;
        of.failed += u64::from(call.failed());
        add(&mut of.bytes[0], call.moved.read);
        add(&mut of.bytes[1], call.moved.written);
        if let Some(category) = call.function.class {
            let waited = if call.is_waited_for() { elapse } else { 0 };
            add(&mut of.times[category as usize], waited);
        }
    }

    pub(super) fn merge(&mut self, more: SiteStats) {
        for (site, more) in more.0 {
            let of = self.0.entry(site).or_default();
            of.calls += more.calls;
            of.failed += more.failed;
            add_each(&mut of.bytes, &more.bytes);
            add(&mut of.time, more.time);
            add_each(&mut of.times, &more.times);
        }
    }

    /// Which ones.
    pub(super) fn used(&self) -> impl Iterator<Item = SiteId> {
        self.0.keys().copied().filter(|site| *site != NO_SITE)
    }

    /// The site whose calls take most of the time of a category, and that time.
    pub(super) fn most(&self, category: TimeCategory) -> Option<MostOfTime> {
        let times = || {
            self.0
                .iter()
                .map(|(site, of)| (of.times[category as usize], *site))
        };
        let (time, site) = times().max_by_key(|(time, site)| (*time, std::cmp::Reverse(*site)))?;
        (site != NO_SITE && time > 0).then(|| MostOfTime {
            site,
            time,
            all: sum(times().map(|(time, _)| time)),
        })
    }

    /// Rows by name.
    pub(super) fn rows(&self, facts: &Facts) -> Vec<Row> {
        if self.used().next().is_none() {
            return Vec::new();
        }
        let row = |(site, of): (&SiteId, &SiteStat)| Row {
            name: facts.site(*site),
            caller: facts.sites.get(site).and_then(|site| site.caller.clone()),
            calls: of.calls,
            failed: of.failed,
            bytes_read: of.bytes[0],
            bytes_written: of.bytes[1],
            time: of.time,
            ..Row::default()
        };
        let mut rows: Vec<Row> = self.0.iter().map(row).collect();
        rows.sort_by(|a, b| (&a.name, &a.caller).cmp(&(&b.name, &b.caller)));
        rows
    }
}
