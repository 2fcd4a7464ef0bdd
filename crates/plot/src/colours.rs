//! Colours that everybody can tell apart: Okabe and Ito's for kinds and few ranks, viridis where there are many or where
//! more is brighter.

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Colour(pub u8, pub u8, pub u8);

/// Reading.
pub const READ: Colour = Colour(0, 114, 178);
/// Writing.
pub const WRITE: Colour = Colour(213, 94, 0);
/// Waiting for storage.
pub const SYNC: Colour = Colour(204, 121, 167);
/// Opening, closing, seeking, names, attributes.
pub const META: Colour = Colour(0, 158, 115);
/// Starting asynchronous transfers, and waiting for them.
pub const WAIT: Colour = Colour(230, 159, 0);
/// What must be seen.
pub const ALARM: Colour = Colour(0, 0, 0);
/// Lines and letters that stand back.
pub const GREY: Colour = Colour(110, 110, 110);
/// Where nothing is.
pub const PALE: Colour = Colour(236, 236, 236);
/// Paper.
pub const WHITE: Colour = Colour(255, 255, 255);

/// Okabe and Ito's, without the black.
const FEW: [Colour; 7] = [
    READ,
    WRITE,
    META,
    SYNC,
    WAIT,
    Colour(86, 180, 233),
    Colour(170, 150, 0),
];

/// More ranks than this are coloured by a continuous scale.
pub const FEW_RANKS: u64 = FEW.len() as u64;

/// Viridis at nine places.
const VIRIDIS: [Colour; 9] = [
    Colour(68, 1, 84),
    Colour(71, 44, 122),
    Colour(59, 81, 139),
    Colour(44, 113, 142),
    Colour(33, 144, 141),
    Colour(39, 173, 129),
    Colour(92, 200, 99),
    Colour(170, 220, 50),
    Colour(253, 231, 37),
];

impl Colour {
    /// `share` of the way to another, from 0 to 1.
    pub fn towards(self, other: Colour, share: f64) -> Colour {
        let mixed = |from: u8, to: u8| {
            let (from, to) = (f64::from(from), f64::from(to));
            (from + (to - from) * share.clamp(0.0, 1.0)).round() as u8
        };
        Colour(
            mixed(self.0, other.0),
            mixed(self.1, other.1),
            mixed(self.2, other.2),
        )
    }

    /// How bright it looks, up to 255.
    pub(crate) fn light(self) -> u32 {
        (u32::from(self.0) * 3 + u32::from(self.1) * 6 + u32::from(self.2)) / 10
    }

    /// The square of the distance to another.
    pub(crate) fn square(self, other: Colour) -> f64 {
        let apart = |one: u8, other: u8| f64::from(one.abs_diff(other)).powi(2);
        apart(self.0, other.0) + apart(self.1, other.1) + apart(self.2, other.2)
    }

    /// That of letters upon it.
    pub fn ink(self) -> Colour {
        if self.light() < 100 { WHITE } else { ALARM }
    }

    /// As `#rrggbb`.
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// Viridis at `share` of its length.
pub fn viridis(share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let below = (at as usize).min(VIRIDIS.len() - 2);
    VIRIDIS[below].towards(VIRIDIS[below + 1], at - below as f64)
}

/// A sequence on white paper: nothing is pale, most is dark.
pub fn intensity(share: f64) -> Colour {
    viridis(1.0 - share)
}

/// That of place `at` among `count`: one of few, or on the scale, which ends before it gets too bright for paper.
pub fn among(at: u64, count: u64) -> Colour {
    if count <= FEW_RANKS {
        FEW[at as usize % FEW.len()]
    } else {
        viridis(at as f64 / (count - 1).max(1) as f64 * 0.95)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_begin_and_end_where_they_should() {
        assert_eq!(viridis(0.0), VIRIDIS[0]);
        assert_eq!(viridis(1.0), VIRIDIS[8]);
        assert_eq!(viridis(7.0), VIRIDIS[8]);
        assert_eq!(READ.towards(WRITE, 1.0), WRITE);
        assert_eq!(among(1, 2).hex(), "#d55e00");
        assert_ne!(among(0, 10_000), among(5_000, 10_000));
    }
}
