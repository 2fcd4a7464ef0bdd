//! docs/CALLS.md says what the table says.

use gen_wraps::document;
use std::path::Path;

#[test]
fn calls_md_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/CALLS.md");
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == document(),
        "docs/CALLS.md is not what `cargo run -p gen-wraps -- calls-md` prints"
    );
}
