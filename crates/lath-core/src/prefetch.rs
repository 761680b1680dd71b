#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "the processor's instruction that fetches memory ahead of its use"
    )
)]
//! Memory that will be needed soon: asked for now.

/// Asks for the cache line at an address, whatever is there. Does nothing on processors that this
/// is not written for.
#[inline(always)]
pub fn prefetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program could see; any address will do.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    let _ = at;
}

/// Some of the fields of a thing, as a type: what is done with them is decided when it is compiled.
pub trait SomeFields {
    /// A bit for each.
    const FIELDS: u64;
}
