//! A buffer broken into pieces.

use crate::options::Remainder;
use anyhow::bail;

/// A piece of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it starts in the buffer.
    pub start: u64,
    /// Its bytes.
    pub length: u64,
}

/// The most that Linux moves in one call
const LONGEST: u64 = 0x7fff_f000;

/// `n` pieces; what does not divide evenly goes to the lower ones or to the last.
pub fn divide(bufsz: u64, n: u32, remainder: Remainder) -> anyhow::Result<Vec<Piece>> {
    let count = u64::from(n);
    let (each, rest) = (bufsz / count, bufsz % count);
    if each == 0 {
        bail!("-npieces {n}: a buffer of {bufsz} bytes cannot be divided into so many pieces");
    }
    let length = |piece: u64| match remainder {
        Remainder::Spread => each + u64::from(piece < rest),
        Remainder::Last => each + if piece + 1 == count { rest } else { 0 },
    };
    let mut start = 0;
    let mut next = |piece| {
        let piece = Piece {
            start,
            length: length(piece),
        };
        start += piece.length;
        piece
    };
    let pieces: Vec<Piece> = (0..count).map(&mut next).collect();
    if pieces.iter().any(|piece| piece.length > LONGEST) {
        bail!(
            "-bufsz {bufsz}: a piece has at most {LONGEST} bytes, as many as one call transfers; use more -npieces"
        );
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lengths(bufsz: u64, n: u32, remainder: Remainder) -> Vec<u64> {
        let pieces = divide(bufsz, n, remainder).unwrap();
        pieces.iter().map(|piece| piece.length).collect()
    }

    #[test]
    fn remainder_is_spread_over_the_lower_pieces() {
        assert_eq!(lengths(11, 4, Remainder::Spread), [3, 3, 3, 2]);
        assert_eq!(lengths(11, 4, Remainder::Last), [2, 2, 2, 5]);
        assert_eq!(lengths(12, 4, Remainder::Spread), [3, 3, 3, 3]);
    }

    proptest! {
        #[test]
        fn pieces_cover_the_buffer(bufsz in 1u64..1 << 40, n in 1u32..300, last: bool) {
            let remainder = if last { Remainder::Last } else { Remainder::Spread };
            let Ok(pieces) = divide(bufsz, n, remainder) else {
                prop_assert!(bufsz < n.into() || bufsz / u64::from(n) + u64::from(n) > LONGEST);
                return Ok(());
            };
            let ends = pieces.iter().scan(0, |end, piece| { let start = *end; *end += piece.length; Some((start, *end)) });
            let all: Vec<_> = ends.collect();
            prop_assert!(pieces.iter().zip(&all).all(|(piece, (start, _))| piece.start == *start && piece.length > 0));
            prop_assert_eq!(all.last().unwrap().1, bufsz);
        }
    }

    #[test]
    fn more_pieces_than_bytes_are_refused() {
        assert!(divide(3, 4, Remainder::Spread).is_err());
    }
}
