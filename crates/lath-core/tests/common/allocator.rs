#![expect(unsafe_code, reason = "a global allocator is unsafe to implement")]
#![allow(dead_code, reason = "each test file uses a part of this")]
//! The allocator of the tests that look at memory: it counts what a thread asks for and holds, and
//! refuses what it was told to refuse.
//!
//! Kept per thread: a test sees its own calls only. A test file joins by declaring this module.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    /// Bytes that were given and not given back.
    static HELD: Cell<isize> = const { Cell::new(0) };
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

    /// Notes memory that was given, unless it is null.
    fn given(memory: *mut u8, bytes: usize) -> *mut u8 {
        if !memory.is_null() {
            _ = HELD.try_with(|held| held.set(held.get() + bytes as isize));
        }
        memory
    }

    /// Notes memory that came back.
    fn returned(bytes: usize) {
        _ = HELD.try_with(|held| held.set(held.get() - bytes as isize));
    }
}

// SAFETY: passes everything on to the system's allocator, or answers null, which means that there
// is no memory.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Self::count() {
            return null_mut();
        }
        // SAFETY: as the caller promises.
        Self::given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !Self::count() {
            return null_mut();
        }
        // SAFETY: as the caller promises.
        Self::given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !Self::count() {
            return null_mut();
        }
        // SAFETY: as the caller promises.
        let memory = Self::given(unsafe { System.realloc(memory, layout, size) }, size);
        if !memory.is_null() {
            Self::returned(layout.size());
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        Self::returned(layout.size());
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

/// Panics if `f`, done a second time, leaves memory behind; what is made once and kept does not
/// count.
#[track_caller]
pub(crate) fn assert_gives_all_back(what: &str, mut f: impl FnMut()) {
    f();
    let before = HELD.get();
    f();
    assert_eq!(HELD.get() - before, 0, "bytes that {what} left behind");
}

/// Does `f` with its allocation number `n`, counted from 0, refused. Answers also whether it came
/// to that.
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
    assert!(
        std::panic::catch_unwind(|| assert_allocates_nothing("a vector", || drop(vec![1])))
            .is_err()
    );
    let mut kept = Vec::with_capacity(2);
    let keep = || assert_gives_all_back("a vector", || kept.push(Vec::<u8>::with_capacity(9)));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(keep)).is_err());
    assert_gives_all_back("a vector", || (0..999).for_each(|n| drop(vec![n; n])));
    let reserve = || Vec::<u8>::new().try_reserve(1).is_ok();
    assert_eq!(refusing(0, reserve), (false, true));
    assert_eq!(refusing(1, reserve), (true, false));
    assert_eq!(refusing(1, || (reserve(), reserve(), reserve())), ((true, false, true), true));
}
