//! Parameters as Rust writes them.

use iota_calls::Param;

pub(crate) fn typed(params: impl IntoIterator<Item = Param>) -> String {
    let list = params
        .into_iter()
        .map(|param| format!("{}: {}", param.name, param.ty));
    list.collect::<Vec<_>>().join(", ")
}

pub(crate) fn untyped(params: impl IntoIterator<Item = Param>) -> String {
    let names = params.into_iter().map(|param| param.name);
    names.collect::<Vec<_>>().join(", ")
}
