//! The functions that a replay calls, by the names that traces have for them.

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Function {
    Open,
    Openat,
    Creat,
    Close,
    Read,
    Write,
    Pread,
    Pwrite,
    Readv,
    Writev,
    Preadv,
    Pwritev,
    AioRead,
    AioWrite,
    Lseek,
    Fsync,
    Fdatasync,
    Ftruncate,
    Fstat,
    Stat,
    Lstat,
    Access,
    Unlink,
    Mkdir,
    Rmdir,
    Fopen,
    Fclose,
    Fread,
    Fwrite,
    Fgetc,
    Fputc,
    Fseek,
    Fseeko,
    Ftell,
    Ftello,
    Fflush,
    Dup,
}

use Function::*;

const NAMES: [(&str, Function); 42] = [
    ("open", Open),
    ("openat", Openat),
    ("creat", Creat),
    ("close", Close),
    ("read", Read),
    ("write", Write),
    ("pread", Pread),
    ("pwrite", Pwrite),
    ("readv", Readv),
    ("writev", Writev),
    ("preadv", Preadv),
    ("pwritev", Pwritev),
    ("aio_read", AioRead),
    ("aio_write", AioWrite),
    ("lseek", Lseek),
    ("llseek", Lseek),
    ("fsync", Fsync),
    ("fdatasync", Fdatasync),
    ("ftruncate", Ftruncate),
    ("fstat", Fstat),
    ("stat", Stat),
    ("lstat", Lstat),
    ("access", Access),
    ("unlink", Unlink),
    ("mkdir", Mkdir),
    ("rmdir", Rmdir),
    ("fopen", Fopen),
    ("fclose", Fclose),
    ("fread", Fread),
    ("fwrite", Fwrite),
    ("fgetc", Fgetc),
    ("getc", Fgetc),
    ("fputc", Fputc),
    ("putc", Fputc),
    ("fseek", Fseek),
    ("fseeko", Fseeko),
    ("ftell", Ftell),
    ("ftello", Ftello),
    ("fflush", Fflush),
    ("dup", Dup),
    ("dup2", Dup),
    ("dup3", Dup),
];

/// Of a path: descriptors and positions play no part in them.
const OF_PATHS: [Function; 6] = [Stat, Lstat, Access, Unlink, Mkdir, Rmdir];

impl Function {
    /// By its name, or that of a variant: `__open64_2` is `open`.
    pub fn named(name: &str) -> Option<Function> {
        let name = name.trim_start_matches('_').trim_start_matches("IO_");
        let name = name
            .trim_end_matches("_chk")
            .trim_end_matches("_2")
            .trim_end_matches("_unlocked");
        let name = name.trim_end_matches("64");
        NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, function)| *function)
    }

    /// What reads or writes as it does, where it is not called itself.
    pub fn like(reads: bool, stream: bool, placed: bool) -> Function {
        match (reads, stream, placed) {
            (true, true, _) => Fread,
            (false, true, _) => Fwrite,
            (true, false, false) => Read,
            (false, false, false) => Write,
            (true, false, true) => Pread,
            (false, false, true) => Pwrite,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(_, function)| *function == self)
            .map_or("", |(name, _)| name)
    }

    /// Makes a descriptor or stream.
    pub fn opens(self) -> bool {
        matches!(self, Open | Openat | Creat | Fopen)
    }

    /// Gives one up.
    pub fn closes(self) -> bool {
        matches!(self, Close | Fclose)
    }

    /// Is about a path.
    pub fn is_of_path(self) -> bool {
        OF_PATHS.contains(&self)
    }

    /// Reads.
    pub fn reads(self) -> bool {
        matches!(
            self,
            Read | Pread | Readv | Preadv | AioRead | Fread | Fgetc
        )
    }

    /// Writes.
    pub fn writes(self) -> bool {
        matches!(
            self,
            Write | Pwrite | Writev | Pwritev | AioWrite | Fwrite | Fputc
        )
    }

    /// Writes out what a stream holds back.
    pub fn empties(self) -> bool {
        matches!(self, Fclose | Fflush | Fseek | Fseeko)
    }

    /// Passes an offset, so that the position plays no part.
    pub fn is_placed(self) -> bool {
        matches!(self, Pread | Pwrite | Preadv | Pwritev | AioRead | AioWrite)
    }

    /// Is called on a stream.
    pub fn is_of_stream(self) -> bool {
        matches!(
            self,
            Fopen
                | Fclose
                | Fread
                | Fwrite
                | Fgetc
                | Fputc
                | Fseek
                | Fseeko
                | Ftell
                | Ftello
                | Fflush
        )
    }

    /// Depends on the position, or changes what comes after it: it keeps its turn.
    pub fn keeps_turn(self) -> bool {
        !self.is_placed() && !matches!(self, Fsync | Fdatasync | Fstat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_known() {
        let names = [
            "__open64_2",
            "open",
            "pwrite64",
            "__pread64_chk",
            "fread_unlocked",
            "_IO_fopen",
            "aio_read64",
        ];
        let expected = [Open, Open, Pwrite, Pread, Fread, Fopen, AioRead];
        assert_eq!(names.map(Function::named), expected.map(Some));
        assert_eq!(Function::named("MPI_File_write"), None);
        assert!(
            NAMES
                .iter()
                .all(|(name, function)| Function::named(name) == Some(*function))
        );
    }
}
