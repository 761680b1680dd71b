#![expect(
    unsafe_code,
    reason = "hands out the fields that the system has declared, to several threads if asked"
)]
//! The things of a pool through a view: [`Query`].

use std::error::Error;
use std::fmt;

use lath_core::{Fields, Handle, OtherViews, QueryIter, Slices, View, ViewMany, Views};

use super::links::{gone, must_have_pool};
use super::{Context, Param};
use crate::access::Access;
use crate::commands::Commands;
use crate::missing::Missing;
use crate::run::Threads;
use crate::type_map::{Pooled, TypeKey};
use crate::world::{Resident, World};

/// A loop with commands is divided into so many parts at most. Every part is dealt free slots of
/// its own: if there were more the larger a pool is, what they spawn would lie the further apart,
/// and the pool would become larger still.
const MOST_PARTS: u32 = 16;

/// The things of a type that a view sees, as the view shows them.
///
/// The view says which fields are read and which are written, and so which other systems may run at
/// the same time. It is a struct that derives `View`, a tuple of [`Ref`](lath_core::Ref),
/// [`Mut`](lath_core::Mut) and [`Handle`], or `&T` and `&mut T` for things in rows.
///
/// # Examples
///
/// ```
/// use lath_core::{Mut, Ref, Thing};
/// use lath_schedule::{Query, Schedule, World};
///
/// #[derive(Thing, Default)]
/// struct Actor { pos: f32, vel: f32 }
///
/// fn integrate(mut movers: Query<(Mut<actor::pos>, Ref<actor::vel>)>) {
///     for (mut pos, vel) in &mut movers { *pos += *vel; }
/// }
///
/// fn check(places: Query<Ref<actor::pos>>) {
///     for pos in &places { assert_eq!(*pos, 2.0); }
/// }
///
/// let mut world = World::new();
/// world.spawn(Actor { pos: 0.0, vel: 2.0 });
/// let mut schedule = Schedule::new();
/// schedule.add(integrate).add(check);
/// schedule.run(&mut world);
/// ```
pub struct Query<'w, V: View> {
    views: Views<'w, V>,
    threads: &'w Threads,
}

impl<'w, V: View<Thing: Resident>> Query<'w, V> {
    /// All that the view sees, in slot order. For views that do not write; others are iterated by
    /// `&mut query`.
    ///
    /// # Examples
    ///
    /// See [`Query`].
    #[inline]
    pub fn iter(&self) -> QueryIter<'_, V> {
        self.views.iter()
    }

    /// All that the view sees, in slot order.
    ///
    /// # Examples
    ///
    /// See [`Query`].
    #[inline]
    pub fn iter_mut(&mut self) -> QueryIter<'_, V> {
        self.views.iter_mut()
    }

    /// Calls `f` with all that the view sees, in slot order: faster than an iterator.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Mut, Thing};
    /// # use lath_schedule::{Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut healing: Query<Mut<actor::hp>>| healing.each(|mut hp| *hp += 1.0));
    /// # let mut world = World::new();
    /// # let actor = world.spawn(Actor::default());
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.read(actor).hp, 1.0);
    /// ```
    #[inline]
    pub fn each<'x>(&'x mut self, f: impl FnMut(V::Item<'x>)) {
        self.views.each(f);
    }

    /// As [`each`](Self::each), on several threads, in chunks of 4096 slots. Worth it from some
    /// tens of microseconds of work on.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Mut, Thing};
    /// # use lath_schedule::{Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut healing: Query<Mut<actor::hp>>| healing.par_each(|mut hp| *hp = hp.sqrt()));
    /// # let mut world = World::new();
    /// # let actor = world.spawn(Actor { hp: 9.0 });
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.read(actor).hp, 3.0);
    /// ```
    pub fn par_each<'x>(&'x mut self, f: impl Fn(V::Item<'x>) + Sync)
    where
        V::Item<'x>: Send,
    {
        let chunks = self.views.chunks();
        let views = &self.views;
        self.threads.for_each(chunks, &|chunk| {
            // SAFETY: every chunk is asked for once, and the views are borrowed exclusively for as
            // long as the items live.
            unsafe { views.each_in_chunk(chunk, &f) }
        });
    }

    /// As [`par_each`](Self::par_each), with commands. They are applied in slot order, whatever the
    /// threads do, and handles of things that are spawned are the same on any number of threads.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Ref, Thing};
    /// # use lath_schedule::{Commands, Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut actors: Query<(Handle<Actor>, Ref<actor::hp>)>, mut commands: Commands| {
    ///     actors.par_each_with(&mut commands, |(who, hp), commands| {
    ///         if *hp <= 0.0 { commands.despawn(who); }
    ///     });
    /// });
    /// # let mut world = World::new();
    /// # let actor = world.spawn(Actor { hp: 0.0 });
    /// # schedule.run(&mut world);
    /// # assert!(world.get(actor).is_none());
    /// ```
    pub fn par_each_with<'x>(
        &'x mut self,
        commands: &mut Commands<'_>,
        f: impl Fn(V::Item<'x>, &mut Commands<'_>) + Sync,
    ) where
        V::Item<'x>: Send,
    {
        let chunks = self.views.chunks();
        let views = &self.views;
        let parts = chunks.min(MOST_PARTS);
        let first_of = |part: u32| (u64::from(chunks) * u64::from(part) / u64::from(parts)) as u32;
        commands.in_parts(parts, self.threads, |part, commands| {
            for chunk in first_of(part)..first_of(part + 1) {
                // SAFETY: as in `par_each`: every chunk is in one part.
                unsafe { views.each_in_chunk(chunk, |item| f(item, commands)) }
            }
        });
    }

    /// Calls `f` with slices over every run of neighbouring things that the view sees. Needs
    /// columns.
    ///
    /// # Panics
    ///
    /// If a field does not lie densely: the thing is kept in rows, or the field is `hot`.
    ///
    /// # Examples
    ///
    /// See [`Pool::runs`](lath_core::Pool::runs).
    #[inline]
    pub fn runs<'x>(&'x mut self, f: impl FnMut(V::Slices<'x>))
    where
        V: Slices,
    {
        self.views.runs(f);
    }

    /// As [`runs`](Self::runs), on several threads, in chunks of 4096 slots.
    ///
    /// # Panics
    ///
    /// As [`runs`](Self::runs).
    ///
    /// # Examples
    ///
    /// See [`par_each`](Self::par_each).
    pub fn par_runs<'x>(&'x mut self, f: impl Fn(V::Slices<'x>) + Sync)
    where
        V: Slices,
        V::Slices<'x>: Send,
    {
        let chunks = self.views.chunks();
        let views = &self.views;
        self.threads.for_each(chunks, &|chunk| {
            // SAFETY: as in `par_each`.
            unsafe { views.runs_in_chunk(chunk, &f) }
        });
    }

    /// Calls `f` with all that the view sees, beside a look at the same fields of all the others.
    ///
    /// The others are all things of the pool but the one at hand, also those that the view's tags
    /// leave out. The view through which they are seen is named in the call, reads only, and uses
    /// fields that this query uses; anything else does not compile.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Mut, Ref, Thing};
    /// # use lath_schedule::{Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Ship { x: f32, target: Handle<Ship> }
    /// fn chase(mut ships: Query<(Mut<ship::x>, Ref<ship::target>)>) {
    ///     ships.each_with_rest(|(mut x, target), others| {
    ///         if let Some(there) = others.get::<Ref<ship::x>>(*target) { *x += (*there - *x) / 2.0; }
    ///     });
    /// }
    /// # let mut world = World::new();
    /// # let prey = world.spawn(Ship { x: 8.0, ..Default::default() });
    /// # let hunter = world.spawn(Ship { x: 0.0, target: prey });
    /// # let mut schedule = Schedule::new();
    /// # schedule.add(chase);
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.read(hunter).x, 4.0);
    /// ```
    pub fn each_with_rest(&mut self, f: impl for<'x> FnMut(V::Item<'x>, &OtherViews<'_, V>)) {
        self.views.each_with_rest(f);
    }

    /// The view of one thing, if there is such a thing and the view sees it. For views that do not
    /// write.
    ///
    /// # Examples
    ///
    /// See [`get_mut`](Self::get_mut).
    #[inline]
    pub fn get(&self, handle: Handle<V::Thing>) -> Option<V::Item<'_>> {
        self.views.get(handle)
    }

    /// The views of many things, in the order of their handles:
    /// [`Pool::view_many`](lath_core::Pool::view_many). For views that do not write.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Mut, Ref, Thing};
    /// # use lath_schedule::{Local, Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Ship { x: f32, aim: f32, target: Handle<Ship> }
    /// fn aim(places: Query<Ref<ship::x>>, mut ships: Query<(Mut<ship::aim>, Ref<ship::target>)>, mut targets: Local<Vec<Handle<Ship>>>) {
    ///     targets.clear();
    ///     targets.extend(ships.iter_mut().map(|(_, target)| *target));
    ///     for ((mut aim, _), x) in ships.iter_mut().zip(places.get_many(&targets)) {
    ///         if let Some(x) = x { *aim = *x; }
    ///     }
    /// }
    /// # let mut world = World::new();
    /// # let prey = world.spawn(Ship { x: 8.0, ..Default::default() });
    /// # let hunter = world.spawn(Ship { target: prey, ..Default::default() });
    /// # let mut schedule = Schedule::new();
    /// # schedule.add(aim);
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.read(hunter).aim, 8.0);
    /// ```
    #[inline]
    pub fn get_many<'h>(&self, handles: &'h [Handle<V::Thing>]) -> ViewMany<'_, 'h, V> {
        self.views.get_many(handles)
    }

    /// The view of one thing, if there is such a thing and the view sees it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Mut, Ref, Thing};
    /// # use lath_schedule::{Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Ship { hull: f32, target: Handle<Ship> }
    /// fn shoot(mut hulls: Query<Mut<ship::hull>>, targets: Query<Ref<ship::target>>) {
    ///     for target in &targets {
    ///         if let Some(mut hull) = hulls.get_mut(*target) { *hull -= 1.0; }
    ///     }
    /// }
    /// # let mut world = World::new();
    /// # let prey = world.spawn(Ship { hull: 8.0, ..Default::default() });
    /// # world.spawn(Ship { hull: 1.0, target: prey });
    /// # let mut schedule = Schedule::new();
    /// # schedule.add(shoot);
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.read(prey).hull, 7.0);
    /// ```
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<V::Thing>) -> Option<V::Item<'_>> {
        self.views.get_mut(handle)
    }

    /// Whether there is such a thing and the view sees it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Ref, Thing};
    /// # use lath_schedule::{Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Ship { hull: f32 }
    /// # let mut world = World::new();
    /// # world.pool_mut::<Ship>();
    /// let mut schedule = Schedule::new();
    /// schedule.add(|ships: Query<Ref<ship::hull>>| {
    ///     assert!(!ships.contains(Handle::NIL));
    ///     assert_eq!(ships.count(), 0);
    ///     assert!(ships.is_empty());
    /// });
    /// schedule.run(&mut world);
    /// ```
    #[inline]
    pub fn contains(&self, handle: Handle<V::Thing>) -> bool {
        self.views.contains(handle)
    }

    /// How many things the view sees.
    ///
    /// # Examples
    ///
    /// See [`contains`](Self::contains).
    pub fn count(&self) -> usize {
        self.views.count()
    }

    /// Whether the view sees nothing.
    ///
    /// # Examples
    ///
    /// See [`contains`](Self::contains).
    pub fn is_empty(&self) -> bool {
        self.views.count() == 0
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
    /// use lath_core::{Mut, Thing};
    /// use lath_schedule::{Query, Schedule, SingleError, World};
    /// # #[derive(Thing, Default)] struct Player { gold: u32 }
    /// fn reward(mut player: Query<Mut<player::gold>>) -> Result<(), SingleError> {
    ///     *player.single()? += 1;
    ///     Ok(())
    /// }
    /// # let mut world = World::new();
    /// # let player = world.spawn(Player { gold: 0 });
    /// # let mut schedule = Schedule::new();
    /// # schedule.add(reward);
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.read(player).gold, 1);
    /// ```
    pub fn single(&mut self) -> Result<V::Item<'_>, SingleError> {
        match self.views.count() {
            1 => self.views.iter_mut().next().ok_or(SingleError { seen: 0 }),
            seen => Err(SingleError { seen }),
        }
    }
}

/// There is not exactly one thing that a query sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleError {
    /// How many there are.
    pub seen: usize,
}

impl fmt::Display for SingleError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "the query was asked for the single thing that it sees, but it sees {}",
            self.seen
        )
    }
}

impl Error for SingleError {}

impl<'x, V: View<Thing: Resident>> IntoIterator for &'x Query<'_, V> {
    type Item = V::Item<'x>;
    type IntoIter = QueryIter<'x, V>;

    #[inline]
    fn into_iter(self) -> QueryIter<'x, V> {
        self.iter()
    }
}

impl<'x, V: View<Thing: Resident>> IntoIterator for &'x mut Query<'_, V> {
    type Item = V::Item<'x>;
    type IntoIter = QueryIter<'x, V>;

    #[inline]
    fn into_iter(self) -> QueryIter<'x, V> {
        self.iter_mut()
    }
}

// SAFETY: uses the fields that it declares.
unsafe impl<V: View<Thing: Resident + Fields>> Param for Query<'_, V> {
    type State = TypeKey<Pooled<V::Thing>>;
    type Item<'w, 's> = Query<'w, V>;

    fn declare(access: &mut Access) {
        let _checked = const { (V::READS, V::WRITES) };
        access.fields::<V::Thing>(V::READS, V::WRITES);
        if V::WRITES != 0 {
            access.prepare(|world| {
                if world.has_pool::<V::Thing>() {
                    world.pool_mut::<V::Thing>().prepare_marks(V::WRITES);
                }
            });
        }
    }

    fn init(world: &mut World) -> Self::State {
        world.pool_key()
    }

    fn check(place: &Self::State, world: &World) -> Result<(), Missing> {
        must_have_pool(*place, world)
    }

    #[inline(always)]
    unsafe fn fetch<'w, 's>(place: &'s mut Self::State, context: Context<'w>) -> Query<'w, V> {
        // SAFETY: nobody has the pool exclusively (by the caller, and what was declared).
        let Pooled(pool) =
            unsafe { context.world() }.types.get(*place).unwrap_or_else(|| gone::<V::Thing>());
        context.note_rows(pool.len());
        // SAFETY: nor does anybody use the fields in a way that conflicts.
        Query { views: unsafe { pool.views::<V>() }, threads: context.threads() }
    }
}
