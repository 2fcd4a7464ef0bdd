//! Datasets, variables and attributes: what calls that name them come to.

use super::facts::Facts;
use super::figures::Row;
use crate::sums::add;
use crate::{Call, FileId, ObjectId};
use iota_trace::text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// By layer, file and object.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ObjectStats(BTreeMap<(u8, FileId, ObjectId), ObjectStat>);

/// Calls of one layer on an object. A layer below may have calls on the same one.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct ObjectStat {
    calls: u64,
    failed: u64,
    bytes: [u64; 2],
    time: u64,
}

impl ObjectStats {
    #[cold]
    pub(super) fn add(&mut self, call: &Call, elapse: u64) {
        let key = (call.function.layer, call.file, call.object);
        let of = self.0.entry(key).or_default();
        of.calls += 1;
        of.failed += u64::from(call.failed());
        add(&mut of.bytes[0], call.moved.read);
        add(&mut of.bytes[1], call.moved.written);
        add(&mut of.time, elapse);
    }

    pub(super) fn merge(&mut self, more: ObjectStats) {
        for (key, more) in more.0 {
            let of = self.0.entry(key).or_default();
            of.calls += more.calls;
            of.failed += more.failed;
            add(&mut of.bytes[0], more.bytes[0]);
            add(&mut of.bytes[1], more.bytes[1]);
            add(&mut of.time, more.time);
        }
    }

    /// Which ones.
    pub(super) fn used(&self) -> impl Iterator<Item = ObjectId> {
        self.0.keys().map(|(_, _, object)| *object)
    }

    /// Rows by name.
    pub(super) fn rows(&self, facts: &Facts) -> Vec<Row> {
        let row = |((layer, file, object), of): (&(u8, FileId, ObjectId), &ObjectStat)| Row {
            name: facts.object(*object),
            layer: Some(text::layer(*layer)),
            file: Some(facts.path(*file)),
            calls: of.calls,
            failed: of.failed,
            bytes_read: of.bytes[0],
            bytes_written: of.bytes[1],
            time: of.time,
            ..Row::default()
        };
        let mut rows: Vec<Row> = self.0.iter().map(row).collect();
        rows.sort_by(|a, b| (&a.name, &a.file, a.layer).cmp(&(&b.name, &b.file, b.layer)));
        rows
    }
}
