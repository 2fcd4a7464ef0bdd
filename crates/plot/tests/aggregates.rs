//! What pictures are made of is what the trace has: sums are equal, marks are calls, whatever the trace.

#[path = "../../cli/tests/common/trace.rs"]
#[allow(dead_code, reason = "shared with the command's tests")]
mod trace;

use iota_analysis::{Accumulator, Call, Job, Pass};
use iota_plot::aggregates::{Aggregates, Direction, Needs, Plan, Survey};
use iota_plot::figure::{Figure, Form};
use iota_plot::terminal::{self, Look};
use iota_plot::{Kind, Missing, Scope, figure, png, survey, svg};
use iota_trace::Record;
use iota_trace::read::{Options, Trace};
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A trace of these bytes, whose file goes away.
struct Traced(PathBuf, Trace);

impl Traced {
    fn new(bytes: &[u8]) -> Traced {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            "iota-plot-{}-{}.iota",
            std::process::id(),
            COUNT.fetch_add(1, Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        let trace = Trace::open(std::slice::from_ref(&path), Options::default()).unwrap();
        Traced(path, trace)
    }

    fn figure(&self, kind: Kind) -> Figure {
        self.drawn(kind).unwrap()
    }

    fn drawn(&self, kind: Kind) -> Result<Figure, Missing> {
        figure(&Job::of(&self.1), &Scope::default(), kind, &|_| {})
    }

    /// All kinds of which the trace has anything.
    fn figures(&self) -> impl Iterator<Item = (&'static str, Figure)> {
        let kinds = Kind::ALL.into_iter();
        kinds.filter_map(|(kind, name, _)| Some((name, self.drawn(kind).ok()?)))
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A transfer of any rank: which, where, how much, when, how long.
type Moved = (u32, bool, i64, u64, u64, u64);

fn moved() -> impl Strategy<Value = Moved> {
    let offset = prop_oneof![0i64..5000, 0i64..1 << 40];
    let bytes = prop_oneof![0u64..100, 0u64..1 << 20];
    (
        0u32..5,
        any::<bool>(),
        offset,
        bytes,
        0u64..1 << 20,
        0u64..1 << 18,
    )
}

fn traced(calls: &[Moved], path: &[u8]) -> Traced {
    let parts: Vec<Vec<u8>> = (0..5)
        .map(|rank| {
            let mut part = trace::Part::new(rank, 5, 0);
            part.file(1, path);
            let of = calls.iter().filter(|call| call.0 == rank);
            let records: Vec<Record> = (1..).zip(of).map(|(id, call)| record(id, call)).collect();
            if !records.is_empty() {
                part.calls(&records);
            }
            part.finish()
        })
        .collect();
    Traced::new(&trace::gathered(&parts))
}

fn record(id: u32, (_, writes, offset, bytes, start, elapse): &Moved) -> Record {
    Record {
        id,
        file: 1,
        fd: 3,
        offset: *offset,
        length: *bytes,
        ret: *bytes as i64,
        ..trace::call(
            if *writes { "pwrite64" } else { "pread64" },
            *start,
            *elapse,
        )
    }
}

fn boxes(figure: &Figure) -> usize {
    let shapes = figure.panels.iter().flat_map(|panel| &panel.shapes);
    let boxes = shapes.map(|shape| match &shape.form {
        Form::Boxes(boxes) => boxes.len(),
        _ => 0,
    });
    boxes.sum()
}

fn well_formed(text: &str) -> usize {
    let tree = roxmltree::Document::parse(text).expect("XML");
    tree.descendants().count()
}

/// A survey that is told of each call.
#[derive(Default)]
struct OneByOne(Survey);

impl Accumulator for OneByOne {
    fn add(&mut self, call: &Call) {
        self.0.add(call);
    }

    fn merge(&mut self, later: OneByOne) {
        self.0.merge(later.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn loops_are_surveyed_as_their_calls(
        loops in proptest::collection::vec((moved(), -300i64..300, 1i64..60), 0..6),
    ) {
        let mut calls: Vec<Moved> = Vec::new();
        for ((rank, writes, offset, bytes, _, elapse), stride, count) in loops {
            for n in 0..count {
                let start = calls.len() as u64 * 1000;
                // Some loops begin or end where no place is known.
                calls.push((rank, writes, offset - 500 + n * stride, bytes, start, elapse % 1000));
            }
        }
        let traced = traced(&calls, b"/scratch/f");
        let job = Job::of(&traced.1);
        let pass = Pass::of(&job);
        prop_assert_eq!(pass.run(Survey::default), pass.run(OneByOne::default).0);
    }

    #[test]
    fn sums_and_marks_are_those_of_the_calls(calls in proptest::collection::vec(moved(), 0..40)) {
        let traced = traced(&calls, b"/scratch/f");
        let (job, scope) = (Job::of(&traced.1), Scope::default());
        let survey: Survey = survey(&job, &scope, &|_| {});
        let plan: Plan = iota_plot::plan(&job, &survey, &scope, true, Needs::ALL);
        let found = Pass::of(&job).run(|| Aggregates::new(&plan, &job));
        let bytes = |wanted: bool| calls.iter().filter(|call| call.1 == wanted).map(|call| call.3).sum::<u64>();
        let some = calls.iter().filter(|call| call.3 > 0).count();
        prop_assert_eq!(survey.bytes(), [bytes(false), bytes(true)]);
        prop_assert_eq!(found.marks.len(), some);
        prop_assert_eq!(found.spans.len(), calls.len());
        for (way, cells) in found.ranks.bytes().iter().enumerate() {
            prop_assert_eq!(cells.iter().sum::<u64>(), bytes(way == 1));
            prop_assert_eq!(found.offsets.bytes[way].iter().sum::<u64>(), bytes(way == 1));
            let way = [Direction::Read, Direction::Write][way];
            prop_assert_eq!(found.coverage.bytes(way).iter().sum::<u64>(), bytes(way == Direction::Write));
        }
        let busy: u64 = found.ranks.busy().iter().flatten().sum();
        prop_assert_eq!(busy, calls.iter().map(|call| call.5).sum::<u64>());
        prop_assert_eq!(found.sizes.calls.iter().flatten().sum::<u64>(), some as u64);
        prop_assert_eq!(found.sizes.both.iter().map(|n| u64::from(*n)).sum::<u64>(), some as u64);
        prop_assert_eq!(boxes(&traced.figure(Kind::Rank)), calls.len());
        prop_assert_eq!(traced.drawn(Kind::Offset).map_or(0, |figure| boxes(&figure)), some);
    }

    #[test]
    fn any_trace_and_any_name_makes_pictures(
        calls in proptest::collection::vec(moved(), 0..4),
        name in proptest::collection::vec(any::<u8>(), 1..60),
        width in 300.0..2000.0f64,
    ) {
        let traced = traced(&calls, &name);
        for (_, figure) in traced.figures() {
            prop_assert!(well_formed(&svg::draw(&figure, width.round(), 500.0)) > 10);
            let characters = terminal::draw(&figure, 80, 40, Look::Colours);
            prop_assert!(characters.lines().count() < 200);
        }
    }
}

const HOSTILE: &[u8] = b"/s/<script>alert(1)</script>&\"'\t\n\xff\x1b[31m\xe2\x80\xae.h5";

#[test]
fn hostile_names_stay_text() {
    let traced = traced(&[(0, true, 0, 100, 0, 10)], HOSTILE);
    for (kind, figure) in traced.figures() {
        let text = svg::draw(&figure, 1200.0, 700.0);
        assert!(!text.contains("<script"), "{kind}");
        well_formed(&text);
        let characters = anstream_free(&terminal::draw(&figure, 120, 40, Look::Colours));
        assert!(!characters.contains('\u{1b}'), "{kind}");
    }
}

/// Without the escape sequences of 256 colours and bold that are ours.
fn anstream_free(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&rest[..at]);
        let end = rest[at..]
            .find('m')
            .expect("a sequence of colours ends with m");
        let codes = &rest[at + 2..at + end];
        assert!(
            codes.chars().all(|c| c.is_ascii_digit() || c == ';'),
            "{codes}"
        );
        rest = &rest[at + end + 1..];
    }
    out + rest
}

#[test]
fn ten_thousand_ranks_make_small_pictures() {
    let part = |rank: u32| {
        let mut part = trace::Part::bare(rank, &trace::process(10_000, u64::from(rank) * 100));
        part.name_ops(&["pwrite64"]);
        part.file(1, b"/scratch/all");
        let calls: Vec<Record> = (0..12)
            .map(|n| {
                let moved = (
                    rank,
                    true,
                    i64::from(n * 10_000 + rank) * 512,
                    512,
                    u64::from(n) * 90_000,
                    40_000,
                );
                record(n + 1, &moved)
            })
            .collect();
        part.calls(&calls);
        part.finish()
    };
    let parts: Vec<Vec<u8>> = (0..10_000).map(part).collect();
    let traced = Traced::new(&trace::gathered(&parts));
    for (kind, figure) in traced.figures() {
        let text = svg::draw(&figure, 1200.0, 700.0);
        assert!(text.len() < 1 << 20, "{kind}: {} bytes", text.len());
        well_formed(&text);
    }
}

#[test]
fn a_hundred_thousand_marks_are_the_most() {
    let calls = |count: u32| {
        let mut part = trace::Part::new(0, 1, 0);
        part.file(1, b"/scratch/one");
        part.calls(&trace::writes(count, 8));
        Traced::new(&part.finish())
    };
    let (few, many) = (calls(100_000), calls(100_001));
    assert_eq!(boxes(&few.figure(Kind::Offset)), 100_000);
    assert_eq!(boxes(&many.figure(Kind::Offset)), 0);
    let sizes =
        [few, many].map(|traced| svg::draw(&traced.figure(Kind::Offset), 1200.0, 700.0).len());
    assert!(sizes[0] < 3 << 20 && sizes[1] < 1 << 20, "{sizes:?}");
}

/// Two ranks that write a file in turns, overwrite its head and leave a hole.
fn small() -> Traced {
    let calls: Vec<Moved> = (0..16)
        .map(|n| {
            (
                n % 2,
                true,
                i64::from(n) * 4096 + if n > 11 { 8192 } else { 0 },
                4096,
                u64::from(n) * 2000,
                1500,
            )
        })
        .chain([
            (1, true, 0, 2048, 40_000, 900),
            (0, false, 4096, 4096, 45_000, 700),
        ])
        .collect();
    traced(&calls, b"/scratch/run/out.h5")
}

#[test]
fn a_small_trace_is_drawn_so() {
    for kind in [Kind::Offset, Kind::Map, Kind::Conflicts] {
        let text = svg::draw(&small().figure(kind), 600.0, 400.0);
        insta::assert_snapshot!(kind.name(), text);
    }
    let figure = small().figure(Kind::Offset);
    let characters = anstream_free(&terminal::draw(&figure, 80, 24, Look::Colours));
    insta::assert_snapshot!("terminal", characters);
}

#[test]
fn numbers_of_narrow_pictures_are_whole() {
    let traced = small();
    for (kind, figure) in traced.figures() {
        let parts = figure.subtitle.split(" \u{b7} ");
        let texts = [
            svg::draw(&figure, 300.0, 400.0),
            terminal::draw(&figure, 40, 24, Look::Colours),
            terminal::draw(&figure, 40, 24, Look::Plain),
        ];
        for part in parts {
            let missing = texts.iter().find(|text| !text.contains(part));
            assert_eq!(missing, None, "{kind}: {part}");
        }
        for number in figure.notes.iter().flat_map(|note| note.split(' ')) {
            let missing = texts.iter().find(|text| !text.contains(number));
            assert_eq!(missing, None, "{kind}: {number}");
        }
    }
}

#[test]
fn panels_of_narrow_pictures_keep_their_titles_and_legends() {
    for kind in [Kind::Overview, Kind::Throughput] {
        let figure = small().figure(kind);
        let narrow = svg::draw(&figure, 400.0, 700.0);
        for panel in &figure.panels {
            let names = panel.legend.iter().map(|(_, name)| name);
            for words in names.chain([&panel.title]) {
                assert!(
                    narrow.contains(&format!(">{words}<")),
                    "{}: {words}",
                    kind.name()
                );
            }
        }
    }
}

#[test]
fn without_colours_characters_tell_series_apart() {
    let calls = [
        (0, true, 0, 4096, 0, 900),
        (0, true, 0, 4096, 1000, 900),
        (0, true, 8192, 8192, 2000, 900),
        (0, false, 4096, 8192, 3000, 900),
    ];
    let traced = traced(&calls, b"/scratch/f");
    let wanted = [
        (
            Kind::Map,
            "# read  o written  + both  x overwritten  . hole",
            "#o+x",
        ),
        (Kind::Rank, "# read  o write\n", "#o"),
        (Kind::Offset, "# read  o write\n", "#o"),
    ];
    for (kind, legend, marks) in wanted {
        let figure = traced.figure(kind);
        let text = terminal::draw(&figure, 80, 24, Look::Plain);
        assert!(text.contains(legend) && !text.contains('\u{1b}'), "{text}");
        let rows = text.lines().filter_map(|line| line.split_once('\u{2502}'));
        let picture: String = rows.map(|(_, row)| row).collect();
        assert!(marks.chars().all(|mark| picture.contains(mark)), "{text}");
        let coloured = terminal::draw(&figure, 80, 24, Look::Colours);
        assert_eq!(
            coloured.matches("m\u{2588}\u{1b}[0m ").count(),
            legend.matches("  ").count() + 1
        );
    }
}

#[test]
fn ranks_are_layers() {
    let calls: Vec<Moved> = (0..5)
        .map(|rank| (rank, true, i64::from(rank) * 10, 10, 5, 5))
        .collect();
    let text = svg::draw(&traced(&calls, b"/f").figure(Kind::Offset), 600.0, 400.0);
    for rank in 0..5 {
        let layer = format!("<g inkscape:groupmode=\"layer\" inkscape:label=\"rank {rank}\">");
        assert!(text.contains(&layer), "{text}");
    }
}

#[test]
fn pixels_are_as_many_as_asked_for() {
    let text = svg::draw(&small().figure(Kind::Overview), 500.0, 300.0);
    let png = png::render(&text, 2.0).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), (1000, 600));
    assert!(png::render(&text, 100.0).is_err());
}
