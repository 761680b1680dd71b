//! Looking at some fields only.

use super::Pool;
use crate::cells::{QueryIter, Rest, ViewMany, Views};
use crate::field::{Field, Fields};
use crate::handle::Handle;
use crate::thing::Thing;
use crate::view::{Slices, View};

impl<T: Fields> Pool<T> {
    /// Replaces one field of the thing that `handle` names: the way to give a thing a cold field
    /// that it does not have. Gives the value back if there is no such thing.
    ///
    /// # Errors
    ///
    /// The value.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { #[thing(cold)] name: String }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor::default());
    /// actors.set::<actor::name>(ada, "Ada".into()).unwrap();
    /// assert_eq!(actors.read(ada).name, "Ada");
    /// assert_eq!(actors.set::<actor::name>(Handle::NIL, "Lin".into()), Err("Lin".to_string()));
    /// ```
    pub fn set<F: Field<Thing = T>>(
        &mut self,
        handle: Handle<T>,
        value: F::Value,
    ) -> Result<(), F::Value> {
        self.cells.set::<F>(handle, value)
    }
}

impl<T: Thing> Pool<T> {
    /// Calls `f` with the view of every live thing that the view sees, in slot order: the fast way
    /// to walk a pool.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { pos: f32, vel: f32 }
    /// let mut actors: Pool<Actor> = [1.0, 2.0].map(|vel| Actor { pos: 0.0, vel }).into_iter().collect();
    /// actors.each(|(mut pos, vel): (Mut<actor::pos>, Ref<actor::vel>)| *pos += *vel);
    /// actors.each(|actor: &mut Actor| actor.vel = 0.0); // rows: the whole thing is a view too
    /// assert_eq!(actors.iter().map(|(_, actor)| actor.pos).sum::<f32>(), 3.0);
    /// ```
    ///
    /// A field that is used twice, once of them mutably, does not compile:
    ///
    /// ```compile_fail
    /// # use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { pos: f32, vel: f32 }
    /// # let mut actors = Pool::<Actor>::new();
    /// actors.each(|(a, b): (Mut<actor::pos>, Ref<actor::pos>)| ());
    /// ```
    #[inline]
    pub fn each<'a, V>(&'a mut self, f: impl FnMut(V))
    where
        V: View<Thing = T, Item<'a> = V>,
    {
        self.cells.each::<V>(f);
    }

    /// Calls `f` with slices over every run of neighbouring live things that the view sees, in slot
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
    /// # let mut actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// # let rows = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
    /// let mut upload = Vec::new();
    /// actors.runs::<Ref<actor::hp>>(|hp: &[f32]| upload.extend_from_slice(hp));
    /// # }));
    /// # assert!(rows.is_err());
    /// ```
    #[inline]
    pub fn runs<'a, V: Slices<Thing = T>>(&'a mut self, f: impl FnMut(V::Slices<'a>)) {
        self.cells.runs::<V>(f);
    }

    /// Calls `f` with the view of every live thing that the view sees, beside a look at all the
    /// other things: the view's own fields can be changed, everything else can be looked at, and
    /// new things can be [staged](crate::Rest::stage).
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Ship { x: f32, target: Handle<Ship> }
    /// let mut ships = Pool::new();
    /// let prey = ships.spawn(Ship { x: 8.0, ..Default::default() });
    /// let hunter = ships.spawn(Ship { x: 0.0, target: prey });
    /// ships.each_view_with_rest::<(Mut<ship::x>, Ref<ship::target>)>(|(mut x, target), others| {
    ///     if let Some(target) = others.get(*target) { *x += (target.x - *x) / 2.0; }
    /// });
    /// assert_eq!(ships[hunter].x, 4.0);
    /// ```
    #[inline]
    pub fn each_view_with_rest<V: View<Thing = T>>(
        &mut self,
        f: impl for<'x> FnMut(V::Item<'x>, &Rest<'_, T>),
    ) {
        self.cells.each_view_with_rest::<V>(f);
    }

    /// Calls `f` with the view of every live thing that the view sees, on several threads (those of
    /// the rayon pool that this is called in, or else those that all of lath shares), in chunks of
    /// 4096 slots. Worth it from some tens of microseconds of work on.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors: Pool<Actor> = (0..10_000).map(|hp| Actor { hp: hp as f32 }).collect();
    /// actors.par_each(|mut hp: Mut<actor::hp>| *hp = hp.sqrt());
    /// # assert_eq!(actors.iter().nth(81).unwrap().1.hp, 9.0);
    /// ```
    #[cfg(feature = "parallel")]
    pub fn par_each<'a, V>(&'a mut self, f: impl Fn(V) + Sync)
    where
        V: View<Thing = T, Item<'a> = V> + Send,
    {
        self.cells.par_each::<V>(f);
    }

    /// Calls `f` with slices over every run of neighbouring live things that the view sees, on
    /// several threads.
    ///
    /// # Panics
    ///
    /// As [`runs`](Self::runs).
    ///
    /// # Examples
    ///
    /// See [`runs`](Self::runs) and [`par_each`](Self::par_each).
    #[cfg(feature = "parallel")]
    pub fn par_runs<'a, V: Slices<Thing = T>>(&'a mut self, f: impl Fn(V::Slices<'a>) + Sync)
    where
        V::Slices<'a>: Send,
    {
        self.cells.par_runs::<V>(f);
    }

    /// The views of all live things that the view sees, one by one, in slot order. For views that
    /// write there is [`query_mut`](Self::query_mut); [`each`](Self::each) is faster than either.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32, name: String }
    /// let actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp, ..Default::default() }).into_iter().collect();
    /// assert_eq!(actors.query::<Ref<actor::hp>>().map(|hp| *hp).sum::<f32>(), 7.0);
    /// ```
    #[inline]
    pub fn query<V: View<Thing = T>>(&self) -> QueryIter<'_, V> {
        self.cells.query()
    }

    /// The views of all live things that the view sees, one by one, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// for mut hp in actors.query_mut::<Mut<actor::hp>>() { *hp *= 2.0; }
    /// # assert_eq!(actors.iter().map(|(_, actor)| actor.hp).sum::<f32>(), 14.0);
    /// ```
    #[inline]
    pub fn query_mut<V: View<Thing = T>>(&mut self) -> QueryIter<'_, V> {
        self.cells.query_mut()
    }

    /// The view of one thing; `None` if there is none, or the view does not see it.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Handle, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor { hp: 3.0 });
    /// assert_eq!(actors.view::<Ref<actor::hp>>(ada).map(|hp| *hp), Some(3.0));
    /// assert!(actors.view::<Ref<actor::hp>>(Handle::NIL).is_none());
    /// ```
    #[inline]
    pub fn view<V: View<Thing = T>>(&self, handle: Handle<T>) -> Option<V::Item<'_>> {
        self.cells.view::<V>(handle)
    }

    /// A look at the things through one view, for many lookups: what each of them begins with is
    /// found once, and a loop keeps it in registers. It is quickest in a pool that was made
    /// [with enough capacity](Self::with_capacity), or `fixed`: there all things lie in one array.
    ///
    /// As [`view`](Self::view) for one handle after the other, wherever they come from; who has
    /// them in a slice calls [`view_many`](Self::view_many). In systems, `Query` is that. A view
    /// that writes is refused.
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
    /// let hp = actors.look::<Ref<actor::hp>>();
    /// let weakest = actors.iter().filter_map(|(_, actor)| hp.get(actor.target)).map(|hp| *hp).fold(f32::MAX, f32::min);
    /// assert_eq!(weakest, 3.0);
    /// assert!(hp.get(Handle::NIL).is_none());
    /// ```
    ///
    /// ```compile_fail
    /// # use lath_core::{Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// # let actors = Pool::<Actor>::new();
    /// let (mut one, mut other) = (actors.look::<Mut<actor::hp>>(), actors.look::<Mut<actor::hp>>()); // both could write
    /// ```
    #[inline(always)]
    pub fn look<V: View<Thing = T>>(&self) -> Views<'_, V> {
        self.cells.look()
    }

    /// The views of many things, in the order of their handles; `None` for those that are gone, or
    /// that the view does not see.
    ///
    /// As [`view`](Self::view) for one after the other, but the memory of those that come later is
    /// fetched ahead: where things are looked up at random in a pool of a hundred thousand or more,
    /// that takes a third to a half off the time; in one that fits into the cache it adds a
    /// quarter. For whole things in rows the view is `&Actor`. A view that writes is refused, since
    /// a handle may come twice.
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
    /// let seen: Vec<_> = actors.view_many::<Ref<actor::hp>>(&targets).map(|hp| hp.map(|hp| *hp)).collect();
    /// assert_eq!(seen, [Some(3.0), Some(4.0), Some(3.0), None]);
    ///
    /// let whole: f32 = actors.view_many::<&Actor>(&targets).flatten().map(|actor| actor.hp).sum();
    /// assert_eq!(whole, 10.0);
    /// ```
    ///
    /// ```compile_fail
    /// # use lath_core::{Handle, Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// # let actors = Pool::<Actor>::new();
    /// for hp in actors.view_many::<Mut<actor::hp>>(&[Handle::NIL, Handle::NIL]) {} // two exclusive references to one field
    /// ```
    #[inline]
    pub fn view_many<'h, V: View<Thing = T>>(
        &self,
        handles: &'h [Handle<T>],
    ) -> ViewMany<'_, 'h, V> {
        self.cells.view_many(handles)
    }

    /// The view of one thing, to be changed; `None` if there is none, or the view does not see it.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors = Pool::new();
    /// let ada = actors.spawn(Actor { hp: 3.0 });
    /// if let Some(mut hp) = actors.view_mut::<Mut<actor::hp>>(ada) { *hp = 0.0; }
    /// assert_eq!(actors[ada].hp, 0.0);
    /// ```
    #[inline]
    pub fn view_mut<V: View<Thing = T>>(&mut self, handle: Handle<T>) -> Option<V::Item<'_>> {
        self.cells.view_mut::<V>(handle)
    }

    /// How many live things a view sees.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let actors: Pool<Actor> = [3.0, 4.0].map(|hp| Actor { hp }).into_iter().collect();
    /// assert_eq!(actors.count::<Ref<actor::hp>>(), 2);
    /// ```
    pub fn count<V: View<Thing = T>>(&self) -> usize {
        self.cells.filter::<V>().count()
    }
}
