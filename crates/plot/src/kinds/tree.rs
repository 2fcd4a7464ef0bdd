//! Calls of MPI-IO and what they caused: time in each layer for each call, and throughput of each sub-call.

use crate::axis::{Axis, Unit};
use crate::colours::{Colour, READ, SYNC, WRITE};
use crate::figure::{Figure, Form, Panel, Shape};
use iota_analysis::layers::{Layers, Node, SubCall};
use iota_analysis::{Job, OpId};
use iota_quantity::{bytes, count, many, time};
use std::collections::BTreeMap;

/// More calls are shown several in a bar.
const BARS: usize = 400;
/// Pairs that are shown.
const PAIRS: usize = 160;
/// Functions that are named below a picture,
const NAMED: usize = 8;
/// and stretches of calls of each.
const STRETCHES: usize = 6;

/// The MPI library's colour,
const LIBRARY: Colour = SYNC;
/// that of its calls of descriptors and streams,
const CLIENT: Colour = READ;
/// that of servers,
const SERVER: Colour = Colour(0, 158, 115);
/// and that of transfers in flight, during which the program may do anything.
const FLIGHT: Colour = Colour(226, 200, 216);

/// A call, or what all ranks did in a collective one.
struct Bar<'a> {
    op: OpId,
    nodes: Vec<&'a Node>,
}

/// Times of the layers: of servers, of the client behind them, of the library, in flight.
type Times = [f64; 4];

impl<'a> Bar<'a> {
    fn start(&self) -> i64 {
        self.nodes.iter().map(|node| node.start).min().unwrap_or(0)
    }

    fn longest(&self, of: impl Fn(&Node) -> u64) -> f64 {
        self.nodes.iter().map(|node| of(node)).max().unwrap_or(0) as f64
    }

    /// Of each layer the longest of all ranks: equation (1).
    fn times(&self) -> Times {
        let server = self.longest(|node| node.below.server);
        let client = self.longest(|node| node.below.client()).max(server);
        let rest = (self.longest(Node::span) - client).max(0.0);
        let flies = self.nodes.iter().any(|node| node.begun.is_some());
        let (library, flight) = if flies { (0.0, rest) } else { (rest, 0.0) };
        [server, client - server, library, flight]
    }

    /// Sub-calls of all ranks that moved bytes, the first first.
    fn transfers(&self) -> Vec<&'a SubCall> {
        let all = self.nodes.iter().flat_map(|node| &node.below.first);
        let moves = |sub: &&SubCall| sub.moved.read + sub.moved.written > 0;
        let mut some: Vec<&SubCall> = all.filter(moves).collect();
        some.sort_by_key(|sub| (sub.start, sub.end));
        some
    }
}

/// Calls in the order in which they began; those of a collective are one.
fn bars<'a>(found: &'a Layers) -> Vec<Bar<'a>> {
    let (mut collectives, mut bars): (BTreeMap<(u32, u64), Bar>, Vec<Bar>) = Default::default();
    for node in found.longest().into_iter().filter(|node| !node.completes()) {
        let new = || Bar {
            op: node.op,
            nodes: Vec::new(),
        };
        match node.collective {
            0 => bars.push(Bar {
                nodes: vec![node],
                ..new()
            }),
            id => {
                let of = collectives.entry((node.launch, id)).or_insert_with(new);
                of.nodes.push(node);
            }
        }
    }
    bars.extend(collectives.into_values());
    bars.sort_by_key(|bar| (bar.start(), bar.nodes[0].rank, bar.nodes[0].id));
    bars
}

/// For each call the time in the MPI library, in its sub-calls and in servers, one upon the other.
pub fn layers(job: &Job, found: &Layers) -> Figure {
    let bars = bars(found);
    let each = bars.len().div_ceil(BARS).max(1);
    let times: Vec<Times> = bars.chunks(each).map(average).collect();
    let most = times
        .iter()
        .map(|times| times.iter().sum())
        .fold(0.0, f64::max);
    let label = match each {
        1 => "call of MPI-IO, in the order in which they began".to_owned(),
        n => format!(
            "call of MPI-IO, in the order in which they began; each bar is the average of {n}"
        ),
    };
    let x = Axis::new(label, Unit::Index, -0.5, bars.len() as f64 - 0.5);
    let y = Axis::new("latency", Unit::Time, 0.0, most * 1.05);
    let mut panel = Panel::new("", x, y);
    let mut before = vec![0.0; times.len()];
    let kinds = [
        (SERVER, "servers"),
        (CLIENT, "client: POSIX and STDIO calls"),
        (LIBRARY, "MPI library"),
        (FLIGHT, "in flight"),
    ];
    for (at, (colour, name)) in kinds.into_iter().enumerate() {
        let boxes = stacked(times.iter().map(|times| times[at]), &mut before, each);
        if !boxes.is_empty() {
            panel = panel
                .with(Shape::new(colour, Form::Boxes(boxes)).on(name))
                .telling(colour, name);
        }
    }
    let mut figure = figure(job, found, "Time of each layer", panel);
    figure.notes.extend(named(job, &bars));
    if found.calls.iter().any(|node| node.below.overlaps()) {
        let note = "Where sub-calls overlap, the client's time is that in which at least one was under way.";
        figure.notes.push(note.to_owned());
    }
    figure
}

fn average(bars: &[Bar]) -> Times {
    let mut sum = Times::default();
    for times in bars.iter().map(Bar::times) {
        sum.iter_mut()
            .zip(times)
            .for_each(|(sum, time)| *sum += time);
    }
    sum.map(|time| time / bars.len() as f64)
}

/// Boxes upon those before, each `each` calls wide.
fn stacked(values: impl Iterator<Item = f64>, before: &mut [f64], each: usize) -> Vec<[f64; 4]> {
    let mut boxes = Vec::new();
    for (at, (value, before)) in values
        .zip(before)
        .enumerate()
        .filter(|(_, (value, _))| *value > 0.0)
    {
        let left = (at * each) as f64 - 0.5;
        let gap = 0.1 * each as f64;
        boxes.push([
            left + gap,
            *before,
            left + each as f64 - gap,
            *before + value,
        ]);
        *before += value;
    }
    boxes
}

/// Which calls are of which function: `MPI_File_open 0, 9; MPI_File_write_all 1-8, 10`.
fn named(job: &Job, bars: &[Bar]) -> Option<String> {
    let mut ops: Vec<(OpId, Vec<String>)> = Vec::new();
    let mut first = 0;
    for of_one in bars.chunk_by(|a, b| a.op == b.op) {
        let last = first + of_one.len() - 1;
        let numbers = match last - first {
            0 => first.to_string(),
            _ => format!("{first}\u{2013}{last}"),
        };
        match ops.iter_mut().find(|(op, _)| *op == of_one[0].op) {
            Some((_, known)) => known.push(numbers),
            None => ops.push((of_one[0].op, vec![numbers])),
        }
        first = last + 1;
    }
    let more = ops.len().saturating_sub(NAMED);
    let shown = ops.into_iter().take(NAMED);
    let mut shown: Vec<String> = shown.map(|(op, numbers)| of_op(job, op, numbers)).collect();
    if more > 0 {
        shown.push(format!("and {}", many(more as u64, "more function")));
    }
    (!shown.is_empty()).then(|| format!("Calls: {}.", shown.join("; ")))
}

/// A function, and the first of its calls.
fn of_op(job: &Job, op: OpId, mut numbers: Vec<String>) -> String {
    if numbers.len() > STRETCHES {
        numbers.truncate(STRETCHES);
        numbers.push("\u{2026}".to_owned());
    }
    let name = super::printable(&job.ops.get(op).name);
    format!("{name} {}", numbers.join(", "))
}

/// A sub-call, by the numbers of its call and of itself.
struct Pair<'a> {
    numbers: (usize, usize),
    sub: &'a SubCall,
}

impl Pair<'_> {
    /// Bytes a second.
    fn rate(&self) -> f64 {
        let moved = self.sub.moved.read + self.sub.moved.written;
        moved as f64 * 1e9 / self.sub.elapse().max(1) as f64
    }
}

/// Whether there is any pair of a call and a sub-call.
pub fn has_pairs(found: &Layers) -> bool {
    bars(found).iter().any(|bar| !bar.transfers().is_empty())
}

/// The throughput of each pair of a call and a sub-call.
pub fn pairs(job: &Job, found: &Layers) -> Figure {
    let bars = bars(found);
    let all = bars.iter().enumerate().flat_map(|(call, bar)| {
        let numbered = bar.transfers().into_iter().enumerate();
        numbered.map(move |(at, sub)| Pair {
            numbers: (call, at),
            sub,
        })
    });
    let mut pairs: Vec<Pair> = all.take(PAIRS + 1).collect();
    let is_cut = pairs.len() > PAIRS;
    pairs.truncate(PAIRS);
    let most = pairs.iter().map(Pair::rate).fold(1.0, f64::max);
    let least = pairs.iter().map(Pair::rate).fold(most, f64::min);
    let label = "call of MPI-IO \u{2013} sub-call";
    let x = Axis::new(label, Unit::Index, -0.5, pairs.len() as f64 - 0.5);
    let name = |(at, pair): (usize, &Pair)| {
        let (call, sub) = pair.numbers;
        (at as f64, format!("{call}\u{2013}{sub}"))
    };
    let x = x.named(pairs.iter().enumerate().map(name));
    let y = match most / least > 100.0 {
        true => Axis::log("throughput", Unit::Rate, least / 2.0, most * 1.5),
        false => Axis::new("throughput", Unit::Rate, 0.0, most * 1.05),
    };
    let bottom = y.from;
    let mut panel = Panel::new("", x, y);
    for (way, colour, text) in [(0, READ, "reading"), (1, WRITE, "writing")] {
        let ours = |pair: &Pair| usize::from(pair.sub.moved.written > 0) == way;
        let some = pairs.iter().enumerate().filter(|(_, pair)| ours(pair));
        let boxes = some.map(|(at, pair)| [at as f64 - 0.4, bottom, at as f64 + 0.4, pair.rate()]);
        let boxes: Vec<[f64; 4]> = boxes.collect();
        if !boxes.is_empty() {
            panel = panel
                .with(Shape::new(colour, Form::Boxes(boxes)).on(text))
                .telling(colour, text);
        }
    }
    let mut figure = figure(job, found, "Throughput of sub-calls", panel);
    figure.notes.extend(named(job, &bars));
    if is_cut {
        let text =
            format!("The first {PAIRS} sub-calls that moved bytes; --where selects other calls.");
        figure.notes.push(text);
    }
    if pairs.is_empty() {
        let text = "No sub-call is known that moved bytes.";
        figure.notes.push(text.to_owned());
    }
    figure
}

fn figure(job: &Job, found: &Layers, title: &str, panel: Panel) -> Figure {
    let (calls, moved, span) =
        found
            .ops
            .values()
            .fold((0, [0; 2], 0), |(calls, moved, time), sum| {
                let moved = [moved[0] + sum.moved[0], moved[1] + sum.moved[1]];
                (calls + sum.calls, moved, time + sum.time)
            });
    let mut notes = Vec::new();
    if found.calls.len() as u64 != calls {
        notes.push(format!(
            "Only the {} longest of {} are shown.",
            count(found.calls.len() as u64),
            many(calls, "call")
        ));
    }
    Figure {
        title: super::plot_data::titled(title, job),
        subtitle: format!(
            "{} \u{b7} {} of MPI-IO, {} of all ranks \u{b7} {} read \u{b7} {} written",
            job.tasks.many(found.tasks.len() as u64),
            many(calls, "call"),
            time(span),
            bytes(moved[0]),
            bytes(moved[1]),
        ),
        notes,
        panels: vec![panel],
    }
}
