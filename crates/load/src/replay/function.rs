//! The functions that a replay calls, by the names that traces have for them. What a function does stands in the table of
//! calls.

use iota_calls::{Call, Kind, Layer, Op};

macro_rules! functions {
    ($($function:ident $name:literal $($other:literal)*;)*) => {
        /// A function that a replay can call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum Function { $($function),* }

        /// By name, and those that do the same.
        const NAMES: &[(&str, Function)] = &[$(
            ($name, Function::$function),
            $(($other, Function::$function),)*
        )*];

        impl Function {
            /// As the C library exports it.
            pub fn name(self) -> &'static str {
                match self { $(Function::$function => $name),* }
            }

            fn op(self) -> Op {
                match self { $(Function::$function => const { Op::of($name) }),* }
            }
        }
    };
}

functions! {
    Open "open";
    Openat "openat";
    Creat "creat";
    Close "close";
    Read "read";
    Write "write";
    Pread "pread";
    Pwrite "pwrite";
    Readv "readv";
    Writev "writev";
    Preadv "preadv";
    Pwritev "pwritev";
    AioRead "aio_read";
    AioWrite "aio_write";
    Lseek "lseek" "llseek";
    Fsync "fsync";
    Fdatasync "fdatasync";
    Ftruncate "ftruncate";
    Fstat "fstat";
    Stat "stat";
    Lstat "lstat";
    Access "access";
    Unlink "unlink";
    Mkdir "mkdir";
    Rmdir "rmdir";
    Fopen "fopen";
    Fclose "fclose";
    Fread "fread";
    Fwrite "fwrite";
    Fgetc "fgetc" "getc";
    Fputc "fputc" "putc";
    Fseek "fseek";
    Fseeko "fseeko";
    Ftell "ftell";
    Ftello "ftello";
    Fflush "fflush";
    Dup "dup" "dup2" "dup3";
}

use Function::*;

/// What a call may overtake, and what may overtake it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Is about a path: descriptors and positions play no part.
    OfPath,
    /// Passes an offset: the position plays no part.
    Placed,
    /// Neither depends on the position nor changes anything.
    Free,
    /// Depends on the position, or changes what comes after it.
    InTurn,
}

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

    fn call(self) -> Option<&'static Call> {
        self.op().call()
    }

    fn is_of(self, kind: Kind) -> bool {
        self.call().is_some_and(|call| call.kind == kind)
    }

    fn order(self) -> Order {
        match self {
            Stat | Lstat | Access | Unlink | Mkdir | Rmdir => Order::OfPath,
            Pread | Pwrite | Preadv | Pwritev | AioRead | AioWrite => Order::Placed,
            Fsync | Fdatasync | Fstat => Order::Free,
            Open | Openat | Creat | Close | Read | Write | Readv | Writev | Lseek | Ftruncate
            | Fopen | Fclose | Fread | Fwrite | Fgetc | Fputc | Fseek | Fseeko | Ftell | Ftello
            | Fflush | Dup => Order::InTurn,
        }
    }

    /// Makes a descriptor or stream.
    pub fn opens(self) -> bool {
        self.is_of(Kind::Open)
    }

    /// Gives one up.
    pub fn closes(self) -> bool {
        self.is_of(Kind::Close)
    }

    /// Is about a path.
    pub fn is_of_path(self) -> bool {
        self.order() == Order::OfPath
    }

    /// Whether it transfers bytes from a file.
    pub fn reads(self) -> bool {
        self.is_of(Kind::Read)
    }

    /// Whether it transfers bytes to a file.
    pub fn writes(self) -> bool {
        self.is_of(Kind::Write)
    }

    /// Writes out what a stream holds back.
    pub fn empties(self) -> bool {
        matches!(self, Fclose | Fflush | Fseek | Fseeko)
    }

    /// Passes an offset, so that the position plays no part.
    pub fn is_placed(self) -> bool {
        self.order() == Order::Placed
    }

    /// Is called on a stream.
    pub fn is_of_stream(self) -> bool {
        self.call().is_some_and(|call| call.layer == Layer::Stdio)
    }

    /// Depends on the position, or changes what comes after it: it keeps its turn.
    pub fn keeps_turn(self) -> bool {
        matches!(self.order(), Order::OfPath | Order::InTurn)
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
