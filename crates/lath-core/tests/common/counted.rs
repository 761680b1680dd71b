//! A value that is missed when it leaks and noticed when it is dropped twice, and a fuse that makes
//! the n-th call into user code panic.
//!
//! Both are kept per thread: a test sees its own values only.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

thread_local! {
    static ALIVE: RefCell<BTreeSet<u64>> = const { RefCell::new(BTreeSet::new()) };
    static MADE: Cell<u64> = const { Cell::new(0) };
    static DROPPED_TWICE: Cell<u64> = const { Cell::new(0) };
    static FUSE: Cell<Option<u64>> = const { Cell::new(None) };
    static BLOWN: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// One instance, known by its number. `Default`, `Clone` and `Drop` are calls into user code.
pub(crate) struct Token(u64);

impl Token {
    /// A new instance, made without a call into user code.
    pub(crate) fn new() -> Self {
        let number = MADE.get() + 1;
        MADE.set(number);
        ALIVE.with_borrow_mut(|alive| alive.insert(number));
        Self(number)
    }
}

impl Default for Token {
    fn default() -> Self {
        user_code("Default");
        Self::new()
    }
}

impl Clone for Token {
    fn clone(&self) -> Self {
        user_code("Clone");
        Self::new()
    }
}

/// A drop that panics counts as a drop.
impl Drop for Token {
    fn drop(&mut self) {
        if !ALIVE.with_borrow_mut(|alive| alive.remove(&self.0)) {
            DROPPED_TWICE.set(DROPPED_TWICE.get() + 1);
        }
        user_code("Drop");
    }
}

/// How many tokens of this thread are alive.
pub(crate) fn alive() -> usize {
    ALIVE.with_borrow(BTreeSet::len)
}

/// Panics unless every token that this thread made was dropped exactly once.
#[track_caller]
pub(crate) fn assert_all_dropped_once(context: &str) {
    assert_none_dropped_twice(context);
    ALIVE.with_borrow(|alive| {
        assert!(alive.is_empty(), "{context}: {} values leaked, of {}", alive.len(), MADE.get())
    });
}

/// Panics if a token of this thread was dropped twice.
#[track_caller]
pub(crate) fn assert_none_dropped_twice(context: &str) {
    assert_eq!(DROPPED_TWICE.get(), 0, "{context}: values were dropped twice");
}

/// Forgets the tokens of this thread, so that one failure does not look like many.
pub(crate) fn start_anew() {
    ALIVE.with_borrow_mut(BTreeSet::clear);
    DROPPED_TWICE.set(0);
    BLOWN.set(None);
    FUSE.set(None);
}

/// The call into user code number `n`, counted from 0, panics: once.
pub(crate) fn light_fuse(n: u64) {
    BLOWN.set(None);
    FUSE.set(Some(n));
}

/// Puts the fuse out. Answers which call panicked, if one did.
pub(crate) fn put_out() -> Option<&'static str> {
    FUSE.set(None);
    BLOWN.get()
}

/// Marks a call into user code: the place where it may panic.
pub(crate) fn user_code(what: &'static str) {
    match FUSE.get() {
        Some(0) => {
            FUSE.set(None);
            BLOWN.set(Some(what));
            // Not `panic!`: the message of a panic that is meant would only be noise.
            std::panic::resume_unwind(Box::new(what));
        }
        left => FUSE.set(left.map(|n| n - 1)),
    }
}
