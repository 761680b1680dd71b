#![expect(unsafe_code, reason = "a global allocator is unsafe to implement")]
#![allow(dead_code, reason = "each test file uses a part of this")]
//! The allocator of the tests that look at memory: it counts what a thread asks for, and refuses what it was told to refuse.
//!
//! Kept per thread: a test sees its own calls only. A test file joins by declaring this module.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    /// The number of the call that is refused.
    static REFUSED: Cell<Option<u64>> = const { Cell::new(None) };
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// Counts the calls that this thread makes to get memory.
struct Watched;

impl Watched {
    /// Notes a call; answers whether it may go on.
    fn count() -> bool {
        // Not while the thread is being taken down.
        let number = CALLS.try_with(|calls| calls.replace(calls.get() + 1));
        number.is_err() || number.ok() != REFUSED.try_with(Cell::get).ok().flatten()
    }
}

// SAFETY: passes everything on to the system's allocator, or answers null, which means that there is no memory.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        if Self::count() { unsafe { System.alloc(layout) } } else { null_mut() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        if Self::count() { unsafe { System.alloc_zeroed(layout) } } else { null_mut() }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        if Self::count() { unsafe { System.realloc(memory, layout, size) } } else { null_mut() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Panics if `f` allocates.
#[track_caller]
pub(crate) fn assert_allocates_nothing(what: &str, f: impl FnOnce()) {
    let before = CALLS.get();
    f();
    let calls = CALLS.get() - before;
    assert_eq!(calls, 0, "{what} allocated {calls} times");
}

/// Does `f` with its allocation number `n`, counted from 0, refused. Answers also whether it came to that.
pub(crate) fn refusing<R>(n: u64, f: impl FnOnce() -> R) -> (R, bool) {
    /// Refuses nothing any more, also if `f` panics.
    struct Over;
    impl Drop for Over {
        fn drop(&mut self) {
            REFUSED.set(None);
        }
    }

    let number = CALLS.get() + n;
    REFUSED.set(Some(number));
    let _over = Over;
    let result = f();
    (result, CALLS.get() > number)
}

#[test]
fn the_allocator_counts_and_refuses() {
    assert!(std::panic::catch_unwind(|| assert_allocates_nothing("a vector", || drop(vec![1]))).is_err());
    let reserve = || Vec::<u8>::new().try_reserve(1).is_ok();
    assert_eq!(refusing(0, reserve), (false, true));
    assert_eq!(refusing(1, reserve), (true, false));
    assert_eq!(refusing(1, || (reserve(), reserve(), reserve())), ((true, false, true), true));
}
