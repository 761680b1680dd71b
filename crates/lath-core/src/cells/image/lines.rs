#![expect(unsafe_code, reason = "looks at cache lines of bytes as bytes")]
//! Copied bytes, in whole cache lines.

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

/// A cache line of bytes, which may be anything.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([MaybeUninit<u8>; 64]);

/// Bytes that begin where a cache line does. So do those of a block of a pool, and where both sides
/// of a copy lie alike to cache lines it is quicker: by a tenth on some processors.
#[derive(Clone, Default)]
pub(super) struct Lines(Vec<Line>);

impl Lines {
    /// Makes room for so many bytes, or a few more, and forgets what is beyond. What is new means
    /// nothing yet.
    pub(super) fn resize(&mut self, bytes: usize) {
        let lines = bytes.div_ceil(size_of::<Line>());
        self.0.reserve(lines.saturating_sub(self.0.len()));
        // SAFETY: the capacity is there, and bytes of `MaybeUninit` are always initialised.
        unsafe { self.0.set_len(lines) };
    }

    /// Becomes a copy of another. Reuses what there is.
    pub(super) fn copy(&mut self, from: &Self) {
        self.resize(from.len());
        self.copy_from_slice(from);
    }
}

impl Deref for Lines {
    type Target = [MaybeUninit<u8>];

    fn deref(&self) -> &Self::Target {
        // SAFETY: the lines lie side by side, and have no bytes but theirs.
        unsafe { core::slice::from_raw_parts(self.0.as_ptr().cast(), size_of_val(&*self.0)) }
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut Self::Target {
        // SAFETY: as in `deref`; `&mut self` keeps everyone else away.
        unsafe {
            core::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), size_of_val(&*self.0))
        }
    }
}
