//! A trace as one HTML page: findings first, then plots that zoom together, then tables that follow them. Nothing is fetched,
//! and the page stays below 5 MB: it has sums in bins, never calls.

mod data;
mod finding_links;
mod histograms;
mod layout;
mod places;
mod processes;
mod second_pass;
mod tree;
mod windows;

use askama::Template;
use data::{Data, IoPart};
use finding_links::FindingLink;
use iota_analysis::stat::{self, Facts, Further, Overwrites, Stat};
use iota_analysis::thresholds::Thresholds;
use iota_analysis::{FileId, Job, Pass, Progress};
use iota_plot::aggregates::{Needs, Plan, Survey};
use iota_plot::{Scope, half, plan, shown};
use layout::Layout;
use second_pass::SecondPass;
use std::collections::HashSet;
use tree::Tree;

/// The library that draws the plots; its licence lies beside it.
const PLOTLY: &str = include_str!("../vendor/plotly-cartesian.min.js");
const STYLE: &str = include_str!("../templates/page.css");
const PROGRAM: &str = include_str!("../templates/page.js");

/// Files and ranks that have a row in the page's tables.
const ROWS: usize = 500;
/// Files and functions whose rows follow the time that is shown.
const FOLLOWING: usize = 25;

/// What the page says of itself.
#[derive(Clone, Debug, Default)]
pub struct PageFacts {
    /// The line at the top, if it is not of the job's command.
    pub title: Option<String>,
    /// The files that were read.
    pub traces: Vec<String>,
    /// What calls were asked for.
    pub filter: Vec<String>,
    /// What ran, where and when.
    pub job: Vec<(&'static str, String)>,
    /// What was not recorded.
    pub lacks: Vec<String>,
    /// What could not be read.
    pub problems: Vec<String>,
}

/// All that the page shows.
pub struct Report {
    command: Option<String>,
    /// The time that axes show, if that is not all of the run.
    shown: Option<String>,
    figures: stat::Report,
    data: Data,
    tree: Option<Tree>,
    processes: Option<tree::Table>,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The template failed.
    #[error("the page: {0}")]
    Page(#[from] askama::Error),
    /// The figures have no text.
    #[error("the page's figures: {0}")]
    Figures(#[from] serde_json::Error),
}

/// Reads the trace, twice, and once more if it has calls of MPI-IO; `None` where the filter leaves no call.
pub fn find(
    job: &Job,
    scope: &Scope,
    thresholds: &Thresholds,
    progress: &(dyn Fn(Progress) + Sync),
) -> Option<Report> {
    let (first, second) = (|at| progress(half(at, 0)), |at| progress(half(at, 1)));
    let pass = Pass::of(job).only(&scope.filter).progress(&first);
    let (survey, stat) = pass.run(|| (Survey::default(), Stat::new(job).with(thresholds)));
    if survey.ranks.is_empty() && (scope.filter.is_chosen() || job.event_count() > 0) {
        return None;
    }
    let options = stat::Options {
        by: vec![stat::By::File, stat::By::Rank, stat::By::Op, stat::By::Dir],
        top: ROWS,
        sort: stat::Sort::Time,
        thresholds: *thresholds,
        is_filtered: scope.filter.is_chosen(),
    };
    let facts = Facts::of(job, [&stat]);
    let wants = Needs {
        offsets: true,
        sizes: true,
        osts: true,
        ..Needs::default()
    };
    let plan = plan(job, &survey, scope, false, wants);
    let layout = layout(&survey, &plan, &stat, &stat.installed(&facts));
    let tree = tree::find(job, scope, thresholds, &|_| {});
    let of_tree = tree.as_ref().map(|tree| &tree.report);
    let overwrites = Overwrites::find(job, &scope.filter, &stat, of_tree);
    let further = Further {
        tree: of_tree,
        overwrites: overwrites.as_ref(),
    };
    let figures = stat::Report::of(&stat, &facts, further, &options);
    let processes = processes::find(job, &stat);
    // Of very many files the sums take most of the memory.
    drop((stat, facts, overwrites));
    let pass = Pass::of(job).only(&scope.filter).progress(&second);
    let found = pass.run(|| SecondPass::new(job, &plan, &layout));
    Some(Report {
        command: data::command(job),
        shown: shown(job, &plan),
        processes,
        figures,
        tree,
        data: Data::of(job, (&survey, &plan, &layout), found),
    })
}

/// The files and functions that took most time.
fn layout(survey: &Survey, plan: &Plan, stat: &Stat, installed: &HashSet<FileId>) -> Layout {
    let files = stat.files.iter();
    let key = |(id, of): (&FileId, &stat::Packed<stat::FileStat>)| {
        let time = std::cmp::Reverse(of.get().tally.all_time());
        (installed.contains(id), time, *id)
    };
    let mut files: Vec<_> = files.map(key).collect();
    files.sort_unstable();
    files.truncate(FOLLOWING);
    let files: Vec<_> = files.into_iter().map(|(_, _, id)| id).collect();
    let ops = stat.ops.iter().enumerate();
    let mut ops: Vec<_> = ops
        .filter_map(|(id, of)| Some((id, of.as_ref()?.time)))
        .collect();
    ops.sort_by_key(|(id, time)| (std::cmp::Reverse(*time), *id));
    ops.truncate(FOLLOWING);
    let mut row_of_op = vec![None; stat.ops.len()];
    ops.iter()
        .enumerate()
        .for_each(|(row, (id, _))| row_of_op[*id] = Some(row));
    let picks = places::picks(survey, plan, &files);
    let pick_of = |file: &FileId| picks.iter().position(|pick| pick.file == *file);
    Layout {
        pick_of_row: files.iter().map(pick_of).collect(),
        picks,
        time: plan.time,
        ranks: plan.ranks,
        row_of_file: rows_of(&files),
        files,
        ops: ops.into_iter().map(|(id, _)| id as u16).collect(),
        row_of_op,
    }
}

/// The row of each file that has one, by its number.
fn rows_of(files: &[FileId]) -> Vec<Option<u8>> {
    let last = files.iter().max().copied().unwrap_or(0);
    let mut rows = vec![None; last as usize + 1];
    for (file, row) in files.iter().zip(0..) {
        rows[*file as usize] = Some(row);
    }
    rows
}

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    title: &'a str,
    about: &'a PageFacts,
    shown: &'a str,
    findings: Vec<(&'a stat::Finding, FindingLink)>,
    no_findings: String,
    run: u64,
    parts: Vec<IoPart>,
    phases: Vec<String>,
    task: &'static str,
    tasks: &'static str,
    tree: Option<&'a Tree>,
    processes: Option<&'a tree::Table>,
    behind: Option<String>,
    facts: Vec<(&'static str, String)>,
    style: &'static str,
    plotly: &'static str,
    program: &'static str,
    data: String,
}

impl Page<'_> {
    /// `1.20 s, 12.0 % of the run`
    fn cost(&self, ns: &u64) -> String {
        let (time, part) = (
            iota_quantity::time(*ns),
            iota_quantity::share(*ns, self.run),
        );
        format!("{time}, {part} of the run")
    }
}

impl Report {
    /// What findings select is among the calls that pass these expressions, as the findings are.
    pub fn select_within(&mut self, filter: &[String]) {
        let findings = self.figures.findings.iter_mut();
        findings.for_each(|finding| finding.within(filter));
    }

    /// Renders the HTML page.
    ///
    /// # Errors
    /// A template or a figure that cannot be rendered: an error of the program, not of the trace.
    pub fn page(&self, about: &PageFacts) -> Result<String, Error> {
        let title = about.title.clone();
        let command = self.command.as_deref();
        let title = title.unwrap_or_else(|| data::title(command, &about.traces));
        let page = Page {
            title: &title,
            about,
            shown: self.shown.as_deref().unwrap_or("all of it"),
            findings: self
                .figures
                .findings
                .iter()
                .map(|of| (of, FindingLink::of(of, self.tree.is_some())))
                .collect(),
            no_findings: self.figures.no_findings(),
            run: self.figures.job.duration.max(0) as u64,
            parts: data::parts(&self.figures),
            phases: data::phases(&self.figures),
            task: self.figures.job.task.word(),
            tasks: self.figures.job.task.plural(),
            tree: self.tree.as_ref(),
            processes: self.processes.as_ref(),
            behind: data::behind(&self.figures.files.installed),
            facts: data::facts(&self.figures),
            style: STYLE,
            plotly: PLOTLY,
            program: PROGRAM,
            data: data::script(&self.data, &self.figures)?,
        };
        Ok(page.render()?)
    }
}
