//! What the processor can do, as the C library found it: to ask the processor takes 20 us in a virtual machine.

/// Whether it has an instruction for the trace's checksums.
#[cfg(target_arch = "x86_64")]
pub fn has_checksums() -> bool {
    // SAFETY: NULL, or a leaf that stays as it is.
    let leaf = unsafe { __x86_get_cpuid_feature_leaf(0).as_ref() };
    leaf.is_some_and(|leaf| leaf.active[ECX] & SSE4_2 != 0)
}

/// `struct cpuid_feature` of sys/platform/x86.h.
#[cfg(target_arch = "x86_64")]
#[repr(C)]
struct Leaf {
    cpuid: [u32; 4],
    active: [u32; 4],
}

/// Places in the arrays, and a bit of leaf 1.
#[cfg(target_arch = "x86_64")]
const ECX: usize = 2;
#[cfg(target_arch = "x86_64")]
const SSE4_2: u32 = 1 << 20;

#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    /// glibc 2.33; 0 is the leaf that the processor calls 1.
    safe fn __x86_get_cpuid_feature_leaf(leaf: u32) -> *const Leaf;
}
