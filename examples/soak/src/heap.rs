#![expect(
    unsafe_code,
    reason = "an allocator is an unsafe trait; this one hands everything on to the system's"
)]
//! How many bytes of heap the whole program uses.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static USED: AtomicUsize = AtomicUsize::new(0);

/// What was asked for and not given back.
pub(crate) fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

struct Counting;

// SAFETY: every call is handed on to the system's allocator as it is, and counting allocates
// nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: passed on from the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: passed on from the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: passed on from the caller.
        unsafe { System.dealloc(block, layout) }
    }
}
