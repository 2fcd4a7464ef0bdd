//! The summary as text: facts first, then tables.

use super::layouts::stripes;
use super::summary::*;
use super::{phrases, processes};
use crate::local_time::epoch;
use crate::table::{Table, shortened};
use anstyle::Style;
use iota_quantity::{bytes, count, many, nanos, share};
use iota_trace::Nanos;

const BOLD: Style = Style::new().bold();
/// Letters of a command line, unless all are asked for
const COMMAND: usize = 300;
/// Columns before a fact
const LABEL: usize = 11;

/// All of it, tables of `top` rows (all if 0), lines not longer than `width`
pub fn tables(summary: &Summary, top: usize, width: Option<usize>) -> String {
    let mut page = InfoPage {
        out: String::new(),
        width,
        top: if top == 0 { usize::MAX } else { top },
    };
    page.what(summary);
    page.when(&summary.time);
    page.how_many(summary);
    page.how_complete(summary);
    page.layers(&summary.layers);
    page.functions(&summary.functions);
    page.files(&summary.files);
    let short = |command: &str| page.short(command);
    if let Some(table) = processes::table(&summary.process_tree, &short) {
        page.table(&table, 1);
    }
    page.parts(&summary.parts);
    page.problems(&summary.completeness.problems);
    page.out
}

struct InfoPage {
    out: String,
    width: Option<usize>,
    top: usize,
}

impl InfoPage {
    fn what(&mut self, summary: &Summary) {
        let Summary { trace, job, .. } = summary;
        match &trace.paths[..] {
            [path] => self.title(path),
            [path, .., last] => self.title(&format!("{path} ... {last}")),
            [] => {}
        }
        self.programs(job);
        if !job.ids.is_empty() {
            self.fact("job", &job.ids.join(" "));
        }
        self.fact(phrases::hosts_label(job), &phrases::hosts(job));
        self.fact("ranks", &phrases::tasks(summary));
        if let Some(spawned) = &summary.job.spawned {
            self.fact("spawned", &phrases::spawned(spawned));
        }
    }

    fn programs(&mut self, job: &JobSummary) {
        if self.shows_all() {
            for program in &job.programs {
                self.program(program, "", program.processes, job.processes);
            }
            return;
        }
        let programs = job.by_program();
        for SameProgram {
            first,
            command_lines,
            processes,
        } in programs.iter().take(self.top)
        {
            let others = match command_lines - 1 {
                0 => String::new(),
                others => format!(" and {}", many(others, "other command line")),
            };
            self.program(first, &others, *processes, job.processes);
        }
        self.more("program", programs.len());
    }

    fn program(&mut self, program: &ProgramSummary, others: &str, processes: u64, all: u64) {
        let of = match processes == all {
            true => String::new(),
            false => format!(" ({})", many(processes, "process")),
        };
        let words = program.words();
        let command = self.short(words.unwrap_or(phrases::NOT_KNOWN));
        self.fact("command", &format!("{command}{others}{of}"));
        let is_shown = command.split(' ').next() == Some(&program.path) || program.path.is_empty();
        let path = Some(&program.path[..]).filter(|_| !is_shown);
        let directory = format!("in {}", program.directory);
        let directory = Some(&directory[..]).filter(|_| !program.directory.is_empty());
        let place: Vec<&str> = path.into_iter().chain(directory).collect();
        if !place.is_empty() {
            self.fact("", &place.join(" "));
        }
    }

    fn shows_all(&self) -> bool {
        self.top == usize::MAX
    }

    /// A command line may take pages, which few want to see.
    fn short(&self, command: &str) -> String {
        match command
            .char_indices()
            .nth(COMMAND)
            .filter(|_| !self.shows_all())
        {
            Some((end, _)) => format!("{}\u{2026}", &command[..end]),
            None => command.to_owned(),
        }
    }

    fn when(&mut self, time: &Time) {
        let start = epoch(Nanos(time.start));
        match &time.start_local {
            Some(local) => self.fact("start", &format!("{local} = {start}")),
            None => self.fact("start", &start),
        }
        let in_io = time.share_of_run.map_or(String::new(), |share| {
            format!(", {:.1} % of it in I/O", share * 100.0)
        });
        self.fact("duration", &format!("{}{in_io}", nanos(time.duration)));
        for clock in &time.clocks {
            self.fact("clock", &phrases::clock(clock, time.clocks.len()));
        }
        if let Some(offsets) = &time.offsets {
            self.fact("offsets", &phrases::offsets(offsets));
        }
        if let Some(waited) = time.waited {
            self.fact("waiting", &waited.message());
        }
    }

    fn how_many(&mut self, summary: &Summary) {
        let Summary {
            trace, job, calls, ..
        } = summary;
        self.fact("calls", &phrases::calls(calls));
        let (read, written) = (bytes(calls.bytes_read), bytes(calls.bytes_written));
        self.fact("moved", &format!("{read} read, {written} written"));
        if let Some(globs) = &job.only_files {
            self.fact("only", &format!("files {globs} (IOTA_FILES)"));
        }
        if let Some(globs) = &job.exclude_files {
            self.fact("without", &format!("files {globs} (IOTA_EXCLUDE)"));
        }
        if let Some(lustre) = &summary.lustre {
            self.fact("Lustre", &lustre.phrase());
        }
        self.fact("trace", &phrases::stored(trace));
    }

    fn how_complete(&mut self, summary: &Summary) {
        let mut lacks = phrases::lacks(summary);
        lacks.push(phrases::endings(&summary.parts));
        let verdict = summary.completeness.complete.word();
        self.fact("complete", &format!("{verdict}: {}", lacks.join("; ")));
    }

    fn layers(&mut self, layers: &[Layer]) {
        let calls = layers.iter().map(|layer| layer.totals.calls).sum();
        let heads = [
            "layer",
            "calls",
            "share",
            "failed",
            "inclusive",
            "read",
            "written",
            "",
        ];
        let mut table = Table::new(&heads);
        for Layer { layer, totals } in layers {
            table.row([
                layer.clone(),
                count(totals.calls),
                share(totals.calls, calls),
                count(totals.failed),
                nanos(totals.inclusive as i64),
                bytes(totals.bytes_read),
                bytes(totals.bytes_written),
                String::new(),
            ]);
        }
        self.table(&table, layers.len());
    }

    fn functions(&mut self, functions: &[Function]) {
        let heads = [
            "function",
            "calls",
            "failed",
            "inclusive",
            "mean",
            "max",
            "read",
            "written",
            "",
        ];
        let mut table = Table::new(&heads);
        for Function {
            function, totals, ..
        } in functions.iter().take(self.top)
        {
            table.row([
                function.clone(),
                count(totals.calls),
                count(totals.failed),
                nanos(totals.inclusive as i64),
                nanos((totals.inclusive / totals.calls.max(1)) as i64),
                nanos(totals.max as i64),
                bytes(totals.bytes_read),
                bytes(totals.bytes_written),
                String::new(),
            ]);
        }
        self.table(&table, functions.len());
        self.more("function", functions.len());
    }

    fn files(&mut self, files: &Files) {
        let is_striped = files.top.iter().any(|file| file.layout.is_some());
        let mut heads = vec![files.users, "calls", "inclusive", "read", "written", "file"];
        if is_striped {
            heads.insert(5, "stripes");
        }
        let mut table = Table::new(&heads);
        for file in &files.top {
            let totals = &file.totals;
            let mut row = vec![
                count(file.tasks),
                count(totals.calls),
                nanos(totals.inclusive as i64),
                bytes(totals.bytes_read),
                bytes(totals.bytes_written),
                file.path.clone(),
            ];
            if is_striped {
                row.insert(5, stripes(&file.layout));
            }
            table.row(row);
        }
        self.table(&table, files.top.len());
        self.more("file", files.count as usize);
        if files.installed > 0 && files.installed < files.count {
            let behind = many(files.installed, "file");
            self.out += &format!("{behind} of installed software, listed behind the others\n");
        }
        if files.elsewhere > 0 && files.elsewhere < files.count {
            let behind = many(files.elsewhere, "file");
            let what = "of MPI's start and end, pipes, devices and the kernel, listed last";
            self.out += &format!("{behind} {what}\n");
        }
    }

    fn parts(&mut self, parts: &[Part]) {
        let mut table = Table::new(&[
            "rank", "process", "threads", "calls", "lost", "start", "ended", "host",
        ]);
        let start = parts
            .iter()
            .map(|part| part.start)
            .min()
            .unwrap_or_default();
        for part in parts.iter().take(self.top) {
            table.row([
                part.rank.to_string(),
                part.pid.to_string(),
                count(part.threads),
                count(part.calls),
                count(part.lost),
                nanos(part.start - start),
                part.ended.clone(),
                part.host.clone(),
            ]);
        }
        self.table(&table, parts.len());
        self.more("part", parts.len());
    }

    fn problems(&mut self, problems: &[String]) {
        if problems.is_empty() {
            return;
        }
        self.out += &format!("\n{BOLD}damage{BOLD:#}\n");
        for problem in problems.iter().take(self.top) {
            self.out += &format!("{problem}\n");
        }
        self.more("problem", problems.len());
    }

    fn title(&mut self, text: &str) {
        let text = shortened(text, self.width);
        self.out += &format!("{BOLD}{text}{BOLD:#}\n");
    }

    /// A fact may take several lines; words are kept whole.
    fn fact(&mut self, label: &str, text: &str) {
        let room = self
            .width
            .map_or(usize::MAX, |width| width.saturating_sub(LABEL).max(20));
        let (mut line, mut label) = (String::new(), label);
        for word in text.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
                self.out += &format!("{label:LABEL$}{line}\n");
                (line, label) = (String::new(), "");
            }
            let gap = if line.is_empty() { "" } else { " " };
            line += &format!("{gap}{word}");
        }
        self.out += &format!("{label:LABEL$}{line}\n");
    }

    fn table(&mut self, table: &Table, rows: usize) {
        if rows > 0 {
            self.out.push('\n');
            table.print(&mut self.out, self.width);
        }
    }

    fn more(&mut self, what: &str, all: usize) {
        if let Some(more @ 1..) = all.checked_sub(self.top) {
            self.out += &format!(
                "and {} (--top 0 shows all)\n",
                many(more as u64, &format!("more {what}"))
            );
        }
    }
}
