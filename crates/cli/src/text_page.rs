//! A page of text: facts, findings and tables.

use crate::table::{Table, shortened};
use anstyle::Style;
use iota_analysis::stat::Finding;
use iota_quantity::{many, share, time};

const BOLD: Style = Style::new().bold();
/// Columns before a fact
const LABEL: usize = 11;
/// Lines of a pipe are not longer, where words can be wrapped
const WIDTH: usize = 100;

/// A page under way
pub struct TextPage {
    /// What it says so far
    pub out: String,
    /// Columns of the terminal
    pub width: Option<usize>,
}

impl TextPage {
    /// Nothing yet
    pub fn new(width: Option<usize>) -> TextPage {
        TextPage {
            out: String::new(),
            width,
        }
    }

    /// What was read
    pub fn title(&mut self, traces: &[String], filter: &[String]) {
        let text = match traces {
            [path] => path.clone(),
            [path, .., last] => format!("{path} ... {last}"),
            [] => return,
        };
        let text = shortened(&text, self.width);
        self.out += &format!("{BOLD}{text}{BOLD:#}\n");
        for expression in filter {
            self.fact("only", expression);
        }
    }

    /// Findings, each with its part of the run, or why there are none
    pub fn findings(&mut self, findings: &[Finding], run: u64, none: &str) {
        self.out += &format!("\n{BOLD}findings{BOLD:#}\n");
        for (n, finding) in (1..).zip(findings) {
            let cost = format!(
                "{}, {} of the run",
                time(finding.cost),
                share(finding.cost, run)
            );
            self.wrapped(
                &format!("{n:>2}. "),
                &format!("{} ({cost})", finding.what),
                Style::new().bold(),
            );
            self.wrapped("    ", &finding.evidence, Style::new());
            self.wrapped("    ", &format!("-> {}", finding.advice), Style::new());
            // On one line, to be copied.
            self.out += &format!("    its calls: {}\n", finding.option());
        }
        if findings.is_empty() {
            self.wrapped("", none, Style::new());
        }
    }

    /// A table, of which so many rows are left out
    pub fn table(&mut self, table: &Table, more: u64) {
        if table.is_empty() {
            return;
        }
        self.out.push('\n');
        table.print(&mut self.out, self.width);
        self.more(more);
    }

    /// How many rows are left out
    pub fn more(&mut self, more: u64) {
        if more > 0 {
            self.out += &format!("and {} (--top 0 shows all)\n", many(more, "more row"));
        }
    }

    /// A fact may take several lines; words are kept whole.
    pub fn fact(&mut self, label: &str, text: &str) {
        self.wrapped(&format!("{label:LABEL$}"), text, Style::new());
    }

    fn wrapped(&mut self, lead: &str, text: &str, style: Style) {
        let indent = lead.chars().count();
        let room = self.width.unwrap_or(WIDTH).saturating_sub(indent).max(20);
        let (mut line, mut lead) = (String::new(), lead.to_owned());
        for word in text.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
                self.out += &format!("{lead}{style}{line}{style:#}\n");
                (line, lead) = (String::new(), " ".repeat(indent));
            }
            let gap = if line.is_empty() { "" } else { " " };
            line += &format!("{gap}{word}");
        }
        self.out += &format!("{lead}{style}{line}{style:#}\n");
    }
}
