//! What can be drawn: each kind of picture makes a figure of what was found.

pub mod callers;
mod map;
mod offsets;
mod osts;
mod plot_data;
mod ranks;
mod sizes;
mod time;
pub mod tree;

pub use plot_data::{PlotData, printable, shown};

use crate::aggregates::Needs;
use crate::figure::{Figure, Panel};

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Four small ones.
    Overview,
    /// Offsets over time.
    Offset,
    /// Ranks over time.
    Rank,
    /// A file row by row.
    Map,
    /// Bytes by rank and time.
    Heatmap,
    /// Bandwidth and calls under way.
    Throughput,
    /// Sizes and latencies.
    Sizes,
    /// Latency by size.
    Latency,
    /// OSTs over time.
    Ost,
    /// What several ranks touch.
    Conflicts,
    /// Calls of MPI-IO, and the time of each layer.
    Layers,
    /// Calls of MPI-IO with each of their sub-calls.
    Pairs,
    /// Which calls called which.
    Tree,
}

impl Kind {
    /// All, with their names and what they show.
    pub const ALL: [(Kind, &'static str, &'static str); 13] = [
        (
            Kind::Overview,
            "overview",
            "bandwidth, ranks, offsets and latencies on one page",
        ),
        (
            Kind::Offset,
            "offset",
            "which rank moved which bytes of a file when",
        ),
        (Kind::Rank, "rank", "what each rank waited for, over time"),
        (
            Kind::Map,
            "map",
            "the bytes of a file row by row: read, written, overwritten, never touched",
        ),
        (
            Kind::Heatmap,
            "heatmap",
            "bytes by rank and time, with the sums beside",
        ),
        (
            Kind::Throughput,
            "throughput",
            "bandwidth and calls under way, over time",
        ),
        (
            Kind::Sizes,
            "sizes",
            "how large transfers are and how long calls take: histograms and shares",
        ),
        (
            Kind::Latency,
            "latency",
            "how long transfers of each size take, and the stragglers",
        ),
        (
            Kind::Ost,
            "ost",
            "bytes by Lustre OST and time, estimated by the files' layouts",
        ),
        (
            Kind::Conflicts,
            "conflicts",
            "bytes of a file that several ranks touch, at least one of them writing",
        ),
        (
            Kind::Layers,
            "layers",
            "how long the MPI library and its sub-calls took, for each call of MPI-IO",
        ),
        (
            Kind::Pairs,
            "pairs",
            "throughput of each sub-call of calls of MPI-IO",
        ),
        (
            Kind::Tree,
            "tree",
            "which calls called which, over all layers, and the time in them",
        ),
    ];

    /// As `--kind` takes it.
    pub fn name(self) -> &'static str {
        let row = Kind::ALL.iter().find(|(kind, ..)| *kind == self);
        row.map_or("", |(_, name, _)| name)
    }

    /// Whether it is of one file only.
    pub(crate) fn is_of_one(self) -> bool {
        matches!(self, Kind::Map | Kind::Conflicts)
    }

    /// Whether it shows calls of MPI-IO and what they caused.
    pub(crate) fn is_of_tree(self) -> bool {
        matches!(self, Kind::Layers | Kind::Pairs)
    }

    pub(crate) fn wants(self) -> Needs {
        let none = Needs::default();
        match self {
            Kind::Overview => Needs {
                marks: true,
                offsets: true,
                sizes: true,
                ..none
            },
            Kind::Offset => Needs {
                marks: true,
                offsets: true,
                ..none
            },
            Kind::Rank => Needs {
                spans: true,
                ..none
            },
            Kind::Map => Needs {
                marks: true,
                map: true,
                ..none
            },
            Kind::Heatmap | Kind::Throughput | Kind::Layers | Kind::Pairs | Kind::Tree => none,
            Kind::Sizes | Kind::Latency => Needs {
                sizes: true,
                ..none
            },
            Kind::Ost => Needs { osts: true, ..none },
            Kind::Conflicts => Needs {
                marks: true,
                offsets: true,
                conflicts: true,
                ..none
            },
        }
    }
}

impl PlotData<'_> {
    /// Draws one kind.
    pub fn figure(&self, kind: Kind) -> Figure {
        match kind {
            Kind::Overview => self.overview(),
            Kind::Offset => offsets::figure(self),
            Kind::Rank => ranks::figure(self),
            Kind::Map => map::figure(self),
            Kind::Heatmap => ranks::heatmap(self),
            Kind::Throughput => time::figure(self),
            Kind::Sizes => sizes::figure(self),
            Kind::Latency => sizes::latency(self),
            Kind::Ost => osts::figure(self),
            Kind::Conflicts => offsets::conflicts(self),
            Kind::Layers => tree::layers(self.job, self.tree),
            Kind::Pairs => tree::pairs(self.job, self.tree),
            Kind::Tree => callers::figure(self.job, self.callers),
        }
    }

    fn overview(&self) -> Figure {
        let offsets = offsets::panel(self);
        let title = format!("Offsets of {}", self.focus_name());
        let offsets = Panel { title, ..offsets };
        let panels = vec![
            time::bandwidth(self).at(0.0, 0.0, 0.5, 0.48),
            ranks::panel(self).at(0.5, 0.0, 0.5, 0.48),
            offsets.at(0.0, 0.48, 0.5, 0.52),
            sizes::latencies(self).at(0.5, 0.48, 0.5, 0.52),
        ];
        self.figure_of("The job's I/O", panels)
    }
}
