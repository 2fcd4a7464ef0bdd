//! Details as `iota text -v` prints them. What a field counts is known by how its value looks, so that it is printed the same
//! again.

use crate::lines::{number, path, wrong};
use iota_calls::{MOST_FIELDS, Unit};
use iota_trace::text::{SECOND_OFFSET, SECOND_PATH, WHENCE, WORDS};

/// The details of one form
#[derive(Debug, PartialEq, Eq)]
pub struct FormDetails {
    /// The form's name
    pub form: Vec<u8>,
    /// Its fields, and their values
    pub fields: Vec<(Unit, Vec<u8>)>,
    pub values: Vec<Value>,
}

/// A field's value
#[derive(Debug, PartialEq, Eq)]
pub enum Value {
    Number(u64),
    Text(Vec<u8>),
}

/// What a column says
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ParsedDetails {
    pub flags: u16,
    pub whence: Option<u16>,
    pub second_path: Option<Vec<u8>>,
    pub second_offset: Option<i64>,
    pub forms: Vec<FormDetails>,
}

/// Words, then forms
pub fn parse(column: &[u8]) -> Result<ParsedDetails, String> {
    let (mut rest, mut parsed) = (column, ParsedDetails::default());
    while let Some(behind) = parsed.word(rest) {
        rest = behind.strip_prefix(b" ").unwrap_or(behind);
    }
    while !rest.is_empty() {
        let (one, behind) = form(rest).ok_or_else(|| wrong("details", column))?;
        parsed.forms.push(one);
        rest = behind.strip_prefix(b" ").unwrap_or(behind);
    }
    Ok(parsed)
}

impl ParsedDetails {
    /// Takes the first word, if it is one, and returns what is behind it.
    fn word<'c>(&mut self, column: &'c [u8]) -> Option<&'c [u8]> {
        if let Some(quoted) = column.strip_prefix(SECOND_PATH.as_bytes()) {
            let (path2, behind) = split(quoted.strip_prefix(b"\"")?, |byte| byte == b'"')?;
            self.second_path = path(path2);
            return Some(behind);
        }
        let end = column.iter().position(|byte| *byte == b' ');
        let (first, behind) = column.split_at(end.unwrap_or(column.len()));
        if let Some(whence) = first.strip_prefix(WHENCE.as_bytes()) {
            self.whence = Some(number("whence", whence).ok()?);
        } else if let Some(offset) = first.strip_prefix(SECOND_OFFSET.as_bytes()) {
            self.second_offset = Some(number("second position", offset).ok()?);
        } else {
            let mut known = WORDS.iter().filter(|(_, word)| word.as_bytes() == first);
            self.flags |= known.next()?.0;
        }
        Some(behind)
    }
}

/// A form up to its `}`, and what is behind that
fn form(column: &[u8]) -> Option<(FormDetails, &[u8])> {
    let (name, mut rest) = split(column, |byte| byte == b'{')?;
    let mut parsed = FormDetails {
        form: path(name).unwrap_or_default(),
        fields: Vec::new(),
        values: Vec::new(),
    };
    loop {
        if let Some(behind) = rest.strip_prefix(b"}") {
            return (parsed.fields.len() <= MOST_FIELDS).then_some((parsed, behind));
        }
        let (name, behind) = split(rest, |byte| byte == b'=')?;
        let (unit, value, behind) = value(behind)?;
        parsed.fields.push((unit, path(name).unwrap_or_default()));
        parsed.values.push(value);
        rest = behind.strip_prefix(b" ").unwrap_or(behind);
    }
}

fn value(text: &[u8]) -> Option<(Unit, Value, &[u8])> {
    if let Some(quoted) = text.strip_prefix(b"\"") {
        let (quoted, behind) = split(quoted, |byte| byte == b'"')?;
        return Some((
            Unit::Text,
            Value::Text(path(quoted).unwrap_or(b"-".to_vec())),
            behind,
        ));
    }
    let end = text.iter().position(|byte| matches!(byte, b' ' | b'}'))?;
    let (word, behind) = text.split_at(end);
    let word = str::from_utf8(word).ok()?;
    // A text whose bytes are not known is given by its number.
    let unknown = word.strip_prefix('#');
    let (unit, number) = match word.strip_prefix("0x") {
        Some(digits) => (Unit::Bits, u64::from_str_radix(digits, 16).ok()?),
        None if unknown.is_some() => (Unit::Text, unknown?.parse().ok()?),
        // What none is of this unit is 0.
        None if word == "-" => (Unit::Call, 0),
        None if word.starts_with('-') => (Unit::Signed, word.parse::<i64>().ok()? as u64),
        None => (Unit::Number, word.parse().ok()?),
    };
    Some((unit, Value::Number(number), behind))
}

/// What is before the first such byte, and what is behind it
fn split(text: &[u8], is_end: impl Fn(u8) -> bool) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| is_end(*byte))?;
    Some((&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_printed_is_understood() {
        let parsed =
            parse(b"cause{thread=1 call=-} 77{} x{t=\"a} =\\x22\\t\" n=-5 b=0x1f u=\"-\"}")
                .unwrap();
        assert_eq!(parsed.flags, 0);
        let all = parsed.forms;
        let field = |unit, name: &str| (unit, name.as_bytes().to_vec());
        assert_eq!(
            all[0].fields,
            [field(Unit::Number, "thread"), field(Unit::Call, "call")]
        );
        assert_eq!((&all[1].form[..], all[1].fields.len()), (&b"77"[..], 0));
        let values = [
            Value::Text(b"a} =\"\t".to_vec()),
            Value::Number(5u64.wrapping_neg()),
            Value::Number(31),
            Value::Text(b"-".to_vec()),
        ];
        assert_eq!(all[2].values, values);
        let parsed = parse(b"startup under_library startup{}").unwrap();
        assert_eq!(
            (parsed.flags, &parsed.forms[0].form[..]),
            (36, &b"startup"[..])
        );
        assert_eq!(parse(b"asynchronous").unwrap().flags, 16);
        let parsed = parse(b"asynchronous whence=8 path2=\"/a \\x22b\\t\" off2=7 x{}").unwrap();
        assert_eq!(
            (parsed.flags, parsed.whence, parsed.second_offset),
            (16, Some(8), Some(7))
        );
        assert_eq!(parsed.second_path.as_deref(), Some(&b"/a \"b\t"[..]));
        assert_eq!(parsed.forms.len(), 1);
        for bad in [
            "x",
            "startupx",
            "whence=",
            "whence=65536",
            "path2=/a",
            "path2=\"/a",
            "off2=x",
            "x{} startup",
            "x{",
            "x{a}",
            "x{a=}",
            "x{a=1",
            "x{a=\"b}",
            "x{a=z}",
        ] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
