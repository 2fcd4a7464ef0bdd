//! Compiles and links: each object, library and program once, kept in the target directory.

use super::{Program, Way, contents, once, stem_of};
use crate::command_output;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

impl Program {
    pub(super) fn link(&self, way: Way, out: &Path) {
        let mut command = if self.source.ends_with(".rs") {
            self.link_rust(way)
        } else {
            self.link_objects(way)
        };
        // Programs say `include 'mpif.h'` and leave .mod files where they are compiled.
        command_output(command.arg("-o").arg(out));
    }

    fn link_objects(&self, way: Way) -> Command {
        let words = self.compiler(&self.source);
        let mut command = Command::new(&words[0]);
        let wraps = if way.wraps() {
            self.wraps()
        } else {
            Vec::new()
        };
        let (before, after) = if self.wraps_first {
            (&wraps[..], &[][..])
        } else {
            (&[][..], &wraps[..])
        };
        command
            .args(&words[1..])
            .args(before)
            .arg(self.object_of(&self.source));
        command.args(self.objects.iter().map(|source| self.object_of(source)));
        command.args(self.libraries.iter().map(|source| self.library_of(source)));
        command.args(self.shared.iter().map(|source| self.shared_of(source)));
        command.args(after).args(&self.behind).arg("-pthread");
        command.args(self.linker.iter().map(|name| format!("-fuse-ld={name}")));
        command.args(way.is_static().then_some("-static"));
        command
    }

    fn link_rust(&self, way: Way) -> Command {
        let words = self.compiler(&self.source);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(self.path_of(&self.source));
        if way.wraps() {
            command.args(self.wraps().iter().map(|flag| format!("-Clink-arg={flag}")));
        }
        let target = if way.is_static() {
            "+crt-static"
        } else {
            "-crt-static"
        };
        command.arg(format!("-Ctarget-feature={target}"));
        command
    }

    fn object_of(&self, source: &str) -> PathBuf {
        let mut hash = DefaultHasher::new();
        let words = self.compiler(source);
        (
            &words,
            contents(&self.path_of(source)),
            contents(&self.path_of("program.h")),
        )
            .hash(&mut hash);
        let path = self.place(&format!("{}-{:016x}.o", stem_of(source), hash.finish()));
        once(&path, |new| {
            let mut command = Command::new(&words[0]);
            command.current_dir(new.parent().expect("a file lies in a directory"));
            command
                .args(&words[1..])
                .arg("-c")
                .arg(self.path_of(source));
            command_output(command.arg("-o").arg(new));
        });
        path
    }

    /// The plugin, built.
    pub fn plugin_file(&self) -> Option<PathBuf> {
        let source = self.path_of(self.plugin.as_ref()?);
        let mut hash = DefaultHasher::new();
        let (compiler, _) = self.compiler_and_flags(&self.source);
        (&compiler, contents(&source)).hash(&mut hash);
        let path = self.place(&format!("{}-{:016x}.so", self.stem(), hash.finish()));
        once(&path, |new| {
            let mut words = compiler.split_whitespace();
            let mut command = Command::new(words.next().expect("a compiler"));
            command.args(words);
            command_output(
                command
                    .args(["-shared", "-fPIC", "-w", "-o"])
                    .arg(new)
                    .arg(&source),
            );
        });
        Some(path)
    }

    /// A program finds it by its path.
    fn shared_of(&self, source: &str) -> PathBuf {
        let path = self.object_of(source).with_extension("so");
        once(&path, |new| {
            let words = self.compiler(source);
            let mut command = Command::new(&words[0]);
            command.current_dir(new.parent().expect("a file lies in a directory"));
            command.args(&words[1..]);
            command.args(["-shared", "-fPIC", "-fexceptions", "-o"]);
            command_output(command.arg(new).arg(self.path_of(source)));
        });
        path
    }

    fn library_of(&self, source: &str) -> PathBuf {
        let path = self.object_of(source).with_extension("a");
        once(&path, |new| {
            command_output(
                Command::new("ar")
                    .arg("rcs")
                    .arg(new)
                    .arg(self.object_of(source)),
            );
        });
        path
    }
}
