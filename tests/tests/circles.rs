//! No circle of files: a file uses what lies below it, so that each can be read, and changed, with what is below it alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// The runtime's floors, the lowest first. Each uses itself and what is below it.
const FLOORS: &[&str] = &[
    "sys", "real", "state", "arena", "thread", "tables", "stacks", "life", "record", "shape",
    "library", "probe",
];

/// A module's names behind the crate's.
type Module = Vec<String>;

/// The files of a crate by their modules, and what each names.
struct Crate(BTreeMap<Module, Names>);

impl Crate {
    fn of(folder: &Path) -> Crate {
        let mut files = BTreeMap::new();
        collect(&folder.join("src"), &mut Vec::new(), &mut files);
        assert!(!files.is_empty(), "{} has files", folder.display());
        let names = |(module, path): (Module, PathBuf)| (module.clone(), Names::of(module, &path));
        Crate(files.into_iter().map(names).collect())
    }

    /// The modules whose files each file names.
    fn imports(&self) -> BTreeMap<&Module, BTreeSet<&Module>> {
        let all = self.0.iter().map(|(module, names)| {
            let files = names.found.iter().filter_map(|name| self.file_of(name));
            (module, files.filter(|file| *file != module).collect())
        });
        all.collect()
    }

    /// The file that holds what is named: that of the longest module that the name begins with, or of whatever else that
    /// module gives out under the name.
    fn file_of(&self, name: &[String]) -> Option<&Module> {
        let lengths = (0..=name.len()).rev();
        let (module, names) = lengths
            .filter_map(|length| self.0.get_key_value(&name[..length]))
            .next()?;
        let item = name.get(module.len());
        match item.and_then(|item| names.given_out.get(item)) {
            Some(source) => self.file_of(source),
            None => Some(module),
        }
    }
}

fn collect(folder: &Path, module: &mut Module, files: &mut BTreeMap<Module, PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            module.push(name);
            collect(&path, module, files);
            module.pop();
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let is_root = name == "main" && !folder.join("lib.rs").exists();
            let own = !is_root && !["lib", "mod"].contains(&name.as_str());
            let names = module.iter().cloned().chain(own.then_some(name));
            files.insert(names.collect(), path);
        }
    }
}

/// What a file names of its own crate.
struct Names {
    module: Module,
    found: BTreeSet<Module>,
    /// Names by which it gives out what another file holds, and what they stand for.
    given_out: BTreeMap<String, Module>,
    is_public: bool,
}

impl Names {
    fn of(module: Module, path: &Path) -> Names {
        let text = fs::read_to_string(path).expect("a source file");
        let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut names = Names {
            module,
            found: BTreeSet::new(),
            given_out: BTreeMap::new(),
            is_public: false,
        };
        names.visit_file(&file);
        names
    }

    /// `names` as written in a `use` or a path. One that begins with neither `crate`, `self` nor `super` is of another crate, of
    /// a child, or was imported by a name that is looked at itself.
    fn add(&mut self, names: &[String]) {
        let found = self.resolved(names);
        self.found.insert(found);
    }

    fn resolved(&self, names: &[String]) -> Module {
        let mut from = match names.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("super") => self.module[..self.module.len().saturating_sub(1)].to_vec(),
            _ => self.module.clone(),
        };
        let is_relative = |name: &String| ["crate", "super", "self"].contains(&name.as_str());
        for name in &names[usize::from(names.first().is_some_and(is_relative))..] {
            match name.as_str() {
                "super" => drop(from.pop()),
                name => from.push(name.into()),
            }
        }
        from
    }

    fn add_tree(&mut self, before: &mut Vec<String>, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_tree(before, &path.tree);
                before.pop();
            }
            syn::UseTree::Name(name) => self.add_below(before, &name.ident, &name.ident),
            syn::UseTree::Rename(name) => self.add_below(before, &name.ident, &name.rename),
            syn::UseTree::Glob(_) => self.add(before),
            syn::UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|tree| self.add_tree(before, tree));
            }
        }
    }

    fn add_below(&mut self, before: &[String], name: &syn::Ident, as_name: &syn::Ident) {
        let own = (name != "self").then(|| name.to_string());
        let names: Vec<String> = before.iter().cloned().chain(own).collect();
        if self.is_public {
            self.given_out
                .insert(as_name.to_string(), self.resolved(&names));
        } else {
            self.add(&names);
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

impl Visit<'_> for Names {
    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        if is_test(&item.attrs) || item.content.is_none() {
            return;
        }
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        if !is_test(&item.attrs) {
            self.is_public = !matches!(item.vis, syn::Visibility::Inherited);
            self.add_tree(&mut Vec::new(), &item.tree);
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        let names: Vec<String> = names.collect();
        // A plain name without `::` is what a `use` or the file itself made it.
        if names.len() > 1 {
            self.add(&names);
        }
        visit::visit_path(self, path);
    }
}

/// The uses that stand on a circle: of a file by one that it uses itself, directly or around.
fn circles<'m>(
    imports: &BTreeMap<&'m Module, BTreeSet<&'m Module>>,
) -> Vec<(&'m Module, &'m Module)> {
    let reached = |from: &'m Module| {
        let mut reached = BTreeSet::new();
        let mut next = vec![from];
        while let Some(module) = next.pop() {
            let used = imports[module].iter().copied();
            next.extend(used.filter(|used| reached.insert(*used)));
        }
        reached
    };
    let reached: BTreeMap<_, _> = imports.keys().map(|from| (*from, reached(from))).collect();
    let uses = imports
        .iter()
        .flat_map(|(from, used)| used.iter().map(|to| (*from, *to)));
    uses.filter(|(from, to)| reached[to].contains(from))
        .collect()
}

/// The folders of all packages with sources of their own
fn folders() -> Vec<PathBuf> {
    let root = iota_tests::root();
    let crates = fs::read_dir(root.join("crates")).expect("a folder");
    let mut folders: Vec<_> = crates
        .map(|entry| entry.expect("an entry").path())
        .collect();
    folders.extend([".", "mpi", "gen-wraps", "tests", "fuzz"].map(|name| root.join(name)));
    folders.sort();
    folders
}

#[test]
fn no_circle_of_files() {
    let mut found = Vec::new();
    for folder in folders() {
        let files = Crate::of(&folder);
        let name = folder.file_name().unwrap_or_default().display();
        let uses = circles(&files.imports())
            .into_iter()
            .map(|(from, to)| format!("{name}: {} uses {}", from.join("::"), to.join("::")));
        found.extend(uses);
    }
    assert!(found.is_empty(), "files in circles:\n{}", found.join("\n"));
}

#[test]
fn the_runtime_stands_on_floors() {
    let files = Crate::of(&iota_tests::root().join("crates/runtime"));
    let floor = |module: &Module| {
        FLOORS
            .iter()
            .position(|floor| module.first().is_some_and(|name| name == floor))
    };
    let imports = files.imports();
    assert!(FLOORS.iter().all(|name| {
        imports
            .keys()
            .any(|module| module.first().is_some_and(|first| first == name))
    }));
    for (from, to) in &imports {
        // The crate's own file names them all, and what stands on none uses the lowest alone.
        let Some(highest) = floor(from).or((!from.is_empty()).then_some(0)) else {
            continue;
        };
        for to in to.iter().filter(|to| to.first() != from.first()) {
            assert!(
                floor(to).is_some_and(|floor| floor <= highest),
                "{} uses {}, which is not below it",
                from.join("::"),
                to.join("::")
            );
        }
    }
}

#[test]
fn a_circle_is_found() {
    let [a, b, c] = ["a", "b", "c"].map(|name| vec![name.to_string()]);
    let edges = |last: &[&Module]| last.iter().copied().cloned().collect::<Vec<_>>();
    let (to_b, to_c, back) = (edges(&[&b]), edges(&[&c]), edges(&[&a]));
    let mut imports = BTreeMap::from([
        (&a, to_b.iter().collect()),
        (&b, to_c.iter().collect()),
        (&c, BTreeSet::new()),
    ]);
    assert_eq!(circles(&imports), []);
    imports.insert(&c, back.iter().collect());
    assert_eq!(circles(&imports), [(&a, &b), (&b, &c), (&c, &a)]);
}
