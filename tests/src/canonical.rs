//! Functions by their plain names.

/// The plain name of a call: `__open64_2`, `open64` and `open` are all `open`.
pub fn canonical(op: &str) -> String {
    let op = op.trim_start_matches('_').trim_start_matches("IO_");
    let op = op
        .trim_start_matches("isoc99_")
        .trim_start_matches("isoc23_");
    let op = op
        .trim_end_matches("_chk")
        .replace("64v2", "2")
        .replace("64", "");
    op.trim_end_matches("_2").into()
}
