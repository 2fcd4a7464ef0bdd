//! A figure as data: panels with axes and shapes, in the units of what they show. [`crate::svg`] and [`crate::terminal`]
//! draw it.

use crate::axis::Axis;
use crate::colours::Colour;
use crate::svg::shortened;

/// A picture before it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it shows, in large letters.
    pub title: String,
    /// Of what, and how to read it.
    pub subtitle: String,
    /// What must be known besides, below the panels.
    pub notes: Vec<String>,
    /// Its parts, each with axes of its own.
    pub panels: Vec<Panel>,
}

/// Part of a figure: two axes and what stands between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Where in the figure: left, top, width, height, of a figure of 1 by 1.
    pub place: [f64; 4],
    /// What it shows.
    pub title: String,
    /// Along.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// What is drawn, one upon the other.
    pub shapes: Vec<Shape>,
    /// What colours mean.
    pub legend: Vec<(Colour, String)>,
    /// What a continuous scale means.
    pub scale: Option<Scale>,
}

/// A continuous scale: its name and the values at both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// What is measured.
    pub label: String,
    /// At the beginning.
    pub from: String,
    /// At the end.
    pub to: String,
    /// Colours from beginning to end.
    pub colours: Vec<Colour>,
}

/// Something of one colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The layer that it is on, of those that have a name.
    pub layer: Option<String>,
    /// Its colour; of cells without meaning.
    pub colour: Colour,
    /// How much it hides, from 0 to 1.
    pub opacity: f64,
    /// The shape to draw.
    pub form: Form,
}

/// A form, in the units of the axes.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Left, lower, right, upper of each.
    Boxes(Vec<[f64; 4]>),
    /// Points joined.
    Line(Vec<(f64, f64)>),
    /// From the bottom up to a line.
    Area(Vec<(f64, f64)>),
    /// Points.
    Dots(Vec<(f64, f64)>),
    /// Cells of equal width and height from axis to axis, row by row from the bottom.
    Cells {
        /// Cells in a row.
        columns: usize,
        /// Those that are not empty.
        colours: Vec<Option<Colour>>,
    },
    /// Boxes with names in them.
    Tiles(Vec<Tile>),
}

/// A box with a name in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Left, lower, right, upper.
    pub area: [f64; 4],
    /// What stands in it.
    pub name: String,
    /// What follows if there is room.
    pub share: String,
    /// What is shown of it when pointed at, line by line.
    pub tooltip: Vec<String>,
}

/// Fewer letters of a name say nothing.
const LETTERS: usize = 4;

impl Tile {
    /// What of its name has room in so many letters.
    pub fn label(&self, most: usize) -> String {
        let whole = format!("{} {}", self.name, self.share);
        match whole.chars().count() <= most {
            true => whole,
            false if most < LETTERS => String::new(),
            false => shortened(&self.name, most),
        }
    }
}

impl Shape {
    /// A form of a colour.
    pub fn new(colour: Colour, form: Form) -> Shape {
        Shape {
            layer: None,
            colour,
            opacity: 1.0,
            form,
        }
    }

    /// The same, less of it.
    #[must_use]
    pub fn faint(self, opacity: f64) -> Shape {
        Shape { opacity, ..self }
    }

    /// The same on a layer.
    #[must_use]
    pub fn on(self, layer: impl Into<String>) -> Shape {
        Shape {
            layer: Some(layer.into()),
            ..self
        }
    }
}

impl Panel {
    /// A panel that fills the figure.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Panel {
        Panel {
            place: [0.0, 0.0, 1.0, 1.0],
            title: title.into(),
            x,
            y,
            shapes: Vec::new(),
            legend: Vec::new(),
            scale: None,
        }
    }

    /// The same elsewhere.
    #[must_use]
    pub fn at(self, left: f64, top: f64, width: f64, height: f64) -> Panel {
        Panel {
            place: [left, top, width, height],
            ..self
        }
    }

    /// With a shape more.
    #[must_use]
    pub fn with(mut self, shape: Shape) -> Panel {
        self.shapes.push(shape);
        self
    }

    /// With a colour explained.
    #[must_use]
    pub fn telling(mut self, colour: Colour, text: impl Into<String>) -> Panel {
        self.legend.push((colour, text.into()));
        self
    }
}
