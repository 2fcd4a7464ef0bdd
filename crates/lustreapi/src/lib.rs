//! Layouts that iota does not know itself: liblustreapi of the machine takes them apart, and they are put together again
//! as a composite layout that every reader knows.

/// A layout that says the same in a form that is known, or nothing: this iota was made without liblustreapi, or that
/// does not know it either.
#[cfg(not(lustreapi))]
pub fn known(_: &[u8]) -> Option<Vec<u8>> {
    None
}

#[cfg(lustreapi)]
pub use linked::known;

/// Whether liblustreapi is there.
pub const IS_LINKED: bool = cfg!(lustreapi);

#[cfg(lustreapi)]
mod linked {
    use iota_trace::lustre::blob::{Comp, composite};
    use std::ffi::{CStr, c_char, c_int, c_void};
    use std::ptr::NonNull;

    /// `enum llapi_layout_comp_use`
    const FIRST: u32 = 1;
    const NEXT: u32 = 3;
    /// `LLAPI_LAYOUT_RAID0` and its kin, which are not the numbers of the attribute.
    const MDT: u64 = 2;
    const PATTERN_RAID0: u32 = 1;
    const PATTERN_MDT: u32 = 0x100;
    const NAME: usize = 16;

    #[repr(C)]
    struct Opaque([u8; 0]);

    unsafe extern "C" {
        fn llapi_layout_get_by_xattr(xattr: *mut c_void, size: isize, flags: u32) -> *mut Opaque;
        fn llapi_layout_free(layout: *mut Opaque);
        fn llapi_layout_comp_use(layout: *mut Opaque, position: u32) -> c_int;
        fn llapi_layout_comp_extent_get(
            layout: *const Opaque,
            start: *mut u64,
            end: *mut u64,
        ) -> c_int;
        fn llapi_layout_comp_flags_get(layout: *const Opaque, flags: *mut u32) -> c_int;
        fn llapi_layout_comp_id_get(layout: *const Opaque, id: *mut u32) -> c_int;
        fn llapi_layout_stripe_size_get(layout: *const Opaque, size: *mut u64) -> c_int;
        fn llapi_layout_stripe_count_get(layout: *const Opaque, count: *mut u64) -> c_int;
        fn llapi_layout_pattern_get(layout: *const Opaque, pattern: *mut u64) -> c_int;
        fn llapi_layout_pool_name_get(
            layout: *const Opaque,
            name: *mut c_char,
            room: usize,
        ) -> c_int;
        fn llapi_layout_ost_index_get(layout: *const Opaque, stripe: u64, index: *mut u64)
        -> c_int;
    }

    /// A layout of the library's.
    struct Layout(NonNull<Opaque>);

    impl Drop for Layout {
        fn drop(&mut self) {
            // SAFETY: made by the library, and not used any more.
            unsafe { llapi_layout_free(self.0.as_ptr()) };
        }
    }

    /// See above.
    pub fn known(layout: &[u8]) -> Option<Vec<u8>> {
        // The library turns bytes round in place on machines of the other endianness.
        let mut copy = layout.to_vec();
        // SAFETY: as many bytes as are said.
        let made =
            unsafe { llapi_layout_get_by_xattr(copy.as_mut_ptr().cast(), copy.len() as isize, 0) };
        let layout = Layout(NonNull::new(made)?);
        let mut comps = Vec::new();
        let mut position = FIRST;
        while layout.moves_to(position) {
            comps.push(layout.component()?);
            position = NEXT;
        }
        Some(composite(&comps))
    }

    impl Layout {
        fn moves_to(&self, position: u32) -> bool {
            // SAFETY: a layout of the library's.
            unsafe { llapi_layout_comp_use(self.0.as_ptr(), position) == 0 }
        }

        /// The component that the layout stands at.
        fn component(&self) -> Option<Comp> {
            let layout = self.0.as_ptr();
            let (mut start, mut end, mut flags, mut id) = (0, 0, 0, 0);
            let (mut size, mut count, mut pattern) = (0u64, 0u64, 0u64);
            // SAFETY: a layout of the library's, and places of the types that it fills.
            let whole = unsafe {
                llapi_layout_comp_extent_get(layout, &mut start, &mut end) == 0
                    && llapi_layout_comp_flags_get(layout, &mut flags) == 0
                    && llapi_layout_comp_id_get(layout, &mut id) == 0
                    && llapi_layout_stripe_size_get(layout, &mut size) == 0
                    && llapi_layout_stripe_count_get(layout, &mut count) == 0
                    && llapi_layout_pattern_get(layout, &mut pattern) == 0
            };
            let is_mdt = pattern & MDT != 0;
            whole.then(|| Comp {
                id,
                flags,
                start,
                end,
                pattern: if is_mdt { PATTERN_MDT } else { PATTERN_RAID0 },
                size: size as u32,
                count: u16::try_from(count).unwrap_or(u16::MAX),
                osts: (0..count).map_while(|stripe| self.ost(stripe)).collect(),
                pool: self.pool(),
            })
        }

        fn ost(&self, stripe: u64) -> Option<u32> {
            let mut index = 0u64;
            // SAFETY: the layout is the library's, and `index` is ours for writing.
            let found =
                unsafe { llapi_layout_ost_index_get(self.0.as_ptr(), stripe, &mut index) == 0 };
            found.then_some(u32::try_from(index).ok()).flatten()
        }

        fn pool(&self) -> Option<String> {
            let mut name = [0u8; NAME];
            // SAFETY: as much room as is said.
            let found = unsafe {
                llapi_layout_pool_name_get(self.0.as_ptr(), name.as_mut_ptr().cast(), NAME) == 0
            };
            let name = CStr::from_bytes_until_nul(&name).ok().filter(|_| found)?;
            (!name.is_empty()).then(|| name.to_string_lossy().into_owned())
        }
    }
}
