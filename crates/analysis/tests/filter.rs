//! Expressions of `--where`: what they mean, and what is said of those that mean nothing.

use iota_analysis::filter::{Name, Number, Term};
use iota_analysis::{Filter, Medium};
use iota_calls::Kind;

fn terms(text: &str) -> Vec<Term> {
    let filter: Filter = text.parse().unwrap_or_else(|fault| panic!("{fault}"));
    filter.terms
}

fn fault(text: &str) -> String {
    text.parse::<Filter>().unwrap_err().to_string()
}

#[test]
fn lists_go_on_over_commas() {
    let ranks = Term::Among(Number::Rank, true, vec![0..=0, 4..=7]);
    let failed = Term::Failed(true);
    assert_eq!(terms("rank=0,4-7,failed"), [ranks.clone(), failed.clone()]);
    assert_eq!(terms("rank = 0, 4..7 and failed"), [ranks, failed]);
}

#[test]
fn words_stand_alone() {
    let startup = |mpi: bool| [Term::Startup(mpi)];
    assert_eq!(terms("startup"), startup(true));
    assert_eq!(terms("program"), startup(false));
    let program: Filter = "startup".parse().unwrap();
    assert_eq!(program.clone().of_program(), program, "it was asked for");
    assert_eq!(Filter::default().of_program().terms, startup(false));
    assert!(program.is_chosen() && !Filter::default().of_program().is_chosen());
}

#[test]
fn names_and_classes() {
    let file = Term::Named(Name::File, false, vec![b"*.h5".into(), b"/a,b".into()]);
    let class = Term::Class(true, vec![Kind::Read, Kind::Meta]);
    assert_eq!(terms("file!=*.h5,'/a,b' && class=read,meta"), [file, class]);
}

#[test]
fn media_are_chosen_and_implied() {
    let on = |media: &[Medium]| [Term::On(media.to_vec())];
    assert_eq!(terms("on=pipes"), on(&[Medium::Pipes]));
    assert_eq!(terms("on!=pipes"), on(&[Medium::Storage, Medium::System]));
    let implied = Filter::default().on_storage();
    assert_eq!(implied.terms, on(&[Medium::Storage]));
    assert!(!implied.is_chosen());
    for chosen in ["on=system", "file=/proc/*", "fd=0"] {
        let filter: Filter = chosen.parse().unwrap();
        assert_eq!(filter.clone().on_storage(), filter, "{chosen}");
    }
}

#[test]
fn quantities_have_units() {
    let number = |number, range| Term::Among(number, true, vec![range]);
    let wanted = [
        number(Number::Length, 1 << 20..=i64::MAX),
        number(Number::Elapse, 1_000_001..=i64::MAX),
        number(Number::Ret, i64::MIN..=-1),
        number(Number::Offset, -5..=-1),
        number(Number::Errno, 2..=2),
    ];
    assert_eq!(
        terms("len>=1m,dur>1ms,ret<0,offset=-5..-1,errno=ENOENT"),
        wanted
    );
    assert_eq!(
        terms("time=1.5..2min"),
        [Term::During(1_500_000_000..=120_000_000_000)]
    );
    assert_eq!(terms("time>=10"), [Term::During(10_000_000_000..=i64::MAX)]);
}

#[test]
fn faults_point_at_their_place() {
    let told = [
        fault("rank=0,ofset>5"),
        fault("len>=1x"),
        fault("rank=7-4"),
        fault("file=a[b"),
        fault("rank=1,file='/a"),
        fault("class=reads"),
        fault("on=disk"),
        fault("file>a"),
        fault("rank"),
        fault(" "),
        fault("rank=1,,2"),
        fault("rank<1,2"),
        fault("time!=3"),
    ];
    let text = told.join("\n").replace(
        "rank, pid, thread, host, file, dir, object, site, op, class, layer, during, start, end, dur, len, bytes, off, fd, ret, errno, on; failed, ok, startup and program have no value",
        "FIELDS",
    );
    let expected = "\
`rank=0,ofset>5`: at character 8 (`ofset>5`): no field `ofset`; fields are FIELDS
`len>=1x`: at character 6 (`1x`): expected a number of bytes, as 4096, 64k or 1m
`rank=7-4`: at character 6 (`7-4`): the range ends before it begins
`file=a[b`: at character 6 (`a[b`): a `[` without its `]`
`rank=1,file='/a`: at character 13 (`'/a`): the quote is not closed
`class=reads`: at character 7 (`reads`): no such class of calls; classes are read, write, open, close, seek, sync, meta, map, process, wait, other
`on=disk`: at character 4 (`disk`): no such place for files; places are storage, pipes, system
`file>a`: at character 5 (`>a`): a name can be compared with = and != only
`rank`: at character 5 (its end): rank must be followed by one of = != < <= > >=
` `: at character 1 (` `): the expression is empty; fields are FIELDS
`rank=1,,2`: at character 8 (`,2`): expected a number
`rank<1,2`: at character 5 (`<1,2`): < takes one value; only = and != take lists
`time!=3`: at character 7 (`3`): it is a range (during=10..20) or a limit (during>=10)";
    assert_eq!(text, expected);
}
