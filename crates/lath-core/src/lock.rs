#![expect(unsafe_code, reason = "a lock that needs no operating system")]
//! A lock for the rare moments in which a shared pool changes: a few dozen instructions, none of
//! them the user's.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::wait::wait;

/// A value that one thread at a time may use.
pub(crate) struct Lock<V> {
    held: AtomicBool,
    value: UnsafeCell<V>,
}

// SAFETY: the value goes from thread to thread, to one at a time.
unsafe impl<V: Send> Sync for Lock<V> {}

impl<V> Lock<V> {
    pub(crate) const fn new(value: V) -> Self {
        Self { held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Waits until nobody else uses the value.
    pub(crate) fn lock(&self) -> Held<'_, V> {
        let mut rounds = 0;
        while self
            .held
            .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            wait(&mut rounds);
        }
        Held(self)
    }

    /// The value of a lock that nobody else has.
    pub(crate) fn get_mut(&mut self) -> &mut V {
        self.value.get_mut()
    }
}

/// The right to use the value, until this is dropped.
pub(crate) struct Held<'a, V>(&'a Lock<V>);

impl<V> Deref for Held<'_, V> {
    type Target = V;

    fn deref(&self) -> &V {
        // SAFETY: there is one `Held` at a time, by `held`.
        unsafe { &*self.0.value.get() }
    }
}

impl<V> DerefMut for Held<'_, V> {
    fn deref_mut(&mut self) -> &mut V {
        // SAFETY: as in `deref`.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<V> Drop for Held<'_, V> {
    fn drop(&mut self) {
        self.0.held.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::marker::PhantomData;
    use std::rc::Rc;

    use super::*;

    /// Whether a type is `Sync`: the constant of the type itself is found if it is.
    struct Is<X>(PhantomData<X>);

    trait IsNot {
        const SYNC: bool = false;
    }

    impl<X> IsNot for Is<X> {}

    impl<X: Sync> Is<X> {
        const SYNC: bool = true;
    }

    #[test]
    fn a_lock_is_shared_by_threads_that_its_value_may_go_to() {
        const { assert!(Is::<Lock<Cell<u32>>>::SYNC && !Is::<Lock<Rc<u32>>>::SYNC) };
    }
}
