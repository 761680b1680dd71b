#![expect(
    unsafe_code,
    reason = "an allocator is an unsafe trait; this one hands everything on to the system's"
)]
//! Counts the bytes of heap that a piece of work leaves behind.
//!
//! Memory that foreign code asks the C library for (flecs) is not seen here.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[cfg(test)]
#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// By how many bytes this thread's heap has grown; nothing while time is measured, which then
    /// costs one branch that is always foreseen.
    static GROWTH: Cell<Option<isize>> = const { Cell::new(None) };
}

/// How many bytes more are in use after `work` than before: what was asked for, without what the
/// allocator adds.
pub(crate) fn growth(work: impl FnOnce()) -> isize {
    GROWTH.set(Some(0));
    work();
    GROWTH.take().unwrap_or(0)
}

/// The allocator of the programs that measure.
#[derive(Debug)]
pub struct Counting;

impl Counting {
    #[inline]
    fn count(&self, more: usize, less: usize) {
        if let Some(growth) = GROWTH.get() {
            GROWTH.set(Some(growth + more as isize - less as isize));
        }
    }
}

// SAFETY: every call is handed on to the system's allocator as it is, and counting allocates
// nothing.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size(), 0);
        // SAFETY: passed on from the caller.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size(), 0);
        // SAFETY: passed on from the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.count(size, layout.size());
        // SAFETY: passed on from the caller.
        unsafe { System.realloc(block, layout, size) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.count(0, layout.size());
        // SAFETY: passed on from the caller.
        unsafe { System.dealloc(block, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_what_is_left_after_freeing() {
        let mut kept = Vec::new();
        let bytes = growth(|| {
            kept = vec![0_u8; 1000];
            drop(vec![0_u8; 500]);
        });
        assert_eq!((bytes, kept.len()), (1000, 1000));
    }
}
