//! A picture as PDF: the paths and the text of the SVG, so that it stays sharp at every size. The letters are in the file.

mod letters;

use crate::png::Error;
use letters::{LEVEL, Letters};
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, TextStr};
use resvg::usvg::layout::Span;
use resvg::usvg::tiny_skia_path::PathSegment;
use resvg::usvg::{
    Fill, FillRule, Group, LineCap, LineJoin, Node, Paint, Path, Stroke, Text, Transform,
};
use std::collections::BTreeSet;

/// Points of a page for each unit of an SVG, which is a 96th of an inch.
const POINTS: f32 = 0.75;
/// The first object of the font, behind all others.
const FONT: i32 = 6;

/// Draws an SVG on a page of its size.
///
/// # Errors
/// The text is no SVG, or it has more than paths and text in plain colours.
pub fn render(svg: &str, title: &str) -> Result<Vec<u8>, Error> {
    let tree = crate::png::tree(svg)?;
    let size = [tree.size().width() * POINTS, tree.size().height() * POINTS];
    let mut page = Page {
        content: Content::new(),
        // The origin of a page is its lower left corner.
        place: Transform::from_row(POINTS, 0.0, 0.0, -POINTS, 0.0, size[1]),
        opacities: BTreeSet::new(),
        letters: Letters::new()?,
    };
    page.group(tree.root())?;
    page.document(size, title)
}

/// What is on the page.
struct Page {
    content: Content,
    place: Transform,
    /// In 255ths.
    opacities: BTreeSet<u8>,
    letters: Letters,
}

impl Page {
    fn group(&mut self, group: &Group) -> Result<(), Error> {
        if group.should_isolate() {
            return Err(Error::of("a group that is drawn by itself has no PDF"));
        }
        group.children().iter().try_for_each(|node| match node {
            Node::Group(group) => self.group(group),
            Node::Text(text) => self.text(text),
            Node::Path(path) => self.path(path),
            Node::Image(_) => Err(Error::of("an image has no PDF")),
        })
    }

    /// Letters, or their outlines where there is more to draw than letters in a colour.
    fn text(&mut self, text: &Text) -> Result<(), Error> {
        let spans = text.layouted();
        if !spans.iter().all(is_plain) {
            return self.group(text.flattened());
        }
        let to = self.place.pre_concat(text.abs_transform());
        for span in spans.iter().filter(|span| span.visible) {
            let Some(fill) = &span.fill else { continue };
            let [red, green, blue] = colour(fill.paint())?;
            self.opacity(fill.opacity().to_u8());
            self.content.set_fill_rgb(red, green, blue);
            self.content.begin_text().set_font(letters::NAME, 1.0);
            self.letters
                .show(&mut self.content, to, &span.positioned_glyphs);
            self.content.end_text();
        }
        Ok(())
    }

    /// The fill is below the stroke, as in the SVG.
    fn path(&mut self, path: &Path) -> Result<(), Error> {
        if !path.is_visible() {
            return Ok(());
        }
        let to = self.place.pre_concat(path.abs_transform());
        self.content.save_state();
        self.content
            .transform([to.sx, to.ky, to.kx, to.sy, to.tx, to.ty]);
        if let Some(fill) = path.fill() {
            self.fill(path, fill)?;
        }
        if let Some(stroke) = path.stroke() {
            self.stroke(path, stroke)?;
        }
        self.content.restore_state();
        Ok(())
    }

    fn fill(&mut self, path: &Path, fill: &Fill) -> Result<(), Error> {
        let [red, green, blue] = colour(fill.paint())?;
        self.opacity(fill.opacity().to_u8());
        self.content.set_fill_rgb(red, green, blue);
        self.outline(path);
        match fill.rule() {
            FillRule::NonZero => self.content.fill_nonzero(),
            FillRule::EvenOdd => self.content.fill_even_odd(),
        };
        Ok(())
    }

    fn stroke(&mut self, path: &Path, stroke: &Stroke) -> Result<(), Error> {
        let [red, green, blue] = colour(stroke.paint())?;
        self.opacity(stroke.opacity().to_u8());
        self.content
            .set_stroke_rgb(red, green, blue)
            .set_line_width(stroke.width().get())
            .set_line_cap(cap(stroke.linecap()))
            .set_line_join(join(stroke.linejoin()))
            .set_miter_limit(stroke.miterlimit().get());
        if let Some(dashes) = stroke.dasharray() {
            let dashes = dashes.iter().copied();
            self.content.set_dash_pattern(dashes, stroke.dashoffset());
        }
        self.outline(path);
        self.content.stroke();
        Ok(())
    }

    fn opacity(&mut self, opacity: u8) {
        self.opacities.insert(opacity);
        self.content
            .set_parameters(Name(name_of(opacity).as_bytes()));
    }

    /// Curves have two control points; those of one have it at two thirds of the way to either end.
    fn outline(&mut self, path: &Path) {
        let (mut x, mut y) = (0.0, 0.0);
        for segment in path.data().segments() {
            let end = match segment {
                PathSegment::MoveTo(to) => {
                    self.content.move_to(to.x, to.y);
                    to
                }
                PathSegment::LineTo(to) => {
                    self.content.line_to(to.x, to.y);
                    to
                }
                PathSegment::QuadTo(by, to) => {
                    let near = |from: f32, by: f32| from + (by - from) * 2.0 / 3.0;
                    let (x1, y1) = (near(x, by.x), near(y, by.y));
                    let (x2, y2) = (near(to.x, by.x), near(to.y, by.y));
                    self.content.cubic_to(x1, y1, x2, y2, to.x, to.y);
                    to
                }
                PathSegment::CubicTo(one, two, to) => {
                    self.content
                        .cubic_to(one.x, one.y, two.x, two.y, to.x, to.y);
                    to
                }
                PathSegment::Close => {
                    self.content.close_path();
                    continue;
                }
            };
            (x, y) = (end.x, end.y);
        }
    }

    fn document(self, [width, height]: [f32; 2], title: &str) -> Result<Vec<u8>, Error> {
        let [catalog, pages, page_id, content, about, font] = [1, 2, 3, 4, 5, FONT].map(Ref::new);
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page_id]).count(1);
        let mut page = pdf.page(page_id);
        page.media_box(Rect::new(0.0, 0.0, width, height));
        page.parent(pages).contents(content);
        let mut resources = page.resources();
        let mut states = resources.ext_g_states();
        for opacity in &self.opacities {
            let part = f32::from(*opacity) / 255.0;
            let mut state = states
                .insert(Name(name_of(*opacity).as_bytes()))
                .start::<pdf_writer::writers::ExtGraphicsState>();
            state.non_stroking_alpha(part).stroking_alpha(part);
        }
        states.finish();
        if !self.letters.is_empty() {
            resources.fonts().pair(letters::NAME, font);
        }
        resources.finish();
        page.finish();
        let bytes = compress_to_vec_zlib(&self.content.finish(), LEVEL);
        pdf.stream(content, &bytes).filter(Filter::FlateDecode);
        pdf.document_info(about)
            .title(TextStr(title))
            .producer(TextStr("iota"));
        if !self.letters.is_empty() {
            self.letters.write(&mut pdf, FONT)?;
        }
        Ok(pdf.finish())
    }
}

fn is_plain(span: &Span) -> bool {
    let lines = [&span.underline, &span.overline, &span.line_through];
    span.stroke.is_none() && lines.iter().all(|line| line.is_none())
}

fn name_of(opacity: u8) -> String {
    format!("a{opacity}")
}

fn colour(paint: &Paint) -> Result<[f32; 3], Error> {
    match paint {
        Paint::Color(of) => Ok([of.red, of.green, of.blue].map(|part| f32::from(part) / 255.0)),
        _ => Err(Error::of("a paint that is no plain colour has no PDF")),
    }
}

fn cap(cap: LineCap) -> LineCapStyle {
    match cap {
        LineCap::Butt => LineCapStyle::ButtCap,
        LineCap::Round => LineCapStyle::RoundCap,
        LineCap::Square => LineCapStyle::ProjectingSquareCap,
    }
}

fn join(join: LineJoin) -> LineJoinStyle {
    match join {
        LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
        LineJoin::Round => LineJoinStyle::RoundJoin,
        LineJoin::Bevel => LineJoinStyle::BevelJoin,
    }
}
