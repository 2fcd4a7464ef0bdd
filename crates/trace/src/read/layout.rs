//! Where the parts of a file are: by its footers from the end backwards, or, where these fail, block by block.

use std::sync::Arc;

use super::source::{Region, Source, Walk};
use crate::block::{HEADER_SIZE, Header, Ids, kind};
use crate::bytes::Get;
use crate::part::{Entry, FOOTER_SIZE, Footer, INDEX_ENTRY_SIZE};

/// Groups within groups; nothing that iota writes comes near.
const DEPTH: u32 = 64;

/// A part in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Location {
    pub region: Region,
    pub ids: Ids,
    /// `None`: no footer vouches for the region.
    pub footer: Option<Footer>,
}

/// A part, and what it stands in: a file, or a pack of one.
pub(super) type PartLocation = (Arc<Source>, Location);

/// All parts of a file, in the order in which they stand there.
pub(super) fn parts(source: &Arc<Source>) -> Vec<PartLocation> {
    let mut segments = Vec::new();
    let mut end = source.len;
    while let Some((start, footer)) = footer(source, Region { start: 0, end }) {
        segments.push((Region { start, end }, footer));
        end = start;
    }
    let mut places = scan(source, Region { start: 0, end });
    for (region, footer) in segments.into_iter().rev() {
        segment(source, region, footer, &mut places, DEPTH);
    }
    places
}

/// The parts of the pack that begins at `at`.
fn packed(file: &Arc<Source>, at: u64, header: Header) -> Vec<PartLocation> {
    let Some(pack) = Source::of_pack(file, at, header) else {
        let parts = header.count;
        file.problem(
            at,
            format!("a pack of {parts} parts is damaged: none of them can be read"),
        );
        return Vec::new();
    };
    parts(&Arc::new(pack))
}

/// The footer at a region's end, and where its segment starts.
fn footer(source: &Source, region: Region) -> Option<(u64, Footer)> {
    let at = region
        .end
        .checked_sub(FOOTER_SIZE as u64)
        .filter(|at| *at >= region.start)?;
    let header = source
        .header(at, region.end)
        .filter(|header| header.kind == kind::FOOTER)?;
    let mut buffer = Vec::new();
    let footer = Footer::parse(source.payload(at, &header, &mut buffer)?)?;
    let start = region
        .end
        .checked_sub(footer.len)
        .filter(|start| *start >= region.start)?;
    // Where bytes are missing before it, the length leads into the middle of a block.
    source.header(start, region.end)?;
    (footer.len > FOOTER_SIZE as u64 && footer.index < footer.len).then_some((start, footer))
}

/// A segment whose index names segments is a group, else a part.
fn segment(
    source: &Arc<Source>,
    region: Region,
    footer: Footer,
    places: &mut Vec<PartLocation>,
    depth: u32,
) {
    match children(source, region, footer).filter(|_| depth > 0) {
        Some(children) if !children.is_empty() => {
            for child in children {
                self::child(source, child, places, depth - 1);
            }
        }
        Some(_) => places.push((source.clone(), part(source, region, footer))),
        None => places.extend(scan(source, region)),
    }
}

fn child(source: &Arc<Source>, region: Region, places: &mut Vec<PartLocation>, depth: u32) {
    let Region { start, end } = region;
    let is_pack = |header: &Header| header.kind == kind::PACK && header.block_len() == end - start;
    if let Some(header) = source.header(start, end).filter(is_pack) {
        return places.extend(packed(source, start, header));
    }
    match self::footer(source, region) {
        Some((begin, footer)) if begin == start => segment(source, region, footer, places, depth),
        _ => places.extend(scan(source, region)),
    }
}

fn part(source: &Source, region: Region, footer: Footer) -> Location {
    let at = region.end - FOOTER_SIZE as u64;
    let ids = source.header(at, region.end).unwrap_or_default().ids;
    Location {
        region,
        ids,
        footer: Some(footer),
    }
}

/// The segments of a group: none of a part, `None` if the index is damaged. They follow one another, so
/// that however an index was damaged, no byte is read twice.
fn children(source: &Source, region: Region, footer: Footer) -> Option<Vec<Region>> {
    let mut children = Vec::new();
    for entry in entries(source, region, footer)? {
        let (Entry::Segment { offset, len, .. } | Entry::Pack { offset, len, .. }) = entry else {
            continue;
        };
        let start = region.start.checked_add(offset)?;
        let end = start.checked_add(len)?;
        children.push(Region { start, end });
    }
    let mut at = region.start;
    for child in &children {
        if child.start < at || child.end <= child.start || child.end >= region.end {
            return None;
        }
        at = child.end;
    }
    Some(children)
}

/// The entries of a segment's last index block, or of all of a group's; `None` if one is damaged.
pub(super) fn entries(source: &Source, region: Region, footer: Footer) -> Option<Vec<Entry>> {
    let is_of_group = |entry: &Entry| matches!(entry, Entry::Segment { .. } | Entry::Pack { .. });
    chain(source, region, footer, |block| {
        block.iter().any(is_of_group)
    })
}

/// The entries of all of a part's index blocks; `None` if one is damaged.
pub(super) fn all_entries(source: &Source, region: Region, footer: Footer) -> Option<Vec<Entry>> {
    chain(source, region, footer, |_| true)
}

/// Index blocks from the last one on, as long as there is one more and `more` says of the last that it is wanted.
fn chain(
    source: &Source,
    region: Region,
    footer: Footer,
    more: impl Fn(&[Entry]) -> bool,
) -> Option<Vec<Entry>> {
    let (mut all, mut index) = (Vec::new(), footer.index);
    if index == 0 && footer.entries == 0 {
        return Some(all.concat());
    }
    loop {
        let (previous, block) = index_block(source, region, index)?;
        let last = previous == 0 || !more(&block);
        all.push(block);
        if last {
            all.reverse();
            return Some(all.concat());
        }
        // Each index stands before the next: a chain that runs in a circle is damage.
        index = Some(previous).filter(|previous| *previous < index)?;
    }
}

fn index_block(source: &Source, region: Region, index: u64) -> Option<(u64, Vec<Entry>)> {
    let at = region.start.checked_add(index)?;
    let header = source
        .header(at, region.end)
        .filter(|header| header.kind == kind::INDEX)?;
    let mut buffer = Vec::new();
    let mut get = Get(source.payload(at, &header, &mut buffer)?);
    let previous = get.u64()?;
    Some((
        previous,
        get.0
            .as_chunks::<INDEX_ENTRY_SIZE>()
            .0
            .iter()
            .map(Entry::parse)
            .collect(),
    ))
}

/// The parts of a region that no footer describes. A part begins with its Process block; where that is
/// damaged, its other blocks still say whose they are.
fn scan(source: &Arc<Source>, region: Region) -> Vec<PartLocation> {
    let mut places: Vec<PartLocation> = Vec::new();
    // Whether a part goes on here, and whether a footer has to come; where the blocks end so far.
    let (mut open, mut due, mut end) = (false, false, region.start);
    for (at, header) in Walk::suspicious(source, region) {
        end = at + header.block_len();
        due = match header.kind {
            kind::END | kind::PACK => true,
            kind::INDEX => due || !open,
            _ => false,
        };
        match (header.kind, places.last_mut()) {
            (kind::INDEX, _) => {}
            (kind::FOOTER, _) => open = false,
            (kind::PACK, _) => {
                open = false;
                places.extend(packed(source, at, header));
            }
            (_, Some((_, part))) if open && goes_on(part, &header) => part.region.end = end,
            _ => {
                let location = Location {
                    region: Region { start: at, end },
                    ids: header.ids,
                    footer: None,
                };
                places.push((source.clone(), location));
                open = true;
            }
        }
    }
    if due && end == region.end {
        source.problem(end, "the file is cut off: a footer should start here");
    }
    places
}

fn goes_on(part: &Location, block: &Header) -> bool {
    block.kind != kind::PROCESS && (block.ids.rank, block.ids.pid) == (part.ids.rank, part.ids.pid)
}

const _: () = assert!(FOOTER_SIZE > HEADER_SIZE);
