//! Layouts in text: the string of the tracer's lines, and all components.

use super::component::{Component, END_OF_FILE, Storage};
use super::layout::{Layout, LayoutForm};
use crate::bytes::Put;
use crate::decimal::unsigned;

impl Layout<'_> {
    /// `stripe-size,stripe-count,stripe-offset,ost1{,ost2,...}` of the component that tells most; without objects the
    /// stripe offset is -1. Bytes written; `None`: they did not fit.
    pub fn short(self, out: &mut [u8]) -> Option<usize> {
        let mut put = Put::new(out);
        self.put_short(&mut put);
        put.done()
    }

    /// All components, one behind another with `;`: of a plain layout the string as [`Self::short`] has it, of a
    /// composite one `START-END:` before it, then what is special, each with `:` before it.
    pub fn long(self, out: &mut [u8]) -> Option<usize> {
        let mut put = Put::new(out);
        self.put_long(&mut put);
        put.done()
    }

    /// All components, as [`Self::long`] has them.
    #[cfg(any(test, feature = "std"))]
    pub fn text(self) -> Vec<u8> {
        // No byte of a layout takes as many in text.
        let mut room = vec![0; self.0.len() * 8 + 256];
        let length = self.long(&mut room).unwrap_or(0);
        room.truncate(length);
        room
    }

    pub(crate) fn put_short(self, put: &mut Put) {
        match self.main() {
            Some(part) => striping(put, &part),
            None => self.put_other(put),
        }
    }

    pub(crate) fn put_long(self, put: &mut Put) {
        let mut parts = self.components();
        let Some(first) = parts.next() else {
            return self.put_other(put);
        };
        let is_plain = self.form() == LayoutForm::Plain;
        component(put, &first, is_plain);
        for part in parts {
            put.u8(b';');
            component(put, &part, is_plain);
        }
    }

    fn put_other(self, put: &mut Put) {
        let (name, number): (&[u8], u32) = match self.form() {
            LayoutForm::Foreign(kind) => (b"foreign:0x", kind),
            LayoutForm::Unknown(magic) => (b"unknown:0x", magic),
            _ => (b"unknown:0x", 0),
        };
        put.bytes(name);
        hexadecimal(put, number);
    }
}

fn striping(put: &mut Put, part: &Component) {
    unsigned(put, part.stripe_size.into());
    put.u8(b',');
    unsigned(put, part.stripe_count.into());
    let Some(first) = part.osts().next() else {
        return put.bytes(b",-1");
    };
    put.u8(b',');
    unsigned(put, first.into());
    for ost in part.osts() {
        put.u8(b',');
        unsigned(put, ost.into());
    }
}

fn component(put: &mut Put, part: &Component, is_plain: bool) {
    if !is_plain {
        unsigned(put, part.start);
        put.u8(b'-');
        match part.end {
            END_OF_FILE => put.bytes(b"eof"),
            end => unsigned(put, end),
        }
        put.u8(b':');
    }
    striping(put, part);
    if !part.pool.is_empty() {
        put.bytes(b":pool=");
        part.pool.iter().for_each(|&byte| {
            put.u8(if byte.is_ascii_graphic() { byte } else { b'?' });
        });
    }
    if part.mirror != 0 {
        put.bytes(b":mirror=");
        unsigned(put, part.mirror.into());
    }
    part.remarks().for_each(|remark| {
        put.u8(b':');
        put.bytes(remark.as_bytes());
    });
}

impl Component<'_> {
    /// What is special about it, in a word each.
    pub fn remarks(&self) -> impl Iterator<Item = &'static str> {
        let place = match self.storage() {
            Storage::Osts => None,
            Storage::Mdt => Some("mdt"),
            Storage::Released => Some("released"),
            Storage::Foreign => Some("foreign"),
        };
        let waits = !self.is_instantiated() && self.storage() == Storage::Osts;
        [
            place,
            waits.then_some("uninstantiated"),
            self.is_stale().then_some("stale"),
            self.is_preferred().then_some("preferred"),
            self.is_parity().then_some("parity"),
            self.is_extension().then_some("extension"),
        ]
        .into_iter()
        .flatten()
    }
}

fn hexadecimal(put: &mut Put, number: u32) {
    for shift in [28u32, 24, 20, 16, 12, 8, 4, 0] {
        let digit = (number.wrapping_shr(shift) & 15) as u8;
        put.u8(if digit < 10 { b'0' } else { b'a' - 10 }.wrapping_add(digit));
    }
}

#[cfg(test)]
mod tests {
    use super::super::blob::{Comp, composite, plain};
    use super::super::{FOREIGN, Layout};

    fn both(blob: &[u8]) -> (String, String) {
        let mut room = [0; 4096];
        let layout = Layout(blob);
        let short = layout.short(&mut room).unwrap();
        let short = String::from_utf8(room[..short].to_vec()).unwrap();
        let long = layout.long(&mut room).unwrap();
        (short, String::from_utf8(room[..long].to_vec()).unwrap())
    }

    #[test]
    fn a_plain_layout_is_the_line_of_the_original() {
        let v1 = plain(1, 1 << 20, 2, &[12, 3], None);
        assert_eq!(
            both(&v1),
            ("1048576,2,12,12,3".into(), "1048576,2,12,12,3".into())
        );
        let v3 = plain(1, 65536, 1, &[7], Some("flash"));
        assert_eq!(
            both(&v3),
            ("65536,1,7,7".into(), "65536,1,7,7:pool=flash".into())
        );
    }

    #[test]
    fn a_composite_layout_shows_its_last_objects_and_all_components() {
        let blob = composite(&[
            Comp::new(0, 1 << 20, 0x10, 0x100, 1 << 20, 0, &[]),
            Comp::new(1 << 20, 4 << 20, 0x10, 1, 1 << 20, 2, &[4, 5]),
            Comp::new(4 << 20, u64::MAX, 0, 1, 4 << 20, 8, &[]),
        ]);
        let (short, long) = both(&blob);
        assert_eq!(short, "1048576,2,4,4,5");
        assert_eq!(
            long,
            "0-1048576:1048576,0,-1:mdt;1048576-4194304:1048576,2,4,4,5;4194304-eof:4194304,8,-1:uninstantiated"
        );
        assert!(!Layout(&blob).is_complete());
    }

    #[test]
    fn what_is_not_lustres_own_says_so() {
        let mut foreign = FOREIGN.to_le_bytes().to_vec();
        foreign.extend([4, 0, 0, 0, 0xfe, 0xca, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(both(&foreign).0, "foreign:0x0000cafe");
        assert_eq!(both(&[0xd0, 0x0b, 0xd9, 0x0b]).1, "unknown:0x0bd90bd0");
        assert_eq!(
            both(&plain(0x8000_0001, 1 << 20, 4, &[], None)).1,
            "1048576,4,-1:released"
        );
    }
}
