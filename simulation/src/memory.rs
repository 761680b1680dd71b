#![expect(unsafe_code, reason = "an allocator cannot be written without")]
//! Memory that is refused on purpose: what lath promises to answer with an error then, it must.
//!
//! Where Rust itself ends the program, as a `Vec` that grows does, nothing can be tried.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Gives what the system gives, unless it is told not to.
struct Refusing;

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

thread_local! {
    /// Whether memory may be refused to this thread at all.
    static FAULTY: Cell<bool> = const { Cell::new(false) };
    /// How many times this thread is still given memory, if it is counted.
    static LEFT: Cell<Option<u16>> = const { Cell::new(None) };
}

/// While `f` runs, this thread is refused memory where [`refused`] says so. Without, it does not:
/// worlds that must agree do not ask for memory at the same time.
pub fn faulty<R>(f: impl FnOnce() -> R) -> R {
    /// Puts it back, also after a panic.
    struct Before(bool);

    impl Drop for Before {
        fn drop(&mut self) {
            FAULTY.set(self.0);
        }
    }

    let _before = Before(FAULTY.replace(true));
    f()
}

/// Runs something that is refused memory once it has been given some `n` times.
pub fn refused<R>(n: u16, f: impl FnOnce() -> R) -> R {
    LEFT.set(FAULTY.get().then_some(n));
    let result = f();
    LEFT.set(None);
    result
}

/// Refuses no more: a panic needs memory for its message.
pub fn give() {
    LEFT.set(None);
}

/// Whether the memory that is asked for now is refused.
fn refuses() -> bool {
    match LEFT.get() {
        None => false,
        Some(0) => true,
        Some(left) => {
            LEFT.set(Some(left - 1));
            false
        }
    }
}

// SAFETY: all is passed on to the system's allocator as it came, or refused by a null pointer, which
// an allocator may do at any time. Nothing here allocates or unwinds.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match refuses() {
            true => std::ptr::null_mut(),
            // SAFETY: passed on from the caller.
            false => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match refuses() {
            true => std::ptr::null_mut(),
            // SAFETY: passed on from the caller.
            false => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match refuses() {
            true => std::ptr::null_mut(),
            // SAFETY: passed on from the caller.
            false => unsafe { System.realloc(old, layout, size) },
        }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: passed on from the caller.
        unsafe { System.dealloc(old, layout) };
    }
}
