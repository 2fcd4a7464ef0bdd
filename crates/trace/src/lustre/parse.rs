//! Layouts from the text that [`super::Layout::short`] and [`super::Layout::long`] write.

use super::blob::{Comp, composite, plain};
use super::component::{END_OF_FILE, FOREIGN};

const RAID0: u32 = 0x1;
const INSTANTIATED: u32 = 0x10;

/// The layout that a text tells of, as bytes; none: it tells of none. Of an unknown layout there is the magic number.
pub fn parse(text: &str) -> Option<Vec<u8>> {
    if let Some(kind) = text.strip_prefix("foreign:0x") {
        let kind = u32::from_str_radix(kind, 16).ok()?;
        let fields = [FOREIGN, 0, kind, 0].map(u32::to_le_bytes);
        return Some(fields.concat());
    }
    if let Some(magic) = text.strip_prefix("unknown:0x") {
        return Some(u32::from_str_radix(magic, 16).ok()?.to_le_bytes().to_vec());
    }
    let is_composite = text.split(':').next().and_then(extent).is_some();
    if is_composite {
        let comps: Option<Vec<Comp>> = text.split(';').map(component).collect();
        return Some(composite(&comps?));
    }
    let comp = striping(text)?;
    Some(plain(
        comp.pattern,
        comp.size,
        comp.count,
        &comp.osts,
        comp.pool.as_deref(),
    ))
}

/// `START-END:` and a striping.
fn component(text: &str) -> Option<Comp> {
    let (range, rest) = text.split_once(':')?;
    let (start, end) = extent(range)?;
    Some(Comp {
        start,
        end,
        ..striping(rest)?
    })
}

fn extent(text: &str) -> Option<(u64, u64)> {
    let (start, end) = text.split_once('-')?;
    let end = match end {
        "eof" => END_OF_FILE,
        end => end.parse().ok()?,
    };
    Some((start.parse().ok()?, end))
}

/// `size,count,offset,ost...`, then remarks.
fn striping(text: &str) -> Option<Comp> {
    let mut words = text.split(':');
    let mut numbers = words.next()?.split(',');
    let (size, count) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    let first = numbers.next()?;
    let osts: Result<Vec<u32>, _> = numbers.map(str::parse).collect();
    let osts = osts.ok()?;
    let agrees = match osts.first() {
        Some(ost) => first.parse() == Ok(*ost),
        None => first == "-1",
    };
    let mut comp =
        agrees.then(|| Comp::new(0, END_OF_FILE, INSTANTIATED, RAID0, size, count, &osts))?;
    words.all(|word| remark(&mut comp, word)).then_some(comp)
}

fn remark(comp: &mut Comp, word: &str) -> bool {
    match word.split_once('=') {
        Some(("pool", name)) => comp.pool = Some(name.into()),
        Some(("mirror", number)) => match number.parse::<u16>() {
            Ok(number) => comp.id = u32::from(number) << 16,
            Err(_) => return false,
        },
        Some(_) => return false,
        None => match word {
            "mdt" => comp.pattern = 0x100,
            "released" => comp.pattern = 0x8000_0001,
            "foreign" => comp.pattern = 0x400,
            "uninstantiated" => comp.flags &= !INSTANTIATED,
            "stale" => comp.flags |= 0x1,
            "preferred" => comp.flags |= 0x6,
            "parity" => comp.flags |= 0x80,
            "extension" => comp.flags |= 0x40,
            _ => return false,
        },
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::Layout;
    use super::*;

    fn long(blob: &[u8]) -> String {
        let mut room = [0; 4096];
        let length = Layout(blob).long(&mut room).unwrap();
        String::from_utf8(room[..length].to_vec()).unwrap()
    }

    #[test]
    fn what_was_shown_is_read_back() {
        for text in [
            "1048576,2,12,12,3",
            "65536,1,7,7:pool=flash",
            "1048576,4,-1:released",
            "foreign:0x0000cafe",
            "unknown:0x0bd90bd0",
            "0-1048576:1048576,0,-1:mdt;1048576-4194304:1048576,2,4,4,5;4194304-eof:4194304,8,-1:uninstantiated",
            "0-eof:1048576,1,3,3:mirror=2:stale:preferred",
        ] {
            assert_eq!(long(&parse(text).unwrap()), text);
        }
    }

    #[test]
    fn nonsense_is_no_layout() {
        for text in [
            "",
            "-",
            "1,2",
            "1,2,3",
            "1,1,3,4",
            "x,1,-1",
            "1,1,-1:what",
            "0-x:1,1,-1",
            "foreign:0xzz",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
