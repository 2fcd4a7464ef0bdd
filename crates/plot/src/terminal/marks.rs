//! What stands for colours where there are none: a character for each colour of a legend, shades for a scale.

use crate::colours::{Colour, WHITE};
use crate::figure::{Figure, Panel};

/// One for each colour that a legend tells; the fifth of a file map is the hole.
const MARKS: [char; 10] = ['#', 'o', '+', 'x', '.', '*', '=', '%', ':', '@'];
/// A colour is mixed with the paper's to this share at least.
const FAINTEST: f64 = 0.2;

/// The characters of a figure's colours, the same in all of its panels; none if there is one thing only.
pub struct Marks(Vec<(Colour, char)>);

impl Marks {
    pub fn of(figure: &Figure) -> Marks {
        let mut colours: Vec<Colour> = Vec::new();
        for (colour, _) in figure.panels.iter().flat_map(|panel| &panel.legend) {
            if !colours.contains(colour) {
                colours.push(*colour);
            }
        }
        let has_scale = figure.panels.iter().any(|panel| panel.scale.is_some());
        if colours.len() < 2 && !has_scale {
            colours.clear();
        }
        Marks(colours.into_iter().zip(MARKS.into_iter().cycle()).collect())
    }

    /// The character of a colour, whole or paler, in a panel: that of the nearest in its legend, or
    /// in the figure's if it has none.
    pub fn mark(&self, panel: &Panel, colour: Colour) -> Option<char> {
        let is_listed = |of: &Colour| panel.legend.iter().any(|(listed, _)| listed == of);
        let lists_none = panel.legend.is_empty() && panel.scale.is_none();
        let marks = self.0.iter().filter(|(of, _)| lists_none || is_listed(of));
        let marks = marks.map(|(of, mark)| (away(colour, *of), *mark));
        let scale = panel.scale.iter().flat_map(|scale| &scale.colours);
        let scale = scale.map(|of| (colour.square(*of), shade(colour)));
        let nearest = marks.chain(scale).min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map(|(_, mark)| mark)
    }
}

/// How far one is from another, or from what is mixed of that and paper.
fn away(one: Colour, full: Colour) -> f64 {
    let steps = (0..=16).map(|step| FAINTEST + (1.0 - FAINTEST) * f64::from(step) / 16.0);
    let mixed = steps.map(|share| one.square(WHITE.towards(full, share)));
    mixed.fold(f64::MAX, f64::min)
}

/// Characters from nothing to all.
pub(super) const SHADES: [char; 4] = ['\u{2591}', '\u{2592}', '\u{2593}', '\u{2588}'];

/// The darker the fuller.
pub(super) fn shade(colour: Colour) -> char {
    SHADES[((255 - colour.light()) * SHADES.len() as u32 / 256) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::{Axis, Unit};
    use crate::colours::{PALE, READ, WRITE, intensity};
    use crate::figure::Scale;

    fn panel() -> Panel {
        let axis = || Axis::new("", Unit::Index, 0.0, 1.0);
        Panel::new("", axis(), axis())
    }

    fn figure(panels: Vec<Panel>) -> Figure {
        Figure {
            title: String::new(),
            subtitle: String::new(),
            notes: Vec::new(),
            panels,
        }
    }

    #[test]
    fn pale_colours_have_the_mark_of_full_ones() {
        let black = Colour(0, 0, 0);
        let legend = panel().telling(READ, "read").telling(WRITE, "written");
        let legend = legend.telling(black, "overwritten").telling(PALE, "hole");
        let figure = figure(vec![legend, panel()]);
        let marks = Marks::of(&figure);
        for panel in &figure.panels {
            for (full, mark) in [(READ, '#'), (WRITE, 'o'), (black, '+')] {
                for paper in [WHITE, PALE] {
                    for share in [0.4, 0.7, 1.0] {
                        let pale = paper.towards(full, share);
                        assert_eq!(marks.mark(panel, pale), Some(mark));
                    }
                }
            }
            assert_eq!(marks.mark(panel, PALE), Some('x'));
        }
    }

    #[test]
    fn a_scale_has_shades() {
        let mut panel = panel().telling(WRITE, "straggler");
        let colours: Vec<Colour> = (0..16).map(|n| intensity(f64::from(n) / 15.0)).collect();
        panel.scale = Some(Scale {
            label: String::new(),
            from: String::new(),
            to: String::new(),
            colours: colours.clone(),
        });
        let figure = figure(vec![panel]);
        let marks = Marks::of(&figure);
        let mut shades: Vec<char> = (colours.into_iter())
            .filter_map(|colour| marks.mark(&figure.panels[0], colour))
            .collect();
        shades.dedup();
        assert_eq!(shades, SHADES);
        assert_eq!(marks.mark(&figure.panels[0], WRITE), Some('#'));
    }
}
