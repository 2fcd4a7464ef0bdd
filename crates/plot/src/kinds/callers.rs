//! Which calls called which: a rectangle for calls of the same callers, as wide as their time, below that of their caller.

use crate::Scope;
use crate::axis::{Axis, Unit};
use crate::colours::{Colour, GREY, META, READ, SYNC, WHITE, WRITE};
use crate::figure::{Figure, Form, Panel, Shape, Tile};
use crate::svg::shortened;
use iota_analysis::layers::{PathRow, Paths, layer_of};
use iota_analysis::sums::{add, sum};
use iota_analysis::{Filter, Job, Pass, Progress};
use iota_quantity::{bytes, many, share, time};

/// Layers, from the top, and their colours.
const LAYERS: [(&str, Colour); 8] = [
    ("USER", Colour(230, 159, 0)),
    ("NETCDF", Colour(240, 228, 66)),
    ("PNETCDF", Colour(170, 150, 0)),
    ("HDF5", WRITE),
    ("MPI-IO", SYNC),
    ("STDIO", Colour(86, 180, 233)),
    ("POSIX", READ),
    ("SERVER", META),
];
/// What is narrower than this share of all is gathered: about a pixel of a picture of usual width.
const PIXELS: u64 = 1000;
/// More rectangles are not drawn: more are gathered then.
const MOST: usize = 2000;
/// Letters of a name, at most.
const LETTERS: usize = 120;
/// Height of a level, if there are few, and of all that is around them: rectangles as high as wide are no picture of time.
const LEVEL: f64 = 50.0;
const AROUND: f64 = 180.0;

/// Reads which calls called which, the calls that a filter leaves out aside.
pub fn find(job: &Job, scope: &Scope, progress: &(dyn Fn(Progress) + Sync)) -> Vec<PathRow> {
    let is_chosen = scope.filter.is_chosen();
    let filter = match is_chosen {
        true => scope.filter.clone(),
        false => Filter::default(),
    };
    let (wanted, layer) = (filter.bind(job), layer(job, &filter));
    let pass = Pass::of(job).of_processes(&filter).progress(progress);
    let servers = scope.servers.as_deref();
    let paths = pass.run(|| Paths::new(job, &wanted, layer).with_servers(servers));
    paths.rows(is_chosen, 0).0
}

/// The layer that the filter is about.
fn layer(job: &Job, filter: &Filter) -> u8 {
    let asked = || {
        let mut functions = job.ops.all().iter();
        functions.find(|function| filter.is_of_layers(function))
    };
    let first = filter.asks_for_layers().then(asked).flatten();
    first.map_or_else(|| layer_of(job), |function| function.layer)
}

/// Calls of the same callers, and the time that threads spent in them and for them.
struct Rect<'a> {
    row: &'a PathRow,
    width: u64,
    below: Vec<Rect<'a>>,
}

impl<'a> Rect<'a> {
    /// What other threads did for a call makes it wider: those below it never reach beyond it.
    fn of(row: &'a PathRow) -> Rect<'a> {
        let below = rects(&row.below);
        let all = row.own.saturating_add(width(&below));
        Rect {
            row,
            width: row.time.max(all),
            below,
        }
    }
}

/// The widest first.
fn rects(rows: &[PathRow]) -> Vec<Rect<'_>> {
    let mut all: Vec<Rect> = rows.iter().map(Rect::of).collect();
    all.sort_by(|a, b| {
        let key = |rect: &Rect| std::cmp::Reverse(rect.width);
        (key(a), &a.row.name, &a.row.object).cmp(&(key(b), &b.row.name, &b.row.object))
    });
    all
}

fn width(rects: &[Rect]) -> u64 {
    sum(rects.iter().map(|rect| rect.width))
}

/// Rectangles at their places, by layer.
struct CallerBoxes {
    all: u64,
    /// What is narrower is gathered.
    least: u64,
    levels: usize,
    of_layers: [Vec<Tile>; LAYERS.len()],
    others: Vec<Tile>,
}

impl CallerBoxes {
    fn of(rects: &[Rect]) -> CallerBoxes {
        let mut least = (width(rects) / PIXELS).max(1);
        loop {
            let plan = CallerBoxes::down_to(least, rects);
            if plan.count() <= MOST {
                return plan;
            }
            least = least.saturating_mul(2);
        }
    }

    fn down_to(least: u64, rects: &[Rect]) -> CallerBoxes {
        let mut plan = CallerBoxes {
            all: width(rects),
            least,
            levels: 0,
            of_layers: Default::default(),
            others: Vec::new(),
        };
        plan.put(rects, 0, 0);
        plan
    }

    fn count(&self) -> usize {
        self.others.len() + self.of_layers.iter().map(Vec::len).sum::<usize>()
    }

    fn put(&mut self, rects: &[Rect], mut from: u64, level: usize) {
        let is_wide = |rect: &Rect| rect.width >= self.least;
        let (wide, narrow) = rects.split_at(rects.partition_point(is_wide));
        for rect in wide {
            let tile = self.tile(rect, from, level);
            self.tiles(rect.row.layer).push(tile);
            self.put(&rect.below, from, level + 1);
            add(&mut from, rect.width);
        }
        if width(narrow) > 0 {
            let tile = self.gathered(narrow, from, level);
            self.others.push(tile);
        }
        if !rects.is_empty() {
            self.levels = self.levels.max(level + 1);
        }
    }

    fn tiles(&mut self, layer: &str) -> &mut Vec<Tile> {
        match LAYERS.iter().position(|(name, _)| *name == layer) {
            Some(at) => &mut self.of_layers[at],
            None => &mut self.others,
        }
    }

    fn tile(&self, rect: &Rect, from: u64, level: usize) -> Tile {
        let name = name(rect.row);
        Tile {
            area: area(from, rect.width, level),
            tooltip: tooltip(rect.row, &name, self.all),
            name,
            share: share(rect.width, self.all),
        }
    }

    fn gathered(&self, narrow: &[Rect], from: u64, level: usize) -> Tile {
        let calls = sum(narrow.iter().map(|rect| rect.row.calls));
        let wide = width(narrow);
        let name = format!("{} more", narrow.len());
        Tile {
            area: area(from, wide, level),
            tooltip: vec![
                format!("{name}, too narrow to be shown one by one"),
                format!("{}, {}", many(calls, "call"), time(wide)),
            ],
            name,
            share: share(wide, self.all),
        }
    }

    fn panel(self) -> Panel {
        let label = "time that threads spent in calls, those of all ranks together";
        let x = Axis::new(label, Unit::Time, 0.0, self.all as f64);
        let most = self.levels.max(1) as f64 + 0.5;
        let levels = (1..=self.levels).map(|level| (level as f64, level.to_string()));
        let y = Axis::new("depth", Unit::Index, 0.5, most).down();
        let y = y.named(levels);
        let others = ("others", GREY.towards(WHITE, 0.5));
        let looks = LAYERS.into_iter().chain([others]);
        let tiles = self.of_layers.into_iter().chain([self.others]);
        let mut panel = Panel::new("", x, y);
        for ((name, colour), tiles) in looks.zip(tiles).filter(|(_, tiles)| !tiles.is_empty()) {
            panel = panel
                .with(Shape::new(colour, Form::Tiles(tiles)).on(name))
                .telling(colour, name);
        }
        panel
    }
}

fn area(from: u64, width: u64, level: usize) -> [f64; 4] {
    let (left, top) = (from as f64, level as f64 + 0.5);
    [left, top, from.saturating_add(width) as f64, top + 1.0]
}

fn name(row: &PathRow) -> String {
    let object = row.object.as_ref();
    let object = object.map_or(String::new(), |object| format!(" [{object}]"));
    shortened(&format!("{}{object}", row.name), LETTERS)
}

/// Line by line.
fn tooltip(row: &PathRow, name: &str, all: u64) -> Vec<String> {
    let (calls, processes) = (many(row.calls, "call"), many(row.processes, "process"));
    let of_all = |part: u64| format!("{} ({})", time(part), share(part, all));
    let moved = |label: &str, [read, written]: [u64; 2]| {
        let text = format!("{label}{} read, {} written", bytes(read), bytes(written));
        (read > 0 || written > 0).then_some(text)
    };
    let mut lines = vec![
        name.to_owned(),
        format!("{}: {calls}, {processes}", row.layer),
        format!("time {}, own {}", of_all(row.time), of_all(row.own)),
    ];
    lines.extend(moved("", [row.read, row.written]));
    lines.extend(moved("below: ", [row.sub_read, row.sub_written]));
    let flies = row.flight_time > 0;
    lines.extend(flies.then(|| format!("in flight {}", time(row.flight_time))));
    lines.extend((row.failed > 0).then(|| format!("{} failed", many(row.failed, "call"))));
    lines.extend(row.file.as_ref().map(|file| shortened(file, LETTERS)));
    lines
}

/// The picture of these rows.
pub fn figure(job: &Job, rows: &[PathRow]) -> Figure {
    let plan = CallerBoxes::of(&rects(rows));
    let calls = sum(rows.iter().map(|row| row.calls));
    let note = match (rows.is_empty(), plan.all) {
        (true, _) => "There is no call to show.",
        (_, 0) => "No call took any time.",
        _ => {
            "Calls are below what called them. Where nothing is below a call, the time is its own."
        }
    };
    Figure {
        title: super::plot_data::titled("Which calls called which", job),
        subtitle: format!(
            "{} of all ranks \u{b7} {} without a caller \u{b7} {}",
            time(plan.all),
            many(calls, "call"),
            many(plan.levels as u64, "level"),
        ),
        notes: vec![note.to_owned()],
        panels: vec![plan.panel()],
    }
}

/// The height that suits a picture, of at most `most`.
pub fn height(figure: &Figure, most: f64) -> f64 {
    let levels = figure.panels.iter().map(|panel| panel.y.to - panel.y.from);
    (AROUND + LEVEL * levels.fold(1.0, f64::max)).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(own: u64, beside: u64, below: Vec<PathRow>) -> PathRow {
        let inner = sum(below.iter().map(|row| row.time));
        PathRow {
            layer: LAYERS[(own % 8) as usize].0,
            calls: 1,
            own: own + beside.min(inner),
            time: own + inner,
            below,
            ..PathRow::default()
        }
    }

    fn rows() -> impl Strategy<Value = Vec<PathRow>> {
        let own = || prop_oneof![0u64..5, 0u64..5000];
        let leaf = own().prop_map(|own| row(own, 0, Vec::new()));
        let beside = || prop_oneof![Just(0u64), 0u64..100];
        let rows = |row| proptest::collection::vec(row, 0..6);
        let row = leaf.prop_recursive(5, 60, 6, move |inner| {
            let parts = (own(), beside(), rows(inner));
            parts.prop_map(|(own, beside, below)| row(own, beside, below))
        });
        proptest::collection::vec(row, 0..6)
    }

    fn areas(plan: &CallerBoxes) -> Vec<[f64; 4]> {
        let tiles = plan.of_layers.iter().chain([&plan.others]).flatten();
        tiles.map(|tile| tile.area).collect()
    }

    fn on(areas: &[[f64; 4]], level: usize) -> Vec<(f64, f64)> {
        let here = areas.iter().filter(|area| area[1] == level as f64 + 0.5);
        let mut here: Vec<_> = here.map(|area| (area[0], area[2])).collect();
        here.sort_by(|a, b| a.0.total_cmp(&b.0));
        here
    }

    proptest! {
        #[test]
        fn calls_lie_below_their_caller_and_beside_each_other(rows in rows()) {
            let rects = rects(&rows);
            let plan = CallerBoxes::of(&rects);
            let areas = areas(&plan);
            let top = on(&areas, 0);
            let all: f64 = top.iter().map(|(from, until)| until - from).sum();
            prop_assert_eq!(all, width(&rects) as f64);
            for level in 0..plan.levels {
                let here = on(&areas, level);
                prop_assert!(here.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{here:?}");
                let above = on(&areas, level.saturating_sub(1));
                for (from, until) in here {
                    let holds = |(left, right): &(f64, f64)| *left <= from && until <= *right;
                    prop_assert!(above.iter().any(holds), "{from} {until} {above:?}");
                }
            }
        }
    }

    #[test]
    fn widths_are_times_and_narrow_ones_are_gathered() {
        let some = |own| row(own, 0, Vec::new());
        let top = [row(1000, 0, vec![some(2000), some(6992), some(5), some(3)])];
        let plan = CallerBoxes::of(&rects(&top));
        let mut tiles: Vec<&Tile> = plan.of_layers.iter().flatten().collect();
        tiles.sort_by(|a, b| {
            a.area[1]
                .total_cmp(&b.area[1])
                .then(a.area[0].total_cmp(&b.area[0]))
        });
        let areas: Vec<_> = tiles.iter().map(|tile| tile.area).collect();
        let wide = [
            [0.0, 0.5, 10_000.0, 1.5],
            [0.0, 1.5, 6992.0, 2.5],
            [6992.0, 1.5, 8992.0, 2.5],
        ];
        assert_eq!(areas, wide);
        assert_eq!(plan.others[0].area, [8992.0, 1.5, 9000.0, 2.5]);
        assert_eq!(
            (plan.others[0].name.as_str(), plan.others.len()),
            ("2 more", 1)
        );
        assert_eq!(tiles[1].share, "69.9 %");
    }

    #[test]
    fn there_are_never_too_many() {
        let leaves = |n: u64| (0..n).map(|_| row(1, 0, Vec::new())).collect();
        let deep = (0..20).fold(leaves(900), |below, _| vec![row(0, 0, below)]);
        assert!(CallerBoxes::of(&rects(&deep)).count() > 900);
        let many: Vec<PathRow> = (0..900).map(|_| row(0, 0, leaves(1))).collect();
        let many = (0..3).fold(many, |rows, _| {
            rows.into_iter()
                .map(|below| row(0, 0, vec![below]))
                .collect()
        });
        assert!(CallerBoxes::of(&rects(&many)).count() <= MOST);
    }
}
