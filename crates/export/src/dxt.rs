//! Transfers as darshan-dxt-parser prints them: by rank and file, writes first, so that what reads its output reads this.
//! Times have nine digits instead of four.

use super::Format;
use super::grouped::{self, Counts, Sink};
use super::transfer::{Transfer, seconds};
use crate::job::{Job, Row};
use iota_analysis::FileId;
use iota_analysis::processes::command;
use iota_calls::Layer;
use iota_output::OutputFile;
use iota_trace::Printable;
use iota_trace::fnv::Fnv;
use iota_trace::lustre::{Layout, Target};
use iota_trace::read::Part;

/// Text by rank and file
pub struct Dxt {
    /// Which transfers
    pub layer: Layer,
}

impl Format for Dxt {
    fn bytes_per_call(&self) -> u64 {
        100
    }

    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()> {
        to.put(self.head(job).as_bytes())?;
        let (layer, lines) = (self.layer, None);
        let mut text = DxtText {
            layer,
            job,
            to,
            lines,
        };
        grouped::each(job, layer, &mut text)
    }
}

impl Dxt {
    fn head(&self, job: &Job) -> String {
        let trace = job.all.trace;
        let process = trace.parts().first().and_then(Part::process);
        let fields = process
            .as_ref()
            .map(|process| process.fields())
            .unwrap_or_default();
        let (start, nprocs) = (
            trace.start().0.div_euclid(1_000_000_000),
            fields.size.max(1),
        );
        let module = match self.layer {
            Layer::Stdio => "DXT_STDIO",
            Layer::MpiIo => "DXT_MPIIO",
            _ => "DXT_POSIX",
        };
        let rule = "# ***************************************************";
        format!(
            "# iota {}, as darshan-dxt-parser prints\n# exe: {}\n# jobid: {}\n# start_time: {start}\n\
             # nprocs: {nprocs}\n# run time: {}\n\n{rule}\n# {module} module data\n{rule}\n",
            env!("CARGO_PKG_VERSION"),
            command(fields.argv),
            Printable(fields.job),
            seconds(job.all.duration)
        )
    }
}

/// Writes lines as transfers come
struct DxtText<'t, 'j> {
    layer: Layer,
    job: &'j Job<'j>,
    to: &'t mut OutputFile,
    lines: Option<TransferLines<'j>>,
}

impl Sink for DxtText<'_, '_> {
    fn wants(&self, _: &Row) -> bool {
        true
    }

    fn begin(&mut self, parts: &[&Part], file: FileId, counts: Counts) -> anyhow::Result<()> {
        self.lines = Some(TransferLines::new(
            self.layer, self.job, parts, file, counts,
        ));
        Ok(())
    }

    fn add(&mut self, transfer: &Transfer) -> anyhow::Result<()> {
        match &mut self.lines {
            Some(lines) => lines.add(transfer, self.to),
            None => Ok(()),
        }
    }

    fn end(&mut self) -> anyhow::Result<()> {
        let lines = self.lines.take();
        lines.map_or(Ok(()), |lines| self.to.put(&lines.text))
    }
}

/// The lines of a rank and a file
struct TransferLines<'l> {
    text: Vec<u8>,
    module: &'static str,
    rank: u32,
    /// Of the next write, the next read
    segments: [u64; 2],
    layout: Option<Layout<'l>>,
}

impl<'l> TransferLines<'l> {
    fn new(
        layer: Layer,
        job: &'l Job,
        parts: &[&Part],
        file: FileId,
        counts: Counts,
    ) -> TransferLines<'l> {
        let files = &job.all.files;
        let (path, layout) = (files.path(file), files.layout(file));
        let (rank, host) = parts
            .first()
            .map_or((0, &b""[..]), |part| (part.rank(), part.host()));
        let fs_type = if layout.is_some() {
            "lustre"
        } else {
            "UNKNOWN"
        };
        let mut text = format!(
            "\n# DXT, file_id: {}, file_name: {}\n# DXT, rank: {rank}, hostname: {}\n\
             # DXT, write_count: {}, read_count: {}\n# DXT, mnt_pt: UNKNOWN, fs_type: {fs_type}\n",
            file_id(path),
            Printable(path),
            Printable(host),
            counts.0,
            counts.1
        );
        text += &layout.map(striping).unwrap_or_default();
        text +=
            "# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)";
        text += if layout.is_some() { "  [OST]\n" } else { "\n" };
        let module = match layer {
            Layer::MpiIo => "X_MPIIO",
            Layer::Stdio => "X_STDIO",
            _ => "X_POSIX",
        };
        TransferLines {
            text: text.into_bytes(),
            module,
            rank,
            segments: [0; 2],
            layout,
        }
    }

    fn add(&mut self, transfer: &Transfer, to: &mut OutputFile) -> anyhow::Result<()> {
        let Transfer {
            is_write,
            offset,
            length,
            ..
        } = transfer;
        let segment = &mut self.segments[usize::from(!is_write)];
        let (op, start, end) = match is_write {
            true => ("write", seconds(transfer.start), seconds(transfer.end)),
            false => ("read", seconds(transfer.start), seconds(transfer.end)),
        };
        let osts = self.layout.map(|layout| osts(layout, transfer));
        let line = format!(
            "{:>8}{:>8}{op:>7}{segment:>9}{offset:>16}{length:>16} {start:>17} {end:>17}{}\n",
            self.module,
            self.rank,
            osts.unwrap_or_default()
        );
        *segment += 1;
        self.text.extend_from_slice(line.as_bytes());
        if self.text.len() >= super::PIECE {
            to.put(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }
}

/// A number for a path, as Darshan has one
pub fn file_id(path: &[u8]) -> u64 {
    Fnv::of(path)
}

/// The lines that tell how a file lies on Lustre
fn striping(layout: Layout) -> String {
    let Some(part) = layout.main() else {
        return String::new();
    };
    let osts: String = part.osts().map(|ost| format!(" {ost}")).collect();
    format!(
        "# DXT, Lustre stripe_size: {}, Lustre stripe_count: {}\n# DXT, Lustre OST obdidx:{osts}\n",
        part.stripe_size, part.stripe_count
    )
}

/// The OSTs that hold what was transferred, each once
fn osts(layout: Layout, transfer: &Transfer) -> String {
    let (start, mut touched) = (transfer.offset.max(0) as u64, Vec::new());
    let end = start.saturating_add(transfer.length.max(1));
    layout.share(start, end, transfer.is_write, |target, _| {
        if let Target::Ost(ost) = target
            && !touched.contains(&ost)
        {
            touched.push(ost);
        }
    });
    touched.iter().map(|ost| format!("  [{ost}]")).collect()
}
