//! Pages of PDF: what they consist of, and what has none.

use iota_plot::pdf::render;
use std::collections::BTreeMap;

const SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" font-family="DejaVu Sans">
<rect width="100%" height="100%" fill="#fff"/>
<g transform="translate(20 10)scale(2 3)" fill="none"><path d="M0 .5h5M6 .5h2" stroke="#ff0000"/></g>
<path d="M0 0Q10 20 30 40L1 2Z" fill="#0000ff" fill-opacity=".2" fill-rule="evenodd"/>
<text x="10" y="40">rank 0</text></svg>"##;

/// Objects by their numbers, found by the table at the end.
fn objects(pdf: &[u8]) -> BTreeMap<usize, Vec<u8>> {
    let find = |what: &[u8], from: usize| {
        let at = pdf[from..]
            .windows(what.len())
            .position(|some| some == what);
        from + at.unwrap_or_else(|| panic!("no {}", String::from_utf8_lossy(what)))
    };
    let text = |from: usize, to: usize| std::str::from_utf8(&pdf[from..to]).unwrap();
    let end = find(b"startxref\n", 0) + 10;
    let table: usize = text(end, find(b"\n", end)).parse().unwrap();
    let entries = text(table, find(b"trailer", table)).lines().skip(2);
    let object = |(number, entry): (usize, &str)| {
        let at: usize = entry.split(' ').next().unwrap().parse().unwrap();
        let begin = format!("{number} 0 obj\n");
        assert!(pdf[at..].starts_with(begin.as_bytes()), "object {number}");
        (number, pdf[at..find(b"endobj", at)].to_vec())
    };
    entries.enumerate().skip(1).map(object).collect()
}

/// The bytes of a stream.
fn stream(pdf: &[u8], number: usize) -> Vec<u8> {
    let stream = &objects(pdf)[&number];
    let at = |what: &[u8]| stream.windows(what.len()).position(|some| some == what);
    let (from, to) = (at(b"stream\n").unwrap() + 7, at(b"\nendstream").unwrap());
    miniz_oxide::inflate::decompress_to_vec_zlib(&stream[from..to]).unwrap()
}

/// What is drawn.
fn content(pdf: &[u8]) -> String {
    String::from_utf8(stream(pdf, 4)).unwrap()
}

/// What the codes of letters mean, in their order.
fn meanings(pdf: &[u8]) -> Vec<String> {
    let map = String::from_utf8(stream(pdf, 10)).unwrap();
    let map = map.split_once("beginbfchar").map_or("", |(_, map)| map);
    let pairs = map
        .lines()
        .filter_map(|line| line.strip_prefix('<')?.split_once("> <"));
    let letters = pairs.filter_map(|(_, meaning)| {
        let meaning = meaning.strip_suffix('>')?.as_bytes();
        let (units, _) = meaning.as_chunks::<4>();
        let unit = |digits: &[u8; 4]| u16::from_str_radix(str::from_utf8(digits).unwrap(), 16);
        let units: Result<Vec<u16>, _> = units.iter().map(unit).collect();
        String::from_utf16(&units.unwrap()).ok()
    });
    letters.collect()
}

fn picture(inside: &str) -> String {
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"99\" height=\"9\">{inside}</svg>")
}

#[test]
fn a_page_has_the_size_and_the_paths_of_the_svg() {
    let pdf = render(SVG, "offsets").unwrap();
    let objects = objects(&pdf);
    let text = |number: usize| String::from_utf8_lossy(&objects[&number]).into_owned();
    assert!(text(3).contains("/MediaBox [0 0 150 75]"), "{}", text(3));
    assert!(text(5).contains("/Title (offsets)"), "{}", text(5));
    let drawn = content(&pdf);
    // Twice as wide and three times as high, in points, from the lower left corner.
    let cells = "1.5 0 0 -2.25 15 67.5 cm\n/a255 gs\n1 0 0 RG\n1 w";
    assert!(drawn.contains(cells), "{drawn}");
    assert!(drawn.contains("0 0.5 m\n5 0.5 l\n6 0.5 m\n8 0.5 l\nS"));
    // The curve's one control point, at two thirds from either end.
    assert!(drawn.contains("0 0 m\n6.6666665 13.333333 16.666668 26.666668 30 40 c\n1 2 l\nh\nf*"));
    assert!(text(3).contains("/a51"), "the opacity: {}", text(3));
}

#[test]
fn text_is_text() {
    let pdf = render(SVG, "").unwrap();
    let drawn = content(&pdf);
    // Codes of two bytes, each for a letter that was not there before; 12 units are 9 points.
    let shown = "BT\n/f 1 Tf\n9 0 0 9 7.5 45 Tm\n[(\\000\\000\\000\\001\\000\\002\\000\\003\\000\\004\\000\\005)] TJ\nET";
    assert!(drawn.contains(shown), "{drawn:?}");
    assert_eq!(meanings(&pdf), ["r", "a", "n", "k", " ", "0"]);
    let file = stream(&pdf, 9);
    assert_eq!(file[..4], [0, 1, 0, 0], "a font of TrueType");
    assert!(
        file.len() < 20_000,
        "only with these letters: {}",
        file.len()
    );
    // Its widths are those by which the picture was laid out: no letter is moved.
    let letters = String::from_utf8_lossy(&objects(&pdf)[&7]).into_owned();
    assert!(letters.contains("/W [0 [411.13"), "{letters}");
}

#[test]
fn pairs_that_are_set_closer_are_so_in_the_page() {
    let pdf = render(&picture("<text font-size=\"10\">AVA</text>"), "").unwrap();
    let drawn = content(&pdf);
    // Of V and A 0.064 of the size, which the second letter goes back.
    assert!(
        drawn.contains("[(\\000\\000) 64 (\\000\\001) 64 (\\000\\000)] TJ"),
        "{drawn:?}"
    );
}

/// A ligature means two letters. Letters that the font lacks have one shape, but are searched for as what they are.
#[test]
fn shapes_mean_what_was_written() {
    let pdf = render(&picture("<text>\u{fb01}sh fi 数据</text>"), "").unwrap();
    assert_eq!(meanings(&pdf).concat().replace("fi", ""), "\u{fb01}sh 数据");
}

#[test]
fn text_that_is_more_than_letters_is_drawn_as_paths() {
    let look = "stroke=\"#f00\" text-decoration=\"underline\"";
    let pdf = render(&picture(&format!("<text y=\"9\" {look}>a</text>")), "").unwrap();
    assert_eq!(objects(&pdf).len(), 5, "no font");
    assert!(content(&pdf).contains(" c\n"));
}

#[test]
fn titles_may_have_any_letters() {
    for title in ["", ")(\\", "/scratch/für 数据", "a\0b\u{1}\n"] {
        let pdf = render(SVG, title).unwrap();
        assert_eq!(objects(&pdf).len(), 11, "{title}");
    }
}

#[test]
fn one_picture_gives_one_file() {
    assert_eq!(render(SVG, "x").unwrap(), render(SVG, "x").unwrap());
}

#[test]
fn what_is_no_picture_of_plain_paths_is_refused() {
    let gradient = "<linearGradient id=\"g\"><stop offset=\"0\"/><stop offset=\"1\" stop-color=\"#f00\"/></linearGradient>";
    for (svg, why) in [
        ("no picture".to_owned(), "SVG data parsing failed"),
        (
            picture(&format!(
                "{gradient}<path d=\"M0 0h9v9z\" fill=\"url(#g)\"/>"
            )),
            "plain colour",
        ),
        (
            picture("<g opacity=\".5\"><path d=\"M0 0h9v9z\"/><path d=\"M0 0h9v9z\"/></g>"),
            "a group",
        ),
    ] {
        let error = render(&svg, "").unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}
