//! Faults that are planted ahead: the n-th call of any callback panics.
//!
//! Everything that lath calls and that a user could have written (`Drop`, `Clone`, `Default`,
//! `PartialEq`, closures, hooks, systems, iterators) calls [`burn`]. While a fuse is lit each call
//! shortens it, and the last one panics.

use std::cell::Cell;
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicI64, Ordering};

/// The calls that are left; 0 while nothing is lit.
static LEFT: AtomicI64 = AtomicI64::new(0);
/// How many values that own memory there are.
static OWNED: AtomicI64 = AtomicI64::new(0);

/// The message of the panic.
pub const MESSAGE: &str = "a fuse burned down";

/// The `n`-th callback from now on panics.
pub fn light(n: u16) {
    quiet();
    LEFT.store(i64::from(n.max(1)), Ordering::Relaxed);
}

/// Nothing panics any more. Answers whether the fuse had burned down.
pub fn put_out() -> bool {
    LEFT.swap(0, Ordering::Relaxed) < 0
}

/// A callback was called.
pub fn burn() {
    if LEFT.load(Ordering::Relaxed) > 0
        && !std::thread::panicking()
        && LEFT.fetch_sub(1, Ordering::Relaxed) == 1
    {
        LEFT.store(-1, Ordering::Relaxed);
        crate::memory::give();
        panic!("{MESSAGE}");
    }
}

/// So many values that own memory came, or went.
pub fn count_owned(change: i64) {
    OWNED.fetch_add(change, Ordering::Relaxed);
}

/// How many values that own memory there are.
pub fn owned() -> i64 {
    OWNED.load(Ordering::Relaxed)
}

thread_local! {
    /// While this is set, panics of this thread print nothing.
    static HUSHED: Cell<bool> = const { Cell::new(false) };
}

/// Runs something whose panics print nothing, and catches them.
pub fn hushed<R>(f: impl FnOnce() -> R) -> std::thread::Result<R> {
    quiet();
    let before = HUSHED.replace(true);
    let result = panic::catch_unwind(panic::AssertUnwindSafe(f));
    HUSHED.set(before);
    result
}

/// Panics of fuses, and those that are caught on purpose, are not printed.
fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let planted =
                info.payload().downcast_ref::<String>().is_some_and(|text| text == MESSAGE)
                    || info.payload().downcast_ref::<&str>().is_some_and(|text| *text == MESSAGE);
            if !planted && !HUSHED.get() {
                print(info);
            }
        }));
    });
}
