//! Names as the source has them, of functions whose names a compiler of C++ or Rust has made.

use cpp_demangle::{DemangleOptions, Symbol};
use iota_trace::glob;

/// What patterns for such names contain
const SEPARATOR: &str = "::";

/// Whether a pattern is for names as the source has them
pub fn is_for_source(pattern: &str) -> bool {
    pattern.contains(SEPARATOR)
}

/// Whether a pattern matches a function's name
pub fn matches(pattern: &str, name: &str) -> bool {
    match is_for_source(pattern) {
        false => glob::one(pattern.as_bytes(), name.as_bytes()),
        true => of(name).is_some_and(|name| glob::one(pattern.as_bytes(), name.as_bytes())),
    }
}

/// The name without types of parameters; None: it is no such name
fn of(name: &str) -> Option<String> {
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        return Some(format!("{name:#}"));
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let symbol = Symbol::new(name.strip_prefix("_Z").map(|_| name)?).ok()?;
    symbol.demangle_with_options(&options).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_as_the_source_has_them() {
        let save = "_ZN5Model4saveERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
        assert!(matches("Model::save", save) && matches("Model::*", save));
        assert!(matches("_ZN5Model*", save) && !matches("Model::load", save));
        let rust = "_ZN5model4save17h0123456789abcdefE";
        assert!(matches("model::save", rust));
        assert!(matches("model::save", "_RNvCs1234_5model4save"));
        assert!(!matches("Model::save", "save") && matches("sav?", "save"));
    }
}
