//! Any bytes as a layout: read, shown, shared out; what is shared is all that was asked for, and as a name in a block it
//! comes back.
#![no_main]

use iota_trace::block::{HEADER_SIZE, Ids};
use iota_trace::lustre::Layout;
use iota_trace::names::{Name, NamesReader, NamesWriter};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((numbers, blob)) = data.split_first_chunk::<17>() else {
        return;
    };
    let layout = Layout(blob);
    let mut room = vec![0; blob.len() * 8 + 256];
    assert!(layout.short(&mut room).is_some() && layout.long(&mut room).is_some());
    let [start, length] = [&numbers[..8], &numbers[8..16]]
        .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
    let end = start.saturating_add(length);
    let mut shared = 0u64;
    layout.share(start, end, numbers[16] & 1 == 1, |_, bytes| {
        shared = shared.checked_add(bytes).expect("no byte twice");
    });
    assert_eq!(shared, end - start);
    comes_back(blob);
    let mut names = NamesReader::new(blob);
    names.by_ref().for_each(drop);
});

fn comes_back(blob: &[u8]) {
    let before = &blob[blob.len() / 2..];
    let mut out = vec![0; blob.len() * 4 + 256];
    let mut writer = NamesWriter::new(&mut out);
    assert!(writer.layout(1, before) && writer.layout(2, blob));
    let length = writer.finish(Ids::default()).expect("there was room");
    let mut now = Vec::new();
    for name in NamesReader::new(&out[HEADER_SIZE..length]) {
        if let Name::Layout { layout, .. } = name {
            now.resize(layout.length, 0);
            layout.apply(&mut now);
        }
    }
    assert_eq!(now, blob);
}
