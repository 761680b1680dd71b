//! The one guard for panics: what has to be done to a value however the code that uses it ends.

use core::mem;
use core::ops::{Deref, DerefMut};

/// A value that a function puts in order when the guard goes, also if a panic takes it.
///
/// # Examples
///
/// ```
/// use lath_core::guard::Guard;
/// let mut depth = 0;
/// let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
///     let mut guard = Guard::new(&mut depth, |depth| **depth -= 1);
///     **guard += 1;
///     panic!("inside");
/// }));
/// assert!(unwound.is_err());
/// assert_eq!(depth, 0);
/// ```
pub struct Guard<V, F: FnMut(&mut V)> {
    value: V,
    put_in_order: F,
}

impl<V, F: FnMut(&mut V)> Guard<V, F> {
    /// Guards a value.
    #[inline(always)]
    pub fn new(value: V, put_in_order: F) -> Self {
        Self { value, put_in_order }
    }

    /// Lets go of the value: what could go wrong did not. The value is not dropped, either, so it
    /// should be a reference, or plain.
    #[inline(always)]
    pub fn disarm(self) {
        mem::forget(self);
    }
}

impl<V, F: FnMut(&mut V)> Drop for Guard<V, F> {
    #[inline(always)]
    fn drop(&mut self) {
        (self.put_in_order)(&mut self.value);
    }
}

impl<V, F: FnMut(&mut V)> Deref for Guard<V, F> {
    type Target = V;

    #[inline(always)]
    fn deref(&self) -> &V {
        &self.value
    }
}

impl<V, F: FnMut(&mut V)> DerefMut for Guard<V, F> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut V {
        &mut self.value
    }
}

/// Calls `f`, which may run code of the user's, with all items: a panic does not keep the others
/// from it, and goes on after the last. A second one ends the program, as everywhere in Rust.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn for_all<I: IntoIterator>(items: I, f: impl FnMut(I::Item)) {
    let run = |(items, f): &mut (I::IntoIter, _)| items.for_each(f);
    let mut rest = Guard::new((items.into_iter(), f), run);
    run(&mut rest);
}
