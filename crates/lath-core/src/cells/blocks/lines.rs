#![expect(unsafe_code, reason = "looks at cache lines of bytes as bytes")]
//! Copied bytes, in whole cache lines.

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

use super::ZERO;

/// A cache line of bytes, which may be anything.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([MaybeUninit<u8>; 64]);

/// Bytes that begin where a cache line does. So do those of an extent of a pool, and where both
/// sides of a copy lie alike to cache lines it is quicker: by a tenth on some processors.
#[derive(Default)]
pub(super) struct Lines {
    /// All that there is room for, written: by a copy, or as zeroes.
    lines: Vec<Line>,
    /// How many of them are in use.
    used: usize,
}

impl Lines {
    /// Makes room for so many bytes, or a few more, and forgets what is beyond. What is new is
    /// zero, or what was there before (I3): a restore pastes it, even if nobody writes it any more.
    pub(super) fn resize(&mut self, bytes: usize) {
        self.used = bytes.div_ceil(size_of::<Line>());
        if self.used > self.lines.len() {
            self.lines.reserve(self.used - self.lines.len());
            self.lines.resize(self.lines.capacity(), Line([ZERO; 64]));
        }
    }
}

impl Deref for Lines {
    type Target = [MaybeUninit<u8>];

    fn deref(&self) -> &Self::Target {
        let lines = &self.lines[..self.used];
        // SAFETY: the lines lie side by side, and have no bytes but theirs.
        unsafe { core::slice::from_raw_parts(lines.as_ptr().cast(), size_of_val(lines)) }
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut Self::Target {
        let lines = &mut self.lines[..self.used];
        // SAFETY: as in `deref`; `&mut self` keeps everyone else away.
        unsafe { core::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) }
    }
}
