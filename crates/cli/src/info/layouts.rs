//! How files lie on Lustre, as data and in a few words.

use crate::names::printable;
use iota_quantity::{bytes, many};
use iota_trace::lustre::{self, END_OF_FILE, LayoutForm};
use serde::Serialize;
use std::collections::BTreeSet;

/// A file's layout
#[derive(Clone, Debug, Serialize)]
pub struct Layout {
    /// `plain`, `composite`, `foreign` or `unknown`
    pub form: &'static str,
    /// The type of a foreign layout, the magic number of an unknown one
    pub number: Option<u32>,
    pub components: Vec<Component>,
}

/// What stands for an extent of the file
#[derive(Clone, Debug, Serialize)]
pub struct Component {
    pub start: u64,
    /// The byte after the last; none: up to the end of the file
    pub end: Option<u64>,
    pub stripe_size: u32,
    /// 65535: one on each OST
    pub stripe_count: u16,
    /// Of the stripes that there are, in order
    pub osts: Vec<u32>,
    pub pool: Option<String>,
    pub mirror: u16,
    /// `mdt`, `released`, `foreign`, `uninstantiated`, `stale`, `preferred`, `parity`, `extension`
    pub remarks: Vec<&'static str>,
}

/// Layouts of all files
#[derive(Debug, Default, Serialize)]
pub struct Lustre {
    pub files: u64,
    pub stripe_sizes: BTreeSet<u32>,
    pub stripe_counts: BTreeSet<u16>,
    pub osts: BTreeSet<u32>,
}

impl Layout {
    pub fn of(layout: lustre::Layout) -> Layout {
        let (form, number) = match layout.form() {
            LayoutForm::Plain => ("plain", None),
            LayoutForm::Composite => ("composite", None),
            LayoutForm::Foreign(kind) => ("foreign", Some(kind)),
            LayoutForm::Unknown(magic) => ("unknown", Some(magic)),
        };
        Layout {
            form,
            number,
            components: layout.components().map(Component::of).collect(),
        }
    }
}

impl Component {
    fn of(part: lustre::Component) -> Component {
        Component {
            start: part.start,
            end: (part.end != END_OF_FILE).then_some(part.end),
            stripe_size: part.stripe_size,
            stripe_count: part.stripe_count,
            osts: part.osts().collect(),
            pool: (!part.pool.is_empty()).then(|| printable(part.pool)),
            mirror: part.mirror,
            remarks: part.remarks().collect(),
        }
    }
}

impl Lustre {
    pub fn add(&mut self, layout: lustre::Layout) {
        self.files += 1;
        for part in layout
            .components()
            .filter(|part| part.osts().next().is_some())
        {
            self.stripe_sizes.insert(part.stripe_size);
            self.stripe_counts.insert(part.stripe_count);
            self.osts.extend(part.osts());
        }
    }

    /// `12 files, stripe size 1 MiB, stripe count 1 to 8, on 24 OSTs`
    pub fn phrase(&self) -> String {
        let mut phrase = many(self.files, "file");
        if !self.osts.is_empty() {
            let size = |size: &u32| bytes((*size).into());
            let sizes = span(&self.stripe_sizes, size);
            let counts = span(&self.stripe_counts, u16::to_string);
            let osts = many(self.osts.len() as u64, "OST");
            phrase += &format!(", stripe size {sizes}, stripe count {counts}, on {osts}");
        }
        phrase
    }
}

fn span<T: Ord>(values: &BTreeSet<T>, show: impl Fn(&T) -> String) -> String {
    match (values.first(), values.last()) {
        (Some(least), Some(most)) if least != most => format!("{} to {}", show(least), show(most)),
        (Some(only), _) => show(only),
        _ => String::new(),
    }
}

/// `2 x 1 MiB`: stripe count and stripe size of the component that tells most
pub fn stripes(layout: &Option<Layout>) -> String {
    let Some(layout) = layout else {
        return String::new();
    };
    let with_objects = |part: &&Component| !part.osts.is_empty();
    let main = layout.components.iter().rfind(with_objects);
    match main.or(layout.components.last()) {
        Some(part) => format!("{} x {}", part.stripe_count, bytes(part.stripe_size.into())),
        None => layout.form.to_owned(),
    }
}
