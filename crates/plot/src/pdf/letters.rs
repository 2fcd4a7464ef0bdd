//! Text of a page: the letters that are drawn, as a font of their own in the file, with what each of them means. So text can
//! be searched and copied, and is drawn with the font's hints.

use crate::png::{Error, FONT};
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Name, Pdf, Rect, Ref, Str};
use resvg::usvg::Transform;
use resvg::usvg::layout::PositionedGlyph;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::{GlyphMetrics, Metrics};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use std::collections::HashMap;
use subsetter::GlyphRemapper;

pub(super) const LEVEL: u8 = 6;

/// What the font is called on the page.
pub(super) const NAME: Name = Name(b"f");
/// Widths and corrections are in thousandths of a letter's size.
const PARTS: f32 = 1000.0;
const ORDER: SystemInfo = SystemInfo {
    registry: Str(b"Adobe"),
    ordering: Str(b"Identity"),
    supplement: 0,
};

/// Letters by the codes that the page has for them. A code is a shape with a meaning: letters that the font lacks share one
/// shape.
pub(super) struct Letters {
    codes: HashMap<(u16, String), u16>,
    all: Vec<Letter>,
    font: FontRef<'static>,
}

struct Letter {
    shape: u16,
    /// Empty of a shape that another one stands for, as of an accent.
    meaning: String,
    width: f32,
}

impl Letters {
    pub fn new() -> Result<Letters, Error> {
        let font = FontRef::new(FONT).map_err(|error| Error::of(&error.to_string()))?;
        Ok(Letters {
            codes: HashMap::new(),
            all: Vec::new(),
            font,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn metrics(&self) -> (Metrics, GlyphMetrics<'static>) {
        let (size, location) = (Size::unscaled(), LocationRef::default());
        (
            self.font.metrics(size, location),
            self.font.glyph_metrics(size, location),
        )
    }

    fn code(&mut self, glyph: &PositionedGlyph) -> u16 {
        // Glyphs of TrueType have 16 bits.
        let shape = glyph.id.0 as u16;
        let known = (shape, glyph.text.clone());
        if let Some(code) = self.codes.get(&known) {
            return *code;
        }
        let (font, each) = self.metrics();
        let advance = each.advance_width(GlyphId::from(shape)).unwrap_or(0.0);
        let code = self.all.len() as u16;
        self.all.push(Letter {
            shape,
            meaning: glyph.text.clone(),
            width: advance * PARTS / f32::from(font.units_per_em),
        });
        self.codes.insert(known, code);
        code
    }

    /// Draws letters, `to` being where on the page the picture's units lie.
    pub fn show(&mut self, content: &mut Content, to: Transform, glyphs: &[PositionedGlyph]) {
        let em = f32::from(self.metrics().0.units_per_em);
        for line in glyphs.chunk_by(are_on_a_line) {
            let first = line[0].outline_transform();
            let at = to.pre_concat(first).pre_scale(em, em);
            content.set_text_matrix([at.sx, at.ky, at.kx, at.sy, at.tx, at.ty]);
            let mut shown = content.show_positioned();
            let mut items = shown.items();
            let (mut codes, mut drawn) = (Vec::new(), 0.0);
            for glyph in line {
                let x = (glyph.outline_transform().tx - first.tx) / first.sx * PARTS / em;
                // Kerning: less than a thousandth is the error of the numbers.
                let back = (drawn - x).round();
                if back != 0.0 {
                    items.show(Str(&codes)).adjust(back);
                    codes.clear();
                    drawn -= back;
                }
                let code = self.code(glyph);
                drawn += self.all[usize::from(code)].width;
                codes.extend(code.to_be_bytes());
            }
            items.show(Str(&codes));
        }
    }

    /// Writes the font; `next` is the number of an object that is free, as are those behind it.
    pub fn write(&self, pdf: &mut Pdf, next: i32) -> Result<(), Error> {
        let [font, letters, about, file, meanings, shapes] =
            std::array::from_fn(|n| Ref::new(next + n as i32));
        let name = self.name();
        let name = Name(name.as_bytes());
        pdf.type0_font(font)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(letters)
            .to_unicode(meanings);
        let mut cid = pdf.cid_font(letters);
        cid.subtype(CidFontType::Type2)
            .base_font(name)
            .system_info(ORDER)
            .font_descriptor(about)
            .cid_to_gid_map_stream(shapes);
        cid.widths()
            .consecutive(0, self.all.iter().map(|letter| letter.width));
        drop(cid);
        self.describe(pdf, about, name, file);
        let mut kept = GlyphRemapper::new();
        let places = self.all.iter().map(|letter| kept.remap(letter.shape));
        let places: Vec<u8> = places.flat_map(u16::to_be_bytes).collect();
        let outlines = subsetter::subset(FONT, 0, &kept);
        let outlines = outlines.map_err(|error| Error::of(&error.to_string()))?;
        stream(pdf, file, &outlines);
        stream(pdf, shapes, &places);
        let mut map = UnicodeCmap::new(Name(b"Custom"), ORDER);
        for (code, letter) in (0u16..).zip(&self.all) {
            if !letter.meaning.is_empty() {
                map.pair_with_multiple(code, letter.meaning.chars());
            }
        }
        stream(pdf, meanings, &map.finish());
        Ok(())
    }

    fn describe(&self, pdf: &mut Pdf, about: Ref, name: Name, file: Ref) {
        let (font, _) = self.metrics();
        let parts = |units: f32| units * PARTS / f32::from(font.units_per_em);
        let bounds = font.bounds.unwrap_or_default();
        let bounds = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(parts);
        let [left, below, right, above] = bounds;
        pdf.font_descriptor(about)
            .name(name)
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(left, below, right, above))
            .italic_angle(font.italic_angle)
            .ascent(parts(font.ascent))
            .descent(parts(font.descent))
            .cap_height(parts(font.cap_height.unwrap_or(font.ascent)))
            // No font says it; of DejaVu Sans, about.
            .stem_v(90.0)
            .font_file2(file);
    }

    /// Fonts with some of a font's letters begin with six letters, which differ where these do.
    fn name(&self) -> String {
        let mix = |sum: u64, letter: &Letter| {
            (sum ^ u64::from(letter.shape)).wrapping_mul(0x0100_0000_01b3)
        };
        let sum = self.all.iter().fold(0xcbf2_9ce4_8422_2325, mix);
        let letter = |n: u32| char::from(b'A' + (sum / 26u64.pow(n) % 26) as u8);
        let tag: String = (0..6).map(letter).collect();
        format!("{tag}+DejaVuSans")
    }
}

/// Whether the second glyph differs in its place on the line only.
fn are_on_a_line(one: &PositionedGlyph, next: &PositionedGlyph) -> bool {
    let (one, next) = (one.outline_transform(), next.outline_transform());
    let turns = |of: Transform| [of.sx, of.kx, of.ky, of.sy, of.ty];
    one.ky == 0.0 && turns(one) == turns(next)
}

fn stream(pdf: &mut Pdf, number: Ref, bytes: &[u8]) {
    let packed = compress_to_vec_zlib(bytes, LEVEL);
    let mut stream = pdf.stream(number, &packed);
    stream.filter(Filter::FlateDecode);
    // What a font's file comes to; other streams may say it as well.
    stream.pair(Name(b"Length1"), bytes.len() as i32);
}
