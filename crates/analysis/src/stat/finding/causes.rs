//! What is only a consequence of something else that was found is not said.

use super::Finding;

/// Findings, and those that follow from them: what a library does with small pieces is seen again in the calls below it.
const CONSEQUENCES: [(&str, &[&str]); 18] = [
    ("failed-lookups", &["metadata"]),
    (
        "open-per-access",
        &["metadata", "small-writes", "small-reads"],
    ),
    ("repeated-opens", &["metadata"]),
    ("unused-opens", &["metadata"]),
    ("crowded-directory", &["metadata"]),
    ("idle-seeks", &["metadata"]),
    ("opened-by-all", &["metadata"]),
    ("one-rank", &["imbalance"]),
    ("node-imbalance", &["imbalance"]),
    ("late-ranks", &["imbalance"]),
    ("independent", TRANSFERS),
    ("no-collective-buffering", TRANSFERS),
    (
        "read-before-write",
        &["rereads", "random-reads", "small-reads"],
    ),
    (
        "chunk-cache",
        &["rereads", "random-reads", "small-reads", "small-chunks"],
    ),
    (
        "chunk-shape",
        &["random-reads", "small-reads", "small-chunks"],
    ),
    ("small-chunks", TRANSFERS),
    ("grown-by-record", TRANSFERS),
    ("fill-values", &["rewrites", "overwrites"]),
];

/// How the transfers of a program or library lie in a file.
const TRANSFERS: &[&str] = &[
    "small-reads",
    "small-writes",
    "random-reads",
    "random-writes",
    "unaligned-writes",
];

/// Those that no other explains, which costs at least half as much.
pub(super) fn alone(found: Vec<Finding>) -> Vec<Finding> {
    let is_explained = |finding: &Finding| {
        found.iter().any(|cause| {
            let known = CONSEQUENCES.iter().find(|(kind, _)| *kind == cause.kind);
            let explains = known.is_some_and(|(_, kinds)| kinds.contains(&finding.kind));
            explains && cause.cost >= finding.cost / 2
        })
    };
    let alone = found.iter().filter(|finding| !is_explained(finding));
    alone.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: &'static str, cost: u64) -> Finding {
        Finding {
            kind,
            cost,
            what: String::new(),
            evidence: String::new(),
            advice: "",
            select: String::new(),
        }
    }

    fn kinds(found: &[(&'static str, u64)]) -> Vec<&'static str> {
        let found = found.iter().map(|(kind, cost)| finding(kind, *cost));
        let alone = alone(found.collect());
        alone.iter().map(|finding| finding.kind).collect()
    }

    #[test]
    fn a_cause_stands_for_what_follows_from_it() {
        assert_eq!(
            kinds(&[("metadata", 100), ("failed-lookups", 60)]),
            ["failed-lookups"]
        );
        assert_eq!(
            kinds(&[("metadata", 100), ("failed-lookups", 40)]),
            ["metadata", "failed-lookups"]
        );
        assert_eq!(
            kinds(&[("small-writes", 9), ("small-chunks", 9), ("sync", 5)]),
            ["small-chunks", "sync"]
        );
    }
}
