#![expect(unsafe_code, reason = "gives one thing exclusively beside a look at all the others")]
//! One thing to change, and a look at all the others.

use super::*;

impl<T: Thing> Cells<T> {
    /// One thing exclusively, and a look at all the others.
    pub(crate) fn split(&mut self, handle: Handle<T>) -> Option<(ThingMut<'_, T>, Rest<'_, T>)> {
        self.find(handle)?;
        self.mark(handle.index());
        let this = &*self;
        let place = this.find(handle)?;
        // SAFETY: the place is of this storage and holds a value. Not aliased: `Rest` refuses this
        // slot, and `&mut self` keeps everyone else away.
        Some((unsafe { this.values.get_mut(place) }, Rest { cells: this, me: handle.index() }))
    }
}

/// All things but one: what [`Pool::split`](crate::Pool::split) and
/// [`Pool::each_with_rest`](crate::Pool::each_with_rest) give beside the thing that is being
/// changed.
///
/// # Examples
///
/// ```
/// # use lath_core::{Handle, Pool, Thing};
/// # #[derive(Thing, Default)] struct Ship { x: f32, target: Handle<Ship> }
/// let mut ships = Pool::new();
/// let prey = ships.spawn(Ship { x: 8.0, ..Default::default() });
/// let hunter = ships.spawn(Ship { x: 0.0, target: prey });
///
/// let (me, rest) = ships.split(hunter).unwrap();
/// me.x = rest.read(me.target).x - 1.0;
/// assert!(rest.get(hunter).is_none()); // that one is in `me`
/// ```
pub struct Rest<'a, T: Thing> {
    pub(super) cells: &'a Cells<T>,
    pub(super) me: u32,
}

impl<'a, T: Thing> Rest<'a, T> {
    /// Looks at another thing; `None` if the handle is stale or names the one that is being
    /// changed.
    ///
    /// # Examples
    ///
    /// See [`Rest`].
    #[inline(always)]
    pub fn get(&self, handle: Handle<T>) -> Option<ThingRef<'_, T>> {
        if handle.index() == self.me {
            return None;
        }
        self.cells.get(handle)
    }

    /// Looks at another thing, or at the nil thing where [`get`](Self::get) answers `None`.
    ///
    /// # Examples
    ///
    /// See [`Rest`].
    #[inline(always)]
    pub fn read(&self, handle: Handle<T>) -> ThingRef<'_, T> {
        match self.get(handle) {
            Some(thing) => thing,
            None => self.cells.nil(),
        }
    }

    pub(crate) fn cells(&self) -> &'a Cells<T> {
        self.cells
    }
}
