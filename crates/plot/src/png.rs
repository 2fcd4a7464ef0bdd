//! A picture as pixels: the SVG itself, rendered, with a font of its own, so that it looks the same on every machine.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

/// DejaVu Sans, whose licence lies beside it.
pub(crate) const FONT: &[u8] = include_bytes!("../font/DejaVuSans.ttf");
/// Pixels on one side, at most.
const MOST: f32 = 16384.0;

/// Why there is no picture.
#[derive(Debug)]
pub struct Error(String);

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub(crate) fn of(text: &str) -> Error {
        Error(text.to_owned())
    }
}

/// Renders an SVG, `zoom` pixels for each of its units.
///
/// # Errors
/// The text is no SVG, or the picture is empty or beyond what can be drawn.
pub fn render(svg: &str, zoom: f32) -> Result<Vec<u8>, Error> {
    let tree = tree(svg)?;
    let size = tree.size();
    let (width, height) = (size.width() * zoom, size.height() * zoom);
    let fits = width >= 1.0 && height >= 1.0 && width <= MOST && height <= MOST;
    let map = fits.then(|| Pixmap::new(width as u32, height as u32));
    let Some(mut map) = map.flatten() else {
        return Err(Error(format!("no picture has {width} by {height} pixels")));
    };
    resvg::render(&tree, Transform::from_scale(zoom, zoom), &mut map.as_mut());
    map.encode_png().map_err(|error| Error(error.to_string()))
}

/// The SVG's elements.
pub(crate) fn tree(svg: &str) -> Result<Tree, Error> {
    Tree::from_str(svg, &options()).map_err(|error| Error(error.to_string()))
}

fn options() -> Options<'static> {
    let mut options = Options {
        font_family: "DejaVu Sans".to_owned(),
        ..Options::default()
    };
    Arc::make_mut(&mut options.fontdb).load_font_data(FONT.to_vec());
    options
}
