//! Memory that is refused on purpose: what lath promises to answer with an error then, it must.
//!
//! Where Rust itself ends the program, as a `Vec` that grows does, nothing can be tried. It is the
//! allocator of [`poison`](crate::poison) that refuses.

use std::cell::Cell;

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
pub(crate) fn refuses() -> bool {
    match LEFT.get() {
        None => false,
        Some(0) => true,
        Some(left) => {
            LEFT.set(Some(left - 1));
            false
        }
    }
}
