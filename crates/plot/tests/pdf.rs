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

/// What is drawn.
fn content(pdf: &[u8]) -> String {
    let stream = &objects(pdf)[&4];
    let at = |what: &[u8]| stream.windows(what.len()).position(|some| some == what);
    let (from, to) = (at(b"stream\n").unwrap() + 7, at(b"\nendstream").unwrap());
    let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(&stream[from..to]).unwrap();
    String::from_utf8(bytes).unwrap()
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
    // The letters of the text.
    assert!(drawn.matches(" c\n").count() > 20, "{drawn}");
}

#[test]
fn titles_may_have_any_letters() {
    for title in ["", ")(\\", "/scratch/für 数据", "a\0b\u{1}\n"] {
        let pdf = render(SVG, title).unwrap();
        assert_eq!(objects(&pdf).len(), 5, "{title}");
    }
}

#[test]
fn one_picture_gives_one_file() {
    assert_eq!(render(SVG, "x").unwrap(), render(SVG, "x").unwrap());
}

#[test]
fn what_is_no_picture_of_plain_paths_is_refused() {
    let around = |inside: &str| {
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">{inside}</svg>")
    };
    let gradient = "<linearGradient id=\"g\"><stop offset=\"0\"/><stop offset=\"1\" stop-color=\"#f00\"/></linearGradient>";
    for (svg, why) in [
        ("no picture".to_owned(), "SVG data parsing failed"),
        (
            around(&format!(
                "{gradient}<path d=\"M0 0h9v9z\" fill=\"url(#g)\"/>"
            )),
            "plain colour",
        ),
        (
            around("<g opacity=\".5\"><path d=\"M0 0h9v9z\"/><path d=\"M0 0h9v9z\"/></g>"),
            "a group",
        ),
    ] {
        let error = render(&svg, "").unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}
