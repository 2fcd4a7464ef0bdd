//! Without a library nothing is known. With the one of tests/programs/lustreapi.c, which `tests/tests/lustre.rs` has this
//! test linked with, one unknown layout is.

use iota_lustreapi::{IS_LINKED, known};
use iota_trace::lustre::Layout;

const UNKNOWN: &[u8] = &[0xd0, 0x0b, 0xd9, 0x0b, 1, 2, 3, 4];

#[test]
fn what_the_library_knows_is_known() {
    assert_eq!(known(b"no layout at all"), None);
    let wanted = std::env::var_os("IOTA_LUSTREAPI").is_some_and(|root| !root.is_empty());
    assert_eq!(IS_LINKED, wanted);
    if !IS_LINKED {
        assert_eq!(known(UNKNOWN), None);
        return;
    }
    let blob = known(UNKNOWN).expect("the library knows it");
    let mut room = [0; 256];
    let length = Layout(&blob).long(&mut room).expect("there is room");
    assert_eq!(
        String::from_utf8_lossy(&room[..length]),
        "0-65536:65536,0,-1:mdt;65536-eof:1048576,3,7,7,8,9:pool=flash"
    );
}
