//! A finding: what it says, and what selects its calls.

use crate::Filter;
use crate::filter::Select;
use serde::Serialize;

/// What is likely to cost the program time.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Its name for programs.
    pub kind: &'static str,
    /// What the run could save at most, in ns: of the calls concerned the time of the rank that spends most in them, or the
    /// time for which ranks wait.
    pub cost: u64,
    /// One sentence that states the finding.
    pub what: String,
    /// The figures that it follows from.
    pub evidence: String,
    /// What to try.
    pub advice: &'static str,
    /// An expression for `--where` that selects the calls concerned, or of many files those of the worst.
    pub select: String,
}

impl Finding {
    /// Selects its calls among those that pass these expressions, as the finding was found.
    pub fn within(&mut self, filter: &[String]) {
        // What chooses files takes the place of the rule that calls are on storage.
        let chooses = Filter::all(filter).is_ok_and(|filter| filter.chooses_files());
        let own = self.select.split(',');
        let own = own.filter(|term| !(chooses && *term == Select::ON_STORAGE));
        let terms: Vec<&str> = filter.iter().map(String::as_str).chain(own).collect();
        self.select = terms.join(",");
    }

    /// The option that selects its calls, as a shell takes it.
    pub fn option(&self) -> String {
        format!("--where '{}'", self.select.replace('\'', r"'\''"))
    }
}

/// Those that are worth a line, the dearest first, and how many are not.
pub fn dearest(mut found: Vec<Finding>, is_worth: impl Fn(u64) -> bool) -> (Vec<Finding>, u64) {
    let all = found.len();
    found.retain(|finding| is_worth(finding.cost));
    found.sort_by_key(|finding| std::cmp::Reverse(finding.cost));
    let minor = (all - found.len()) as u64;
    (found, minor)
}
