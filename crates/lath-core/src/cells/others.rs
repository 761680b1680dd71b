#![expect(unsafe_code, reason = "gives one thing exclusively beside a look at all the others")]
//! One thing to change, and a look at all the others.

use core::marker::PhantomData;

use super::*;
use crate::view::View;

impl<T: Thing> Cells<T> {
    /// One thing exclusively, and a look at all the others.
    pub(crate) fn split(&mut self, handle: Handle<T>) -> Option<(ThingMut<'_, T>, Others<'_, T>)> {
        self.find(handle)?;
        self.mark(handle.index());
        let this = &*self;
        let place = this.find(handle)?;
        // SAFETY: the place is of this storage and holds a value. Not aliased: `Others` refuses
        // this slot, and `&mut self` keeps everyone else away.
        Some((unsafe { this.values.get_mut(place) }, Others::new(this, handle.index())))
    }
}

/// All things but the one that is being changed. As whole things: what
/// [`Pool::split`](crate::Pool::split) and [`Pool::each_with_rest`](crate::Pool::each_with_rest)
/// give. Or the fields that a view uses: what
/// [`Views::each_with_rest`](crate::Views::each_with_rest) gives.
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
/// let (me, others) = ships.split(hunter).unwrap();
/// me.x = others.read(me.target).x - 1.0;
/// assert!(others.get(hunter).is_none()); // that one is in `me`
/// ```
pub struct Others<'a, T: Thing, V = ()> {
    cells: &'a Cells<T>,
    /// The slot of the one that is left out.
    me: u32,
    view: PhantomData<fn() -> V>,
}

impl<'a, T: Thing, V> Others<'a, T, V> {
    /// All but the thing in slot `me`.
    #[inline(always)]
    pub(super) fn new(cells: &'a Cells<T>, me: u32) -> Self {
        Self { cells, me, view: PhantomData }
    }
}

impl<'a, T: Thing> Others<'a, T> {
    /// Looks at another thing; `None` if the handle is stale or names the one that is being
    /// changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship { x: f32, next: Handle<Ship> }
    /// let mut ships = Pool::new();
    /// let first = ships.spawn(Ship { x: 1.0, ..Default::default() });
    /// ships.spawn(Ship { x: 2.0, next: first });
    /// // Whoever follows nobody stays where it is.
    /// ships.each_with_rest(|_, me, others| if let Some(next) = others.get(me.next) { me.x = next.x });
    /// assert!(ships.iter().all(|(_, ship)| ship.x == 1.0));
    /// ```
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
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Ship { x: f32, next: Handle<Ship> }
    /// let mut ships = Pool::new();
    /// let first = ships.spawn(Ship { x: 1.0, ..Default::default() });
    /// let second = ships.spawn(Ship { x: 2.0, next: first });
    /// ships.each_with_rest(|_, me, others| me.x = others.read(me.next).x); // of nobody: 0
    /// assert_eq!([first, second].map(|ship| ships[ship].x), [0.0, 0.0]);
    /// ```
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

impl<T: Thing, V: View<Thing = T>> Others<'_, T, V> {
    /// Looks at fields of another thing through a view: `None` if the handle is stale or names the
    /// one that is being changed, or if the view does not see it. The view must not write, and may
    /// use only fields that the loop uses; anything else does not compile.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Ship { x: f32, next: Handle<Ship> }
    /// let mut ships = Pool::new();
    /// let first = ships.spawn(Ship { x: 1.0, ..Default::default() });
    /// let second = ships.spawn(Ship { x: 2.0, next: first });
    /// ships.view_mut::<(Mut<ship::x>, Ref<ship::next>)>().each_with_rest(|(mut x, next), others| {
    ///     if let Some(there) = others.get::<Ref<ship::x>>(*next) { *x = *there; }
    /// });
    /// assert_eq!(ships[second].x, 1.0);
    /// ```
    ///
    /// ```compile_fail
    /// # use lath_core::{Handle, Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Ship { x: f32, y: f32 }
    /// # let mut ships = Pool::<Ship>::new();
    /// ships.view_mut::<Mut<ship::x>>().each_with_rest(|mut x, others| {
    ///     others.get::<Ref<ship::y>>(Handle::NIL); // the loop does not use `y`
    /// });
    /// ```
    #[inline]
    pub fn get<R: View<Thing = T>>(&self, handle: Handle<T>) -> Option<R::Item<'_>> {
        const {
            assert!(R::WRITES == 0, "the other things can only be looked at: this view writes");
            assert!(
                R::READS & !(V::READS | V::WRITES) == 0,
                "this view reads a field that the query does not use: add the field to the query"
            );
        }
        if handle.index() == self.me {
            return None;
        }
        // SAFETY: nobody else writes to these fields, which are among those of `V` (by
        // `Views::new`); the one thing whose fields are being changed is in another slot.
        unsafe { self.cells.view_of::<R>(handle) }
    }
}
