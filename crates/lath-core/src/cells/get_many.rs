#![expect(unsafe_code, reason = "makes views, as one by one, behind a shared reference")]
//! Looking many things up, with the memory of those that come later fetched ahead.
//!
//! A lookup at random mostly waits for memory, and the processor begins as many of them at a time
//! as their instructions fit into it, a dozen or two. Whoever knows which handles come next can ask
//! for their memory long before.

use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::*;
use crate::prefetch::prefetch;
use crate::view::{StorageOf, Used, View};

/// How many handles ahead memory is asked for.
const AHEAD: usize = 24;

impl<T: Thing> Cells<T> {
    /// Asks for the memory of the stamp that `handle` is compared with, if there is such a slot.
    #[inline(always)]
    pub(crate) fn prefetch_stamp(&self, handle: Handle<T>) {
        if let Some(place) = self.values.find(handle.index()) {
            prefetch(T::Storage::stamp(place));
        }
    }
}

/// The views of the things that some handles name, in the order of the handles:
/// [`Views::get_many`](crate::Views::get_many).
pub struct GetMany<'a, 'h, V: View> {
    cells: &'a Cells<V::Thing>,
    handles: &'h [Handle<V::Thing>],
    view: PhantomData<V>,
}

impl<'a, 'h, V: View> GetMany<'a, 'h, V> {
    /// # Safety
    ///
    /// The view does not write, and for `'a` nobody writes to the fields that it reads.
    #[inline]
    pub(super) unsafe fn new(cells: &'a Cells<V::Thing>, handles: &'h [Handle<V::Thing>]) -> Self {
        let many = Self { cells, handles, view: PhantomData };
        handles.iter().take(AHEAD).for_each(|&handle| many.prefetch(handle));
        many
    }

    /// Asks for the memory of what the view of the thing that `handle` names looks at, if there is
    /// such a slot.
    #[inline(always)]
    fn prefetch(&self, handle: Handle<V::Thing>) {
        if let Some(place) = self.cells.values.find(handle.index()) {
            StorageOf::<V>::prefetch::<Used<V>>(place);
        }
    }
}

impl<'a, V: View> Iterator for GetMany<'a, '_, V> {
    type Item = Option<V::Item<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Option<V::Item<'a>>> {
        let (&handle, rest) = self.handles.split_first()?;
        if let Some(&ahead) = self.handles.get(AHEAD) {
            self.prefetch(ahead);
        }
        self.handles = rest;
        // SAFETY: as `new` asks for.
        Some(unsafe { self.cells.view_of::<V>(handle) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.handles.len(), Some(self.handles.len()))
    }
}

impl<V: View> ExactSizeIterator for GetMany<'_, '_, V> {}

impl<V: View> FusedIterator for GetMany<'_, '_, V> {}
