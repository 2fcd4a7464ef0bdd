//! Expressions to terms. An error names the place.

use super::terms::{Filter, Name, Number, Term, error};
use crate::Medium;
use iota_calls::Kind;
use iota_quantity::Quantity;
use iota_trace::{errno, glob};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: at character {place} ({here}): {cause}", place = at + 1)]
pub struct Fault {
    /// The expression.
    pub text: String,
    /// Characters before the place.
    pub at: usize,
    /// What stands there.
    pub here: String,
    /// What is wrong with it.
    pub cause: String,
}

/// A piece of an expression and where it begins.
#[derive(Clone, Copy)]
struct Piece<'t> {
    text: &'t str,
    at: usize,
}

type Result<T, E = (usize, String)> = std::result::Result<T, E>;

impl FromStr for Filter {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Filter, Fault> {
        terms(text)
            .map(|terms| Filter { terms })
            .map_err(|(at, cause)| {
                let here: String = text[at..].chars().take(24).collect();
                Fault {
                    text: text.to_owned(),
                    at: text[..at].chars().count(),
                    here: if here.is_empty() {
                        "its end".to_owned()
                    } else {
                        format!("`{here}`")
                    },
                    cause,
                }
            })
    }
}

fn terms(text: &str) -> Result<Vec<Term>> {
    let pieces = pieces(text)?;
    if pieces.iter().all(|piece| piece.text.is_empty()) {
        return Err((0, format!("the expression is empty; fields are {FIELDS}")));
    }
    // A piece that begins no term goes on with the list before it.
    let mut terms: Vec<Vec<Piece>> = Vec::new();
    for piece in pieces {
        match terms.last_mut() {
            Some(list) if !begins(piece.text) => list.push(piece),
            _ => terms.push(vec![piece]),
        }
    }
    terms.iter().map(|list| term(list)).collect()
}

/// What stands between commas, `and` and `&&`; between quotes these are nothing special.
fn pieces(text: &str) -> Result<Vec<Piece<'_>>> {
    let (mut pieces, mut start, mut quote) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        match quote {
            Some((_, open)) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') => quote = Some((at, c)),
            None => {
                let separator = if c == ',' {
                    ","
                } else {
                    conjunction(&text[at..])
                };
                if !separator.is_empty() && at >= start {
                    pieces.push(trimmed(text, start, at));
                    start = at + separator.len();
                }
            }
        }
    }
    match quote {
        Some((at, _)) => Err((at, "the quote is not closed".to_owned())),
        None => {
            pieces.push(trimmed(text, start, text.len()));
            Ok(pieces)
        }
    }
}

fn conjunction(rest: &str) -> &str {
    let known = [" and ", " AND ", "&&"];
    known
        .into_iter()
        .find(|known| rest.starts_with(known))
        .unwrap_or("")
}

fn trimmed(text: &str, start: usize, end: usize) -> Piece<'_> {
    let piece = &text[start..end];
    let at = start + (piece.len() - piece.trim_start().len());
    Piece {
        text: piece.trim(),
        at,
    }
}

/// Whether a term begins here: a word that stands alone, or a field and what it is compared by.
fn begins(text: &str) -> bool {
    ALONE.iter().any(|(word, _)| *word == text) || {
        let word = text.chars().take_while(char::is_ascii_alphabetic).count();
        word > 0
            && COMPARISONS
                .iter()
                .any(|known| text[word..].trim_start().starts_with(known))
    }
}

const COMPARISONS: [&str; 6] = ["!=", "<=", ">=", "=", "<", ">"];
const ALONE: [(&str, Term); 4] = [
    ("failed", Term::Failed(true)),
    ("ok", Term::Failed(false)),
    ("startup", Term::Startup(true)),
    ("program", Term::Startup(false)),
];
/// As they are shown.
const FIELDS: &str = "rank, pid, thread, host, file, dir, object, site, op, class, layer, during, start, end, dur, len, bytes, off, fd, ret, errno, on; \
    failed, ok, startup and program have no value";

/// What a field's values are.
enum Field {
    Number(Number, Quantity),
    Name(Name),
    Class,
    During,
    On,
}

fn field(word: &str) -> Option<Field> {
    let number = |number, quantity| Some(Field::Number(number, quantity));
    match word {
        "rank" => number(Number::Rank, Quantity::Count),
        "pid" => number(Number::Pid, Quantity::Count),
        "thread" => number(Number::Thread, Quantity::Count),
        "fd" => number(Number::Fd, Quantity::Count),
        "ret" => number(Number::Ret, Quantity::Count),
        "errno" => number(Number::Errno, Quantity::Count),
        "off" | "offset" => number(Number::Offset, Quantity::Bytes),
        "len" | "length" => number(Number::Length, Quantity::Bytes),
        "bytes" => number(Number::Bytes, Quantity::Bytes),
        "dur" | "elapse" => number(Number::Elapse, Quantity::Time),
        "start" => number(Number::Start, Quantity::Time),
        "end" => number(Number::End, Quantity::Time),
        "during" | "time" => Some(Field::During),
        "class" => Some(Field::Class),
        "on" => Some(Field::On),
        "file" | "path" => Some(Field::Name(Name::File)),
        "dir" => Some(Field::Name(Name::Dir)),
        "op" => Some(Field::Name(Name::Op)),
        "layer" => Some(Field::Name(Name::Layer)),
        "host" => Some(Field::Name(Name::Host)),
        "site" => Some(Field::Name(Name::Site)),
        "object" | "dataset" => Some(Field::Name(Name::Object)),
        _ => None,
    }
}

fn term(list: &[Piece]) -> Result<Term> {
    let first = list[0];
    if let ([_], Some((_, term))) = (list, ALONE.iter().find(|(word, _)| *word == first.text)) {
        return Ok(term.clone());
    }
    let word = first
        .text
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .count();
    let (name, rest) = first.text.split_at(word);
    let Some(field) = field(name) else {
        return Err((first.at, format!("no field `{name}`; fields are {FIELDS}")));
    };
    let after = first.at + word + (rest.len() - rest.trim_start().len());
    let found = COMPARISONS
        .into_iter()
        .find(|known| rest.trim_start().starts_with(known));
    let Some(comparison) = found else {
        return Err((
            after,
            format!("{name} must be followed by one of = != < <= > >="),
        ));
    };
    let value = after + comparison.len();
    let values: Vec<Piece> =
        std::iter::once(trimmed(first.text, value - first.at, first.text.len()))
            .map(|piece| Piece {
                at: piece.at + first.at,
                ..piece
            })
            .chain(list[1..].iter().copied())
            .collect();
    match field {
        Field::Number(number, quantity) => numbers(number, quantity, comparison, &values, after),
        Field::During => during(comparison, &values, after),
        Field::Class => classes(equality(comparison, after, "class")?, &values),
        Field::On => media(equality(comparison, after, "on")?, &values),
        Field::Name(name) => names(name, equality(comparison, after, "a name")?, &values),
    }
}

/// Whether it is `=`; neither that nor `!=` is an error.
fn equality(comparison: &str, at: usize, what: &str) -> Result<bool> {
    match comparison {
        "=" => Ok(true),
        "!=" => Ok(false),
        _ => Err((at, format!("{what} can be compared with = and != only"))),
    }
}

fn numbers(
    number: Number,
    quantity: Quantity,
    comparison: &str,
    values: &[Piece],
    at: usize,
) -> Result<Term> {
    if matches!(comparison, "=" | "!=") {
        let ranges = values
            .iter()
            .map(|value| range(number, quantity, *value))
            .collect::<Result<_>>()?;
        return Ok(Term::Among(number, comparison == "=", ranges));
    }
    let [value] = values else {
        return Err((
            at,
            format!("{comparison} takes one value; only = and != take lists"),
        ));
    };
    let limit = single(number, quantity, *value)?;
    let range = match comparison {
        "<" => i64::MIN..=limit.saturating_sub(1),
        "<=" => i64::MIN..=limit,
        ">" => limit.saturating_add(1)..=i64::MAX,
        _ => limit..=i64::MAX,
    };
    Ok(Term::Among(number, true, vec![range]))
}

/// `7`, `4-7`, `4..7`; either end may be missing behind `..`.
fn range(number: Number, quantity: Quantity, value: Piece) -> Result<RangeInclusive<i64>> {
    let dots = value.text.split_once("..");
    let dash = || {
        value
            .text
            .split_once('-')
            .filter(|(first, _)| !first.trim().is_empty())
    };
    let (first, last, gap) = match dots
        .map(|(first, last)| (first, last, 2))
        .or(dash().map(|(a, b)| (a, b, 1)))
    {
        Some(ends) => ends,
        None => {
            let single = single(number, quantity, value)?;
            return Ok(single..=single);
        }
    };
    let end = |text: &str, at: usize, open: i64| match text.trim() {
        "" if dots.is_some() => Ok(open),
        _ => single(number, quantity, Piece { text, at }),
    };
    let range =
        end(first, value.at, i64::MIN)?..=end(last, value.at + first.len() + gap, i64::MAX)?;
    match range.is_empty() {
        true => Err((value.at, "the range ends before it begins".to_owned())),
        false => Ok(range),
    }
}

fn single(number: Number, quantity: Quantity, value: Piece) -> Result<i64> {
    let text = unquoted(value.text);
    let named = if number == Number::Errno {
        errno_of(text)
    } else {
        None
    };
    named.or_else(|| quantity.read(text)).ok_or_else(|| {
        let example = if number == Number::Errno {
            "an error's number or name, as ENOENT or MPI_ERR_IO"
        } else {
            quantity.example()
        };
        (value.at, format!("expected {example}"))
    })
}

fn errno_of(name: &str) -> Option<i64> {
    let (number, is_class) = errno::any_number(&name.to_ascii_uppercase())?;
    Some(error(number, is_class))
}

/// The time that calls were under way in.
fn during(comparison: &str, values: &[Piece], at: usize) -> Result<Term> {
    let [value] = values else {
        return Err((
            at,
            "only one time or range is allowed here; use another --where for more".to_owned(),
        ));
    };
    match numbers(Number::Start, Quantity::Time, comparison, values, at)? {
        Term::Among(_, true, ranges) if ranges.len() == 1 => Ok(Term::During(ranges[0].clone())),
        _ => Err((
            value.at,
            "it is a range (during=10..20) or a limit (during>=10)".to_owned(),
        )),
    }
}

fn unquoted(text: &str) -> &str {
    let within = |quote| {
        text.strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
    };
    within('"').or(within('\'')).unwrap_or(text)
}

fn names(name: Name, wanted: bool, values: &[Piece]) -> Result<Term> {
    let globs = values.iter().map(|value| {
        let text = unquoted(value.text);
        match glob::check(text.as_bytes()) {
            _ if text.is_empty() => Err((value.at, "expected a name or a pattern".to_owned())),
            Err(glob::Fault::OpenBracket) => Err((value.at, "a `[` without its `]`".to_owned())),
            Err(glob::Fault::LoneBackslash) => Err((value.at, "a lone `\\` at the end".to_owned())),
            Ok(()) => Ok(text.as_bytes().to_owned()),
        }
    });
    Ok(Term::Named(name, wanted, globs.collect::<Result<_>>()?))
}

const KINDS: [Kind; 11] = [
    Kind::Read,
    Kind::Write,
    Kind::Open,
    Kind::Close,
    Kind::Seek,
    Kind::Sync,
    Kind::Meta,
    Kind::Map,
    Kind::Process,
    Kind::Wait,
    Kind::Other,
];

fn classes(wanted: bool, values: &[Piece]) -> Result<Term> {
    let kinds = values
        .iter()
        .map(|value| word(*value, &KINDS, Kind::name, "class of calls; classes"));
    Ok(Term::Class(wanted, kinds.collect::<Result<_>>()?))
}

fn media(wanted: bool, values: &[Piece]) -> Result<Term> {
    let named = values.iter().map(|value| {
        word(
            *value,
            &Medium::ALL,
            Medium::name,
            "place for files; places",
        )
    });
    let named: Vec<Medium> = named.collect::<Result<_>>()?;
    let all = Medium::ALL.into_iter();
    Ok(Term::On(
        all.filter(|medium| named.contains(medium) == wanted)
            .collect(),
    ))
}

/// The one of this name.
fn word<T: Copy>(value: Piece, all: &[T], name: fn(T) -> &'static str, what: &str) -> Result<T> {
    let found = all
        .iter()
        .copied()
        .find(|one| name(*one) == unquoted(value.text));
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().copied().map(name).collect();
        (value.at, format!("no such {what} are {}", names.join(", ")))
    })
}
