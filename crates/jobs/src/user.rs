//! Names of users.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;

thread_local! {
    /// Those that were asked for: a question may go over the network.
    static KNOWN: RefCell<HashMap<u32, String>> = RefCell::default();
}

/// The name of a user; the number if nobody knows it.
pub fn name(user: u32) -> String {
    KNOWN.with_borrow_mut(|known| known.entry(user).or_insert_with(|| ask(user)).clone())
}

fn ask(user: u32) -> String {
    let mut room = vec![0; 16 << 10];
    let mut entry = MaybeUninit::<libc::passwd>::uninit();
    let mut found = ptr::null_mut();
    // SAFETY: it writes to these places of ours, and no more of the room than is there.
    let failed = unsafe {
        libc::getpwuid_r(
            user,
            entry.as_mut_ptr(),
            room.as_mut_ptr(),
            room.len(),
            &mut found,
        )
    };
    if failed != 0 || found.is_null() {
        return user.to_string();
    }
    // SAFETY: it was found, so the entry is filled, and its name is a C string in the room.
    let name = unsafe { CStr::from_ptr((*found).pw_name) };
    iota_trace::Printable(name.to_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn users_have_names() {
        assert_eq!(name(0), "root");
        assert_eq!(name(3_999_999_999), "3999999999");
    }
}
