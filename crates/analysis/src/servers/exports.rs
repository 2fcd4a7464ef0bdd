//! Which file of the job a server's file is: the same path below another directory.

use super::data_files::data_files;
use crate::job::file_name;
use crate::{FileId, Job};
use std::collections::HashMap;
use std::str::FromStr;

/// Files of the job with the same name that are compared for each of a server's.
const NAMESAKES: usize = 64;

/// A directory of servers, and where the job has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Export {
    /// As servers name it, without a slash at its end.
    pub server: Vec<u8>,
    /// As the job does.
    pub job: Vec<u8>,
}

impl FromStr for Export {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Export, &'static str> {
        let directory = |path: &str| path.trim_end_matches('/').as_bytes().to_vec();
        match text.split_once('=') {
            Some((server, job)) if server.starts_with('/') && job.starts_with('/') => Ok(Export {
                server: directory(server),
                job: directory(job),
            }),
            _ => {
                Err("expected SERVER_DIR=JOB_DIR, two absolute paths, as in /srv/brick=/mnt/volume")
            }
        }
    }
}

/// A file of which a server moved bytes.
#[derive(Clone, Debug)]
pub(super) struct ServerFile {
    pub file: FileId,
    /// Its directory of servers, where that is known.
    export: Option<Vec<u8>>,
    /// Its path, below that directory if that is known.
    path: Vec<u8>,
    /// Where it begins in the job's file.
    shift: u64,
}

impl ServerFile {
    pub fn named(file: FileId, path: &[u8]) -> ServerFile {
        ServerFile {
            file,
            export: None,
            path: path.to_vec(),
            shift: 0,
        }
    }

    pub fn below(file: FileId, export: &[u8], path: &[u8], shift: u64) -> ServerFile {
        ServerFile {
            file,
            export: Some(export.to_vec()),
            path: path.to_vec(),
            shift,
        }
    }

    fn whole_path(&self) -> Vec<u8> {
        [self.export.as_deref().unwrap_or_default(), &self.path].concat()
    }
}

/// Where bytes of a server's file lie in the job.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobPlace {
    pub file: FileId,
    pub shift: u64,
    pub export: usize,
}

/// Files of servers as files of the job.
#[derive(Debug, Default)]
pub(super) struct FileMap {
    exports: Vec<Export>,
    places: HashMap<(usize, FileId), JobPlace>,
}

/// The job's files by the last part of their paths.
type ByName<'j> = HashMap<&'j [u8], Vec<(FileId, &'j [u8])>>;

impl FileMap {
    pub fn of(job: &Job, servers: &[Job], files: &[Vec<ServerFile>], given: &[Export]) -> FileMap {
        let mut names: ByName = HashMap::new();
        let data = data_files(job);
        for (file, path) in job.files.all() {
            if data.get(file as usize).copied().unwrap_or(false) {
                names.entry(file_name(path)).or_default().push((file, path));
            }
        }
        let mut map = FileMap::default();
        for (at, (server, files)) in servers.iter().zip(files).enumerate() {
            let is_same_host = server.hosts().iter().any(|host| job.hosts().contains(host));
            let fits: Vec<Vec<(Export, FileId)>> = files
                .iter()
                .map(|file| fits(file, &names, given, is_same_host))
                .collect();
            let mut votes: HashMap<&Export, u32> = HashMap::new();
            for (export, _) in fits.iter().flatten() {
                *votes.entry(export).or_default() += 1;
            }
            for (server_file, fits) in files.iter().zip(&fits) {
                let vote = |(export, _): &&(Export, FileId)| {
                    let length = std::cmp::Reverse(export.server.len());
                    (votes[export], length, std::cmp::Reverse(export.job.clone()))
                };
                if let Some((export, file)) = fits.iter().max_by_key(vote) {
                    let place = JobPlace {
                        file: *file,
                        shift: server_file.shift,
                        export: map.number(export),
                    };
                    map.places.insert((at, server_file.file), place);
                }
            }
        }
        map
    }

    fn number(&mut self, export: &Export) -> usize {
        match self.exports.iter().position(|known| known == export) {
            Some(known) => known,
            None => {
                self.exports.push(export.clone());
                self.exports.len() - 1
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Which of the job's files servers have.
    pub fn client_files(&self, count: usize) -> Vec<bool> {
        let mut all = vec![false; count];
        for place in self.places.values() {
            if let Some(of) = all.get_mut(place.file as usize) {
                *of = true;
            }
        }
        all
    }

    pub fn place(&self, server: usize, file: FileId) -> Option<JobPlace> {
        self.places.get(&(server, file)).copied()
    }

    /// That of the servers of a host that have a directory: `host:/srv/brick`.
    pub fn name(&self, export: usize, host: &[u8]) -> String {
        let directory = self
            .exports
            .get(export)
            .map(|export| match &*export.server {
                b"" => &b"/"[..],
                server => server,
            });
        let text = [host, b":", directory.unwrap_or_default()].concat();
        iota_trace::Printable(&text).to_string()
    }
}

/// Directories below which a server's file and one of the job have the same path.
fn fits(
    file: &ServerFile,
    names: &ByName,
    given: &[Export],
    is_same_host: bool,
) -> Vec<(Export, FileId)> {
    let whole = file.whole_path();
    let namesakes = || {
        names
            .get(file_name(&file.path))
            .into_iter()
            .flatten()
            .copied()
    };
    let below = |directory: &[u8]| {
        let path = whole.strip_prefix(directory)?;
        path.starts_with(b"/").then(|| path.to_vec())
    };
    let rules = given.iter().filter(|rule| below(&rule.server).is_some());
    if let Some(rule) = rules.max_by_key(|rule| rule.server.len()) {
        let wanted = [&*rule.job, &below(&rule.server).unwrap_or_default()].concat();
        let found = namesakes().find(|(_, path)| *path == wanted);
        return found
            .map(|(file, _)| (rule.clone(), file))
            .into_iter()
            .collect();
    }
    let fit = |(id, path): (FileId, &[u8])| {
        let export = match &file.export {
            Some(export) => Export {
                server: export.clone(),
                job: path.strip_suffix(&*file.path)?.to_vec(),
            },
            None => {
                let common = common_end(&whole, path);
                Export {
                    server: whole[..whole.len() - common].to_vec(),
                    job: path[..path.len() - common].to_vec(),
                }
            }
        };
        // On one host a path that both use is the file that both use.
        let is_other = export.server != export.job || !is_same_host;
        is_other.then_some((export, id))
    };
    namesakes().take(NAMESAKES).filter_map(fit).collect()
}

/// The length of the last parts of two paths that are the same, each with the slash before it.
fn common_end(one: &[u8], other: &[u8]) -> usize {
    let (mut length, mut whole) = (0, 0);
    for (a, b) in one.iter().rev().zip(other.iter().rev()) {
        if a != b {
            break;
        }
        length += 1;
        if *a == b'/' {
            whole = length;
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: ServerFile, paths: &[&str], given: &[&str]) -> Vec<(String, FileId)> {
        let mut names: ByName = HashMap::new();
        for (id, path) in (1..).zip(paths) {
            let path = path.as_bytes();
            names.entry(file_name(path)).or_default().push((id, path));
        }
        let given: Vec<Export> = given.iter().map(|rule| rule.parse().unwrap()).collect();
        let fits = fits(&file, &names, &given, true).into_iter();
        let text = |path: &[u8]| String::from_utf8(path.to_vec()).unwrap();
        let rule = |of: Export| format!("{}={}", text(&of.server), text(&of.job));
        fits.map(|(export, file)| (rule(export), file)).collect()
    }

    #[test]
    fn the_same_path_below_other_directories() {
        let plain = || ServerFile::named(9, b"/srv/a/run/out.dat");
        let paths = [
            "/mnt/run/out.dat",
            "/mnt/other/out.dat",
            "/srv/a/run/out.dat",
        ];
        let fits = found(plain(), &paths, &[]);
        let both = [
            ("/srv/a=/mnt".to_owned(), 1),
            ("/srv/a/run=/mnt/other".to_owned(), 2),
        ];
        assert_eq!(fits, both, "and never itself");
        assert_eq!(found(plain(), &paths, &["/srv=/x"]), []);
        let given = found(plain(), &["/x/a/run/out.dat"], &["/srv/=/x/"]);
        assert_eq!(given, [("/srv=/x".to_owned(), 1)]);
    }

    #[test]
    fn a_known_directory_is_kept() {
        let shard = ServerFile::below(9, b"/brick1", b"/d/f", 1 << 22);
        assert_eq!(
            found(shard, &["/mnt/d/f", "/mnt/e/f"], &[]),
            [("/brick1=/mnt".to_owned(), 1)]
        );
    }

    #[test]
    fn a_rule_is_two_paths() {
        for text in ["", "/a", "a=/b", "/a=b", "=/b"] {
            assert!(text.parse::<Export>().is_err(), "{text}");
        }
        let root = Export {
            server: Vec::new(),
            job: b"/mnt".to_vec(),
        };
        assert_eq!("/=/mnt/".parse(), Ok(root));
    }
}
