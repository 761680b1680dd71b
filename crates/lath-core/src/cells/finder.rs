//! Finding things by handle, again and again.

use super::*;

type Chart<'a, T> = <<T as Thing>::Storage as Storage<T>>::Chart<'a>;

/// The cells and the chart of their storage. What a lookup begins with are values here, which a
/// loop keeps in registers; asked of the cells, which others may be staging into, they are loaded
/// each time.
pub(super) struct Finder<'a, T: Thing> {
    pub(super) cells: &'a Cells<T>,
    chart: Chart<'a, T>,
}

impl<T: Thing> Clone for Finder<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Thing> Copy for Finder<'_, T> {}

impl<T: Thing> Cells<T> {
    #[inline(always)]
    pub(super) fn finder(&self) -> Finder<'_, T> {
        Finder { cells: self, chart: self.values.chart() }
    }
}

impl<T: Thing> Finder<'_, T> {
    /// The place of the slot that a handle names, whatever is in it, if the chart has it.
    #[inline(always)]
    pub(super) fn place(self, handle: Handle<T>) -> Option<Place<T>> {
        T::Storage::place_by(self.chart, handle.index())
    }

    /// The place of the value that a handle names: it holds one.
    #[inline(always)]
    pub(super) fn find(self, handle: Handle<T>) -> Option<Place<T>> {
        self.cells.find_at(self.place(handle), handle)
    }
}

impl<T: Thing> Cells<T> {
    /// The place of the value that a handle names: it holds one.
    #[inline(always)]
    pub(super) fn find(&self, handle: Handle<T>) -> Option<Place<T>> {
        self.find_at(self.values.place_noted(handle.index()), handle)
    }

    /// The place of the value that a handle names, of whose slot it is known where it is, or not.
    #[inline(always)]
    fn find_at(&self, place: Option<Place<T>>, handle: Handle<T>) -> Option<Place<T>> {
        match place {
            Some(place) => self.holds(place, handle).then_some(place),
            // To the end by itself: if both ways met before stamps are compared, the address would
            // have to be worked out for that.
            None => {
                let place = self.values.place_beyond(handle.index())?;
                self.holds(place, handle).then_some(place)
            }
        }
    }
}
