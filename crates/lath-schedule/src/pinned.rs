#![expect(
    unsafe_code,
    reason = "keeps values that must stay on one thread among values that need not"
)]
//! Values that must be used on the thread that made them.
//!
//! # Invariants
//!
//! - **W3** The value of a [`Pinned`] is looked at, changed and dropped on one thread only. If the
//!   rest is dropped on another, the value is leaked.

use std::mem::ManuallyDrop;
use std::thread::{self, ThreadId};

/// A value and the thread that it belongs to.
pub struct Pinned<R> {
    thread: ThreadId,
    value: ManuallyDrop<R>,
}

// SAFETY: whoever has one on another thread does not get at the value (W3).
unsafe impl<R> Send for Pinned<R> {}
// SAFETY: as above.
unsafe impl<R> Sync for Pinned<R> {}

impl<R> Pinned<R> {
    /// Pins a value to the current thread.
    pub(crate) fn new(value: R) -> Self {
        Self { thread: thread::current().id(), value: ManuallyDrop::new(value) }
    }

    pub(crate) fn is_here(&self) -> bool {
        self.thread == thread::current().id()
    }

    /// The value, on its own thread.
    pub(crate) fn get(&self) -> Option<&R> {
        self.is_here().then_some(&*self.value)
    }

    /// The value, on its own thread.
    pub(crate) fn get_mut(&mut self) -> Option<&mut R> {
        self.is_here().then_some(&mut *self.value)
    }

    /// The value, on its own thread; on others the whole is given back.
    pub(crate) fn into_inner(mut self) -> Result<R, Self> {
        if !self.is_here() {
            return Err(self);
        }
        // SAFETY: this is its thread; it is not used again, since `self` is forgotten.
        let value = unsafe { ManuallyDrop::take(&mut self.value) };
        std::mem::forget(self);
        Ok(value)
    }
}

impl<R> Drop for Pinned<R> {
    fn drop(&mut self) {
        if self.is_here() {
            // SAFETY: this is its thread, and nobody uses it after this.
            unsafe { ManuallyDrop::drop(&mut self.value) }
        }
    }
}
