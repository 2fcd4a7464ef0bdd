//! Arguments of `iota wraps`.

/// Prints what to add to a link line
///
/// A program that is linked with these words is traced without `iota run`. They
/// name the libraries where they lie now: if these are moved, dynamic programs
/// have to be linked again.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        mpicc app.o $(iota wraps) -o app\n  \
        gcc -static tool.o $(iota wraps) -o tool\n  \
        iota wraps --glibc 2.31               for a static link with another C library"
)]
pub struct Wraps {
    /// The version of the C library that is linked with, if it is not this machine's
    #[arg(long, value_name = "VERSION")]
    pub glibc: Option<String>,
}
