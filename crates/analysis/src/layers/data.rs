//! Findings on datasets, variables and attributes: what only a library that knows these can tell.

mod attributes;

use super::layer_cost::LayerCost;
use super::names::Names;
use super::object::{ObjectFacts, ObjectKey};
use super::{FileFacts, Layers, Sum};
use crate::filter::Select;
use crate::stat::Finding;
use crate::sums::{portion, sum};
use crate::thresholds::Thresholds;
use crate::{FileId, NO_FILE};
use iota_quantity::{bytes, many, time as time_of};
use iota_trace::text;

/// All of them.
pub(super) fn all(
    found: &Layers,
    names: &Names,
    thresholds: &Thresholds,
    run: &LayerCost,
) -> Vec<Finding> {
    let mut objects: Vec<(ObjectKey, &ObjectFacts)> = found
        .objects
        .iter()
        .map(|(place, of)| (*place, of))
        .collect();
    objects.sort_unstable_by_key(|(place, _)| *place);
    let mut files: Vec<(FileId, &FileFacts)> =
        found.files.iter().map(|(id, of)| (*id, of)).collect();
    files.retain(|(file, facts)| *file != NO_FILE && facts.sum.calls > 0);
    files.sort_unstable_by_key(|(file, _)| *file);
    let judge = DataRules {
        found,
        names,
        objects,
        files,
        thresholds,
        run,
    };
    let all = [
        judge.small_chunks(),
        judge.chunk_cache(),
        judge.chunk_shape(),
        judge.metadata(),
        judge.grown(),
        judge.filled(),
        judge.converted(),
        judge.opened_for_attributes(),
        judge.many_attributes(),
    ];
    all.into_iter().flatten().collect()
}

struct DataRules<'a> {
    found: &'a Layers<'a>,
    names: &'a Names<'a>,
    objects: Vec<(ObjectKey, &'a ObjectFacts)>,
    files: Vec<(FileId, &'a FileFacts)>,
    thresholds: &'a Thresholds,
    run: &'a LayerCost<'a>,
}

/// Objects that a finding is about: how many, what they cost, the worst.
struct WorstObject<'a> {
    count: u64,
    cost: u64,
    place: ObjectKey,
    facts: &'a ObjectFacts,
}

/// The words of a finding.
struct Wording {
    kind: &'static str,
    what: &'static str,
    advice: &'static str,
}

impl<'a> DataRules<'a> {
    /// Those objects that cost something.
    fn about(&self, cost: impl Fn(ObjectKey, &ObjectFacts) -> u64) -> Option<WorstObject<'a>> {
        let all = self.objects.iter();
        let all = all.map(|(place, facts)| (cost(*place, facts), *place, *facts));
        let all: Vec<_> = all.filter(|(cost, ..)| *cost > 0).collect();
        let worst = all
            .iter()
            .max_by_key(|(cost, place, _)| (*cost, std::cmp::Reverse(*place)))?;
        Some(WorstObject {
            count: all.len() as u64,
            cost: sum(all.iter().map(|(cost, ..)| *cost)),
            place: worst.1,
            facts: worst.2,
        })
    }

    fn select(&self) -> Select {
        let layer = text::layer(self.found.layer).to_lowercase();
        Select::default().and("layer", &layer)
    }

    fn name(&self, (file, object): ObjectKey) -> String {
        format!("{} in {}", self.names.object(object), self.names.file(file))
    }

    /// `time` is that of all calls of the kind.
    fn of_object(
        &self,
        about: &WorstObject,
        words: Wording,
        time: impl Fn(&Sum) -> u64,
        evidence: String,
    ) -> Finding {
        let (file, object) = about.place;
        let job = self.names.0;
        let all = match about.count {
            1 => String::new(),
            n => format!("; {} in all", many(n, "such object")),
        };
        Finding {
            kind: words.kind,
            cost: self.run.share(about.cost, time),
            what: words.what.to_owned(),
            evidence: format!("{}: {evidence}{all}", self.name(about.place)),
            advice: words.advice,
            select: self
                .select()
                .file(job.files.path(file))
                .object(job.objects.name(object))
                .text(),
        }
    }

    fn small_chunks(&self) -> Option<Finding> {
        let about = self.about(|(file, _), of| {
            let small = self
                .names
                .stripe(file)
                .max(self.thresholds.small_bytes.get());
            let below = of.sum.sub_transfers.iter().sum::<u64>();
            let is_small = of.chunk > 0 && of.chunk < small;
            let piece = sum(of.sum.below) / below.max(1);
            let is_many = self.thresholds.few.is_reached(below) && piece < small;
            if is_small && is_many {
                of.sum.client
            } else {
                0
            }
        })?;
        let of = about.facts;
        let below = of.sum.sub_transfers.iter().sum::<u64>();
        let stripe = match self.names.stripe(about.place.0) {
            0 => String::new(),
            stripe => format!(", stripes of {}", bytes(stripe)),
        };
        let evidence = format!(
            "chunks of {}{stripe}; {} below, {} on average",
            bytes(of.chunk),
            many(below, "transfer"),
            bytes(sum(of.sum.below) / below.max(1)),
        );
        let words = Wording {
            kind: "small-chunks",
            what: "datasets are stored in small chunks, each of which is a transfer",
            advice: "Make chunks of about 1 MiB, no smaller than a stripe, in the shape in which they are read and written \
                (H5Pset_chunk, nc_def_var_chunking).",
        };
        Some(self.of_object(&about, words, |sum| sum.client, evidence))
    }

    fn chunk_cache(&self) -> Option<Finding> {
        let words = Wording {
            kind: "chunk-cache",
            what: "chunks are read many times over",
            advice: "Make the chunk cache hold all chunks that a row of reads needs (H5Pset_chunk_cache, nc_set_var_chunk_cache), \
                read whole chunks, or store them in the shape in which they are read.",
        };
        self.beyond_asked(words, |of| {
            let again = of.sum.below[0].saturating_sub(of.distinct);
            if is_read_again(of) { again } else { 0 }
        })
    }

    fn chunk_shape(&self) -> Option<Finding> {
        let words = Wording {
            kind: "chunk-shape",
            what: "reads use a small part of the chunks that they read",
            advice: "Store chunks in the shape in which they are read (H5Pset_chunk, nc_def_var_chunking; h5repack -l or nccopy \
                -c change a file), or read more of each chunk at once.",
        };
        self.beyond_asked(words, |of| match of.chunk > 0 && !is_read_again(of) {
            true => unasked(of),
            false => 0,
        })
    }

    /// Below the reads of an object much more is read than was asked for; `needless` bytes of it are what the finding is about.
    fn beyond_asked(
        &self,
        words: Wording,
        needless: impl Fn(&ObjectFacts) -> u64,
    ) -> Option<Finding> {
        let about = self.about(|_, of| {
            let (asked, read) = (of.sum.moved[0], of.sum.below[0]);
            let is_much = asked > 0
                && self.thresholds.chunk_cache.is_reached(read, asked)
                && self.thresholds.little.is_reached(read);
            if is_much {
                portion(of.sum.client, needless(of), read)
            } else {
                0
            }
        })?;
        let of = about.facts;
        let again = match of.sum.below[0].saturating_sub(of.distinct) {
            0 => String::new(),
            again => format!(", {} of it again", bytes(again)),
        };
        let evidence = format!(
            "{} read{again}, for {} that {} asked for{}",
            bytes(of.sum.below[0]),
            bytes(of.sum.moved[0]),
            many(of.sum.transfers[0], "call"),
            match of.chunk {
                0 => String::new(),
                chunk => format!("; chunks of {}", bytes(chunk)),
            },
        );
        Some(self.of_object(&about, words, |sum| sum.client, evidence))
    }

    fn metadata(&self) -> Option<Finding> {
        let is = |facts: &FileFacts| {
            let meta = facts.sum.meta[0];
            let are_ranks = self.thresholds.ranks.is_reached(facts.lookers.into());
            let each = self.thresholds.lookups_each;
            let is_many = are_ranks && each.is_reached(meta.calls, facts.lookers.into());
            let piece = meta.bytes / meta.calls.max(1);
            is_many && !self.thresholds.small_bytes.is_reached(piece)
        };
        let cost = |facts: &FileFacts| if is(facts) { facts.sum.meta[0].time } else { 0 };
        let (file, worst) = self.worst(cost)?;
        let meta = worst.sum.meta[0];
        Some(Finding {
            kind: "independent-metadata",
            cost: self.run.share(
                sum(self.files.iter().map(|(_, facts)| cost(facts))),
                |sum| sum.meta[0].time,
            ),
            what: "every rank reads the file's metadata for itself".to_owned(),
            evidence: format!(
                "{}: {} below calls that open or look up objects, by {}, {} on average",
                self.names.file(file),
                many(meta.calls, "read"),
                many(worst.lookers.into(), "rank"),
                bytes(meta.bytes / meta.calls.max(1)),
            ),
            advice: "Have metadata read by one rank for all (H5Pset_all_coll_metadata_ops, H5Pset_coll_metadata_write), and open \
                objects once, not for each access.",
            select: self
                .select()
                .and("class", "open,meta,other")
                .file(self.path(file))
                .text(),
        })
    }

    fn grown(&self) -> Option<Finding> {
        let about = self.about(|_, of| {
            let (extents, writes) = (of.extended.calls, of.sum.transfers[1]);
            let is_many = self.thresholds.few.is_reached(extents);
            if is_many && self.thresholds.extents.is_reached(extents, writes) {
                of.extended.time
            } else {
                0
            }
        })?;
        let of = about.facts;
        let evidence = format!(
            "{} of H5Dset_extent took {}, for {} of {} on average",
            many(of.extended.calls, "call"),
            time_of(of.extended.time),
            many(of.sum.transfers[1], "write"),
            bytes(of.sum.moved[1] / of.sum.transfers[1].max(1)),
        );
        let words = Wording {
            kind: "grown-by-record",
            what: "datasets grow a record at a time",
            advice: "Extend the dataset by many records at once, and cut it at the end; write several records with one call.",
        };
        Some(self.of_object(&about, words, |sum| sum.time, evidence))
    }

    fn filled(&self) -> Option<Finding> {
        let about = self.about(|_, of| {
            let fill = of.sum.meta[1].bytes;
            let is_much = self.thresholds.little.is_reached(fill)
                && self.thresholds.fill.is_reached(fill, of.sum.moved[1])
                && of.sum.moved[1] > 0;
            if is_much { of.sum.meta[1].time } else { 0 }
        })?;
        let of = about.facts;
        let evidence = format!(
            "{} of fill values below calls that make or open it, before {} of data",
            bytes(of.sum.meta[1].bytes),
            bytes(of.sum.moved[1]),
        );
        let words = Wording {
            kind: "fill-values",
            what: "fill values are written, and overwritten later",
            advice: "Switch filling off if all elements will be written (H5Pset_fill_time with H5D_FILL_TIME_NEVER, nc_def_var_fill, \
                nc_set_fill with NC_NOFILL).",
        };
        Some(self.of_object(&about, words, |sum| sum.meta[1].time, evidence))
    }

    fn converted(&self) -> Option<Finding> {
        let about = self.about(|_, of| {
            let transfers = of.sum.transfers.iter().sum();
            let most = self.thresholds.conversion;
            let is_most = most.is_reached(of.converted.calls, transfers);
            let own = of.converted.time.saturating_sub(of.sum.client);
            if is_most && self.thresholds.little.is_reached(of.converted.bytes) {
                own
            } else {
                0
            }
        })?;
        let of = about.facts;
        let evidence = format!(
            "{} with {} took {}, {} of it in transfers below",
            many(of.converted.calls, "call"),
            bytes(of.converted.bytes),
            time_of(of.converted.time),
            time_of(of.sum.client.min(of.converted.time)),
        );
        let words = Wording {
            kind: "conversion",
            what: "elements have another type in the file than in memory",
            advice: "Store the type that the program uses (or convert once): HDF5 converts element by element, in pieces of 1 MiB \
                (H5Pset_buffer), and does not write collectively.",
        };
        Some(self.of_object(&about, words, |sum| sum.time, evidence))
    }

    /// The file for which a figure is greatest.
    fn worst(&self, value: impl Fn(&FileFacts) -> u64) -> Option<(FileId, &'a FileFacts)> {
        let valued = self
            .files
            .iter()
            .map(|(file, facts)| (value(facts), *file, *facts));
        let most = valued.max_by_key(|(value, file, _)| (*value, std::cmp::Reverse(*file)));
        most.filter(|(value, ..)| *value > 0)
            .map(|(_, file, facts)| (file, facts))
    }

    fn path(&self, file: FileId) -> &[u8] {
        self.names.0.files.path(file)
    }
}

/// Bytes that were read below the reads of an object, and that these had not asked for.
fn unasked(of: &ObjectFacts) -> u64 {
    of.sum.below[0].saturating_sub(of.sum.moved[0])
}

/// Whether most of these bytes were read before by the same process.
fn is_read_again(of: &ObjectFacts) -> bool {
    let again = of.sum.below[0].saturating_sub(of.distinct);
    again > 0 && again >= unasked(of) / 2
}
