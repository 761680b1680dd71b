#![expect(
    unsafe_code,
    reason = "hands out views of things whose other fields somebody else may be using"
)]
//! The one door to fields: the things of a pool as a view shows them.
//!
//! While somebody has [`Views`], others may have views of other fields of the same things: that is
//! what a scheduler gives to systems that run at the same time.

use core::marker::PhantomData;
use core::ops::Range;

use super::parallel::{Everywhere, part, share_out, stateless};
use super::*;
use crate::each;
use crate::error::SingleError;
use crate::field::{Field, Fields};
use crate::tags::Filter;
use crate::view::{Slices, Used, View};

/// The things of a pool as one view shows them: what [`Pool::view`](crate::Pool::view) and
/// [`Pool::view_mut`](crate::Pool::view_mut) give, and `Query` in a system is the same.
///
/// Those that the view's tags leave out are not seen: loops pass them over, and
/// [`get`](Self::get) answers `None`.
///
/// Calls that do not take it mutably are for views that do not write; what they give lasts as long
/// as the pool is borrowed.
///
/// # Examples
///
/// ```
/// use lath_core::{Mut, Pool, Ref, Thing};
/// # #[derive(Thing, Default)] struct Actor { pos: f32, vel: f32 }
/// let mut actors = Pool::new();
/// let [ada, lin] = [1.0, 2.0].map(|vel| actors.spawn(Actor { pos: 0.0, vel }));
///
/// let mut moving = actors.view_mut::<(Mut<actor::pos>, Ref<actor::vel>)>();
/// moving.each(|(mut pos, vel)| *pos += *vel); // the fast way
/// for (mut pos, vel) in &mut moving { *pos += *vel; }
/// if let Some((mut pos, _)) = moving.get_mut(ada) { *pos = 8.0; }
///
/// let places = actors.view::<Ref<actor::pos>>();
/// assert_eq!(places.get(lin).map(|pos| *pos), Some(4.0));
/// assert_eq!(places.iter().map(|pos| *pos).sum::<f32>(), 12.0);
/// ```
///
/// A view that writes needs the pool exclusively, and a field that is used twice, once of them
/// mutably, does not compile:
///
/// ```compile_fail
/// # use lath_core::{Mut, Pool, Thing};
/// # #[derive(Thing, Default)] struct Actor { pos: f32 }
/// # let actors = Pool::<Actor>::new();
/// let (one, other) = (actors.view::<Mut<actor::pos>>(), actors.view::<Mut<actor::pos>>()); // both could write
/// ```
///
/// ```compile_fail
/// # use lath_core::{Mut, Pool, Ref, Thing};
/// # #[derive(Thing, Default)] struct Actor { pos: f32 }
/// # let mut actors = Pool::<Actor>::new();
/// actors.view_mut::<(Mut<actor::pos>, Ref<actor::pos>)>().each(|(a, b)| ());
/// ```
pub struct Views<'a, V: View> {
    cells: &'a Cells<V::Thing>,
    /// Where its `par_` forms run, if not where those of a pool do.
    workers: Option<&'a dyn Workers>,
    /// Not the view itself: whether this may be sent elsewhere follows from the cells.
    view: PhantomData<fn() -> V>,
}

impl<'a, V: View> Views<'a, V> {
    /// # Safety
    ///
    /// For as long as `'a`: no slot changes its state but from free to claimed, nobody writes to
    /// the fields in `V::READS`, and nobody else uses those in `V::WRITES`.
    #[inline(always)]
    pub(crate) unsafe fn new(cells: &'a Cells<V::Thing>) -> Self {
        let _checked = const { (V::READS, V::WRITES) };
        Self { cells, workers: None, view: PhantomData }
    }

    /// The same, with `par_` forms that run on these threads: for schedulers.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Thing, Workers};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// /// Nobody but whoever calls.
    /// struct Alone;
    ///
    /// impl Workers for Alone {
    ///     fn count(&self) -> usize { 1 }
    ///     fn enter(&self, work: &mut (dyn FnMut() + Send + '_)) { work() }
    /// }
    ///
    /// let mut actors: Pool<Actor> = (0..10_000).map(|hp| Actor { hp: hp as f32 }).collect();
    /// let here = std::thread::current().id();
    /// actors.view_mut::<Mut<actor::hp>>().on(&Alone).par_each(|_| assert_eq!(std::thread::current().id(), here));
    /// ```
    #[doc(hidden)] // for `lath-schedule`
    #[must_use]
    #[inline(always)]
    pub fn on(self, workers: &'a dyn Workers) -> Self {
        Self { workers: Some(workers), ..self }
    }

    /// The view of one thing; `None` if there is no such thing, or the view does not see it. For
    /// views that do not write.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32, target: Handle<Actor> }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor { hp: 3.0, ..Default::default() });
    /// let lin = actors.spawn(Actor { hp: 4.0, target: ada });
    ///
    /// let hp = actors.view::<Ref<actor::hp>>();
    /// let targets = actors.iter().filter_map(|(_, actor)| hp.get(actor.target));
    /// assert_eq!(targets.map(|hp| *hp).sum::<f32>(), 3.0); // the other one has none
    /// ```
    #[inline]
    pub fn get(&self, handle: Handle<V::Thing>) -> Option<V::Item<'a>> {
        const { assert!(V::WRITES == 0, "this view writes: use `get_mut`") };
        // SAFETY: nobody writes to the fields (by `new`), and the view does not.
        unsafe { self.cells.view_of::<V>(handle) }
    }

    /// The view of one thing, to be changed; `None` if there is no such thing, or the view does not
    /// see it.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor { hp: 3.0 });
    /// let mut hp = actors.view_mut::<Mut<actor::hp>>();
    /// if let Some(mut hp) = hp.get_mut(ada) { *hp -= 1.0; }
    /// assert!(hp.get_mut(Handle::NIL).is_none());
    /// assert_eq!(actors[ada].hp, 2.0);
    /// ```
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<V::Thing>) -> Option<V::Item<'_>> {
        self.cells.mark_given::<V>(handle);
        // SAFETY: nobody else uses the fields (by `new`), and this is borrowed exclusively for as
        // long as the item lives.
        unsafe { self.cells.view_of::<V>(handle) }
    }

    /// The views of many things, in the order of their handles; `None` for those that are gone, or
    /// that the view does not see. For views that do not write: a handle may come twice.
    ///
    /// As [`get`](Self::get) for one after the other, but the memory of those that come later is
    /// fetched ahead: where things are looked up at random in a pool of a hundred thousand or more,
    /// that takes a third to a half off the time; in one that fits into the cache it adds a
    /// quarter. For whole things in rows the view is `&Actor`.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32, target: Handle<Actor> }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor { hp: 3.0, ..Default::default() });
    /// let lin = actors.spawn(Actor { hp: 4.0, target: ada });
    /// let targets = [ada, lin, ada, Handle::NIL];
    /// let seen: Vec<_> = actors.view::<Ref<actor::hp>>().get_many(&targets).map(|hp| hp.map(|hp| *hp)).collect();
    /// assert_eq!(seen, [Some(3.0), Some(4.0), Some(3.0), None]);
    ///
    /// let whole: f32 = actors.view::<&Actor>().get_many(&targets).flatten().map(|actor| actor.hp).sum();
    /// assert_eq!(whole, 10.0);
    /// ```
    #[inline]
    pub fn get_many<'h>(&self, handles: &'h [Handle<V::Thing>]) -> GetMany<'a, 'h, V> {
        const {
            assert!(
                V::WRITES == 0,
                "this view writes, and a thing may come twice: use `get_mut`, or `get_disjoint`"
            )
        };
        // SAFETY: nobody writes to the fields (by `new`), and the view does not.
        unsafe { GetMany::new(self.cells, handles) }
    }

    /// The views of several things at once, to be changed, each with an answer of its own. A handle
    /// that comes twice is refused the second time, and so is a thing that the view does not see.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{HandleError, Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew { coins: u32 }
    /// let mut crew = Pool::new();
    /// let [ada, lin] = [7, 0].map(|coins| crew.spawn(Crew { coins }));
    ///
    /// let mut coins = crew.view_mut::<Mut<crew::coins>>();
    /// if let [Ok(mut from), Ok(mut to)] = coins.get_disjoint([ada, lin]) {
    ///     std::mem::swap(&mut *from, &mut *to);
    /// }
    /// assert!(matches!(coins.get_disjoint([ada, ada]), [Ok(_), Err(HandleError::Twice { .. })]));
    /// assert_eq!(crew[lin].coins, 7);
    /// ```
    pub fn get_disjoint<const N: usize>(
        &mut self,
        handles: [Handle<V::Thing>; N],
    ) -> [Result<V::Item<'_>, HandleError>; N] {
        handles.iter().for_each(|&handle| self.cells.mark_given::<V>(handle));
        self.cells.disjoint(handles, |handle| {
            // SAFETY: nobody else uses the fields (by `new`), and this is borrowed exclusively for
            // as long as the items live, which are of different slots (`disjoint`).
            let seen = unsafe { self.cells.view_of::<V>(handle) };
            seen.ok_or_else(|| match self.cells.contains(handle) {
                true => HandleError::Unseen { handle: handle.name() },
                false => self.cells.why_not(handle),
            })
        })
    }

    /// Whether there is such a thing and the view sees it.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor { hp: 3.0 });
    /// let views = actors.view::<Ref<actor::hp>>();
    /// assert!(views.contains(ada) && !views.contains(Handle::NIL));
    /// ```
    #[inline]
    pub fn contains(&self, handle: Handle<V::Thing>) -> bool {
        self.cells.place_of::<V>(handle).is_some()
    }

    /// How many things the view sees.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// assert_eq!(actors.view::<Ref<actor::hp>>().count(), 2);
    /// ```
    pub fn count(&self) -> usize {
        self.cells.filter::<V>().count()
    }

    /// Whether the view sees nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors = Pool::new();
    /// assert!(actors.view::<Ref<actor::hp>>().is_empty());
    /// actors.spawn(Actor { hp: 3.0 });
    /// assert!(!actors.view::<Ref<actor::hp>>().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        ViewIter::<V>::new(self.cells).next_row().is_none()
    }

    /// The one thing that the view sees.
    ///
    /// # Errors
    ///
    /// [`SingleError`] if there is none, or more than one.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, SingleError, Thing};
    /// # #[derive(Thing, Default)] struct Player { gold: u32 }
    /// let mut players: Pool<Player> = [Player { gold: 3 }].into_iter().collect();
    /// let mut gold = players.view_mut::<Mut<player::gold>>();
    /// *gold.single()? += 1;
    ///
    /// players.clear();
    /// assert_eq!(players.view_mut::<Mut<player::gold>>().single().err(), Some(SingleError { seen: 0 }));
    /// # Ok::<(), SingleError>(())
    /// ```
    pub fn single(&mut self) -> Result<V::Item<'_>, SingleError> {
        match self.count() {
            1 => self.iter_mut().next().ok_or(SingleError { seen: 0 }),
            seen => Err(SingleError { seen }),
        }
    }

    /// All views, one by one, in slot order. For views that do not write; others are iterated by
    /// `&mut`, or [`iter_mut`](Self::iter_mut). [`each`](Self::each) is faster.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32, name: String }
    /// let actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp, ..Default::default() }).into_iter().collect();
    /// let hp = actors.view::<Ref<actor::hp>>();
    /// assert_eq!(hp.iter().map(|hp| *hp).sum::<f32>(), 7.0);
    /// assert!(hp.into_iter().is_sorted_by_key(|hp| *hp)); // it is an iterator's source itself
    /// ```
    #[inline]
    pub fn iter(&self) -> ViewIter<'a, V> {
        const {
            assert!(
                V::WRITES == 0,
                "this view writes: iterate over `&mut` of it, or use `iter_mut`"
            )
        };
        ViewIter::new(self.cells)
    }

    /// All views, one by one, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// for mut hp in actors.view_mut::<Mut<actor::hp>>().iter_mut() { *hp *= 2.0; }
    /// for mut hp in actors.view_mut::<Mut<actor::hp>>() { *hp *= 2.0; } // the same
    /// # assert_eq!(actors.iter().map(|(_, actor)| actor.hp).sum::<f32>(), 28.0);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> ViewIter<'_, V> {
        self.cells.mark_seen::<V>();
        ViewIter::new(self.cells)
    }

    /// Calls `f` with every view, in slot order: the fast way to walk a pool.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { pos: f32, vel: f32 }
    /// let mut actors: Pool<Actor> = [1.0, 2.0].map(|vel| Actor { pos: 0.0, vel }).into_iter().collect();
    /// actors.view_mut::<(Mut<actor::pos>, Ref<actor::vel>)>().each(|(mut pos, vel)| *pos += *vel);
    /// actors.view_mut::<&mut Actor>().each(|actor| actor.vel = 0.0); // rows: the whole thing is a view too
    /// assert_eq!(actors.iter().map(|(_, actor)| actor.pos).sum::<f32>(), 3.0);
    /// ```
    #[inline]
    pub fn each<'x>(&'x mut self, f: impl FnMut(V::Item<'x>)) {
        self.cells.mark_seen::<V>();
        let cells = self.cells;
        // SAFETY: slots that match are live and hold values (C2, C1), and stay so (by `new`).
        // Nobody else uses the fields (by `new`), this is borrowed exclusively for `'x`, and the
        // loop makes one item per slot.
        unsafe { each::each::<V>(&cells.values, cells.filter::<V>(), each::ALL, f) }
    }

    /// Calls `f` with every view, in slot order, beside a look at the same fields of all the
    /// others.
    ///
    /// The others are all things of the pool but the one at hand, also those that the view's tags
    /// leave out. The view through which they are seen is named in the call: see
    /// [`Others::get`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Ship { x: f32, target: Handle<Ship> }
    /// let mut ships = Pool::new();
    /// let prey = ships.spawn(Ship { x: 8.0, ..Default::default() });
    /// let hunter = ships.spawn(Ship { x: 0.0, target: prey });
    /// ships.view_mut::<(Mut<ship::x>, Ref<ship::target>)>().each_with_rest(|(mut x, target), others| {
    ///     if let Some(there) = others.get::<Ref<ship::x>>(*target) { *x += (*there - *x) / 2.0; }
    /// });
    /// assert_eq!(ships[hunter].x, 4.0);
    /// ```
    #[inline]
    pub fn each_with_rest(
        &mut self,
        mut f: impl for<'x> FnMut(V::Item<'x>, &Others<'_, V::Thing, V>),
    ) {
        self.cells.mark_seen::<V>();
        let mut slots = ViewIter::<V>::new(self.cells);
        while let Some((index, base, row)) = slots.next_row() {
            // SAFETY: the row is within its run, and its slot is live and holds a value. Not
            // aliased: nobody else uses the fields (by `new`), and this is borrowed exclusively;
            // `Others` leaves this slot out; nothing of an earlier round is left, since the closure
            // takes any lifetime.
            f(unsafe { V::at(base, row) }, &Others::new(self.cells, index));
        }
    }

    /// Calls `f` with slices over every run of neighbouring things that the view sees, in slot
    /// order: for SIMD, GPU uploads and `memcpy`. Needs columns; the view is a tuple of
    /// [`Ref`](crate::Ref) and [`Mut`](crate::Mut), or a derived one of plain references.
    ///
    /// # Panics
    ///
    /// If a field does not lie densely: the thing is kept in rows, or the field is `hot`.
    ///
    /// # Examples
    ///
    /// ```
    /// # // Shown with `#[thing(columns)]` in `lath-soa`; rows have no slices.
    /// # use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// # let actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// # let rows = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
    /// let mut upload = Vec::new();
    /// actors.view::<Ref<actor::hp>>().slices(|hp: &[f32]| upload.extend_from_slice(hp));
    /// # }));
    /// # assert!(rows.is_err());
    /// ```
    #[inline]
    pub fn slices<'x>(&'x mut self, f: impl FnMut(V::Slices<'x>))
    where
        V: Slices,
    {
        assert_dense::<V>();
        self.cells.mark_seen::<V>();
        let cells = self.cells;
        // SAFETY: as in `each`; dense, as was asserted just now.
        unsafe { each::each_run::<V>(&cells.values, cells.filter::<V>(), each::ALL, f) }
    }

    /// As [`each`](Self::each), on several threads, in chunks of 4096 slots. Worth it from some
    /// tens of microseconds of work on.
    ///
    /// The threads are those of the schedule in a system, else those of the rayon pool that this is
    /// called in, else those that all of lath shares. Without the feature `parallel` there is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors: Pool<Actor> = (0..10_000).map(|hp| Actor { hp: hp as f32 }).collect();
    /// actors.view_mut::<Mut<actor::hp>>().par_each(|mut hp| *hp = hp.sqrt());
    /// # assert_eq!(actors.iter().nth(81).unwrap().1.hp, 9.0);
    /// ```
    pub fn par_each<'x>(&'x mut self, f: impl Fn(V::Item<'x>) + Sync)
    where
        V::Item<'x>: Send,
    {
        self.par_each_with(&mut stateless(self.chunks()), |item, ()| f(item));
    }

    /// As [`par_each`](Self::par_each), in as many parts as there are states: each part has its
    /// own, and those of lower slots have earlier ones. What is in them afterwards does not depend
    /// on the threads.
    ///
    /// # Panics
    ///
    /// If there is no state.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: u64 }
    /// let actors: Pool<Actor> = (0..10_000).map(|hp| Actor { hp }).collect();
    /// let mut sums = [0; 8];
    /// actors.view::<Ref<actor::hp>>().par_each_with(&mut sums, |hp, sum| *sum += *hp);
    /// assert_eq!(sums.iter().sum::<u64>(), 49_995_000);
    /// ```
    pub fn par_each_with<'x, S: Send>(
        &'x mut self,
        states: &mut [S],
        f: impl Fn(V::Item<'x>, &mut S) + Sync,
    ) where
        V::Item<'x>: Send,
    {
        self.in_parts(states, |cells, groups, state| {
            // SAFETY: as in `each`; every slot is in one part, so that every item is made once, on
            // one thread.
            unsafe {
                each::each::<V>(&cells.values, cells.filter::<V>(), groups, |item| f(item, state));
            }
        });
    }

    /// As [`slices`](Self::slices), on several threads, in chunks of 4096 slots.
    ///
    /// # Panics
    ///
    /// As [`slices`](Self::slices).
    ///
    /// # Examples
    ///
    /// ```
    /// # // Shown with `#[thing(columns)]` in `lath-soa`; rows have no slices.
    /// # use lath_core::{Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// # let mut actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// # let rows = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
    /// actors.view_mut::<Mut<actor::hp>>().par_slices(|hp: &mut [f32]| hp.fill(1.0));
    /// # }));
    /// # assert!(rows.is_err());
    /// ```
    pub fn par_slices<'x>(&'x mut self, f: impl Fn(V::Slices<'x>) + Sync)
    where
        V: Slices,
        V::Slices<'x>: Send,
    {
        assert_dense::<V>();
        self.in_parts(&mut stateless(self.chunks()), |cells, groups, ()| {
            // SAFETY: as in `par_each_with`; dense, as was asserted just now.
            unsafe { each::each_run::<V>(&cells.values, cells.filter::<V>(), groups, &f) }
        });
    }

    /// Into how many chunks of 4096 slots the things can be divided.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let actors: Pool<Actor> = (0..10_000).map(|_| Actor::default()).collect();
    /// assert_eq!(actors.view::<Ref<actor::hp>>().chunks(), 3);
    /// ```
    #[doc(hidden)] // for `lath-schedule`
    pub fn chunks(&self) -> usize {
        self.cells.chunk_count()
    }

    /// Divides all groups into as many parts as there are states, and calls `f` with each part and
    /// its state, wherever this one's `par_` forms run.
    fn in_parts<'x, S: Send>(
        &'x mut self,
        states: &mut [S],
        f: impl Fn(&'x Cells<V::Thing>, Range<u32>, &mut S) + Sync,
    ) {
        let (chunks, parts) = (self.chunks(), states.len());
        assert!(parts > 0 || chunks == 0, "a loop in parts needs a state for at least one");
        self.cells.mark_seen::<V>();
        let cells = Everywhere(self.cells);
        share_out(self.workers, states, &|n, state| f(cells.get(), part(chunks, n, parts), state));
    }
}

impl<'a, V: View> IntoIterator for Views<'a, V> {
    type Item = V::Item<'a>;
    type IntoIter = ViewIter<'a, V>;

    #[inline]
    fn into_iter(self) -> ViewIter<'a, V> {
        self.cells.mark_seen::<V>();
        ViewIter::new(self.cells)
    }
}

impl<'a, V: View> IntoIterator for &Views<'a, V> {
    type Item = V::Item<'a>;
    type IntoIter = ViewIter<'a, V>;

    #[inline]
    fn into_iter(self) -> ViewIter<'a, V> {
        self.iter()
    }
}

impl<'x, V: View> IntoIterator for &'x mut Views<'_, V> {
    type Item = V::Item<'x>;
    type IntoIter = ViewIter<'x, V>;

    #[inline]
    fn into_iter(self) -> ViewIter<'x, V> {
        self.iter_mut()
    }
}

impl<T: Thing> Cells<T> {
    /// All that a view sees. The view must not write.
    #[inline(always)]
    pub(crate) fn view<V: View<Thing = T>>(&self) -> Views<'_, V> {
        const { assert!(V::WRITES == 0, "this view writes: use `view_mut`") };
        // SAFETY: behind a shared reference slots only go from free to claimed (S3), nobody writes
        // to a field, and the view does not.
        unsafe { Views::new(self) }
    }

    /// All that a view sees.
    #[inline(always)]
    pub(crate) fn view_mut<V: View<Thing = T>>(&mut self) -> Views<'_, V> {
        self.prepare_marks(V::WRITES);
        // SAFETY: the exclusive borrow of the cells keeps everyone else away.
        unsafe { Views::new(self) }
    }

    /// The live slots that a view sees.
    #[inline]
    pub(crate) fn filter<V: View<Thing = T>>(&self) -> Filter<'_> {
        Filter::new(&self.slots, self.tags.maps(), V::WITH, V::WITHOUT)
    }

    /// The place of the thing that a handle names, if the view sees it.
    #[inline(always)]
    fn place_of<V: View<Thing = T>>(&self, handle: Handle<T>) -> Option<Place<T>> {
        let place = self.find(handle)?;
        if V::WITH | V::WITHOUT != 0 {
            // SAFETY: the place is of this storage and holds a value (`find`). Tags change with
            // exclusive access to the pool only.
            let tags = unsafe { self.values.tags(place) }.widen();
            if tags & V::WITH != V::WITH || tags & V::WITHOUT != 0 {
                return None;
            }
        }
        Some(place)
    }

    /// The view of one thing, if it sees it.
    ///
    /// # Safety
    ///
    /// While the result lives, nobody writes to the fields in `V::READS`, and nobody else uses
    /// those in `V::WRITES`.
    #[inline(always)]
    pub(super) unsafe fn view_of<'v, V: View<Thing = T>>(
        &self,
        handle: Handle<T>,
    ) -> Option<V::Item<'v>> {
        let _checked = const { (V::READS, V::WRITES) };
        let place = self.place_of::<V>(handle)?;
        // SAFETY: the place is that of the index, and holds a value (`find`); a run has at least
        // its first row. The rest is up to the caller.
        Some(unsafe { V::at(V::base(&self.values, place, handle.index()), 0) })
    }

    /// The view of the thing in a slot, if there is a live one that a filter, which is that of the
    /// view, lets through.
    ///
    /// # Safety
    ///
    /// As [`view_of`](Self::view_of).
    #[inline(always)]
    pub(crate) unsafe fn view_at<'v, V: View<Thing = T>>(
        &'v self,
        filter: &Filter<'_>,
        index: u32,
    ) -> Option<V::Item<'v>> {
        let place = self.values.find(index);
        let place = place.filter(|_| filter.known(V::WITH, V::WITHOUT).sees(index))?;
        // SAFETY: the place is that of the index. Its slot is live (`Filter` asks), so it has memory
        // and holds a value (C2, C1); a run has at least its first row. The rest is up to the
        // caller.
        Some(unsafe { V::at(V::base(&self.values, place, index), 0) })
    }

    /// Tells the processor that a view will be asked of a slot.
    #[inline(always)]
    pub(crate) fn prefetch<V: View<Thing = T>>(&self, index: u32) {
        if let Some(place) = self.values.find(index) {
            T::Storage::prefetch::<Used<V>>(place);
        }
    }
}

impl<T: Fields> Cells<T> {
    /// Replaces one field of the thing that `handle` names. Gives the value back if there is none.
    pub(crate) fn set<F: Field<Thing = T>>(
        &mut self,
        handle: Handle<T>,
        value: F::Value,
    ) -> Result<(), F::Value> {
        const {
            assert!(
                !matches!(T::TAGS_FIELD, Some(tags) if tags == F::INDEX),
                "tags are changed by `set_tags`, `insert_tags` and `remove_tags`"
            );
        }
        if self.contains(handle) {
            self.prepare_marks(1 << F::INDEX);
            self.mark_fields(handle.index(), 1 << F::INDEX);
        }
        match self.find(handle) {
            // SAFETY: the place is of this storage and holds a value, which nobody else uses
            // (`&mut self`).
            Some(place) => unsafe { self.values.set_field::<F>(place, value) },
            None => return Err(value),
        }
        Ok(())
    }
}

/// Slices need columns.
fn assert_dense<V: Slices>() {
    assert!(
        V::dense(),
        "a field of this view does not lie densely: slices need `#[thing(columns)]`, and fields that are not `hot`"
    );
}
