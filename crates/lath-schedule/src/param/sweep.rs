#![expect(unsafe_code, reason = "hands out links and fields that the system has declared")]
//! Sweeps along a tree: [`Sweep`].

use std::marker::PhantomData;

use lath_core::{Attached, ChildViews, Fields, Relation, View};

use super::Context;
use super::lent::Lent;
use crate::access::Access;
use crate::run::Threads;
use crate::type_map::{Found, Pooled, TypeKey};
use crate::world::{Resident, World};

/// Sweeps along the links of a relation: transforms, inherited visibility, total weight. Things are
/// changed through the view `V`, beside a look at their parent, or their children, through `P`;
/// systems that use other fields may run at the same time.
///
/// # Examples
///
/// ```
/// use lath_core::{Mut, Ref, Thing};
/// use lath_schedule::{Sweep, Schedule, World};
///
/// #[derive(Thing, Default)]
/// struct Part { local: f32, global: f32 }
///
/// fn place(mut parts: Sweep<Ref<part::global>, (Ref<part::local>, Mut<part::global>)>) {
///     parts.down(|parent, (local, mut global)| *global = *local + parent.map_or(0.0, |parent| *parent));
/// }
///
/// let mut world = World::new();
/// let hull = world.spawn(Part { local: 1.0, global: 0.0 });
/// let mast = world.pool_mut::<Part>().spawn_child(hull, Part { local: 2.0, global: 0.0 }).unwrap();
/// let mut schedule = Schedule::new();
/// schedule.add(place);
/// schedule.run(&mut world);
/// assert_eq!(world.read(mast).global, 3.0);
/// ```
pub struct Sweep<'w, P: View, V: View, R: Relation = Attached> {
    sweep: lath_core::Sweep<'w, P, V>,
    threads: &'w Threads,
    relation: PhantomData<R>,
}

impl<P: View, V: View<Thing = P::Thing>, R: Relation> Sweep<'_, P, V, R> {
    /// Every thing after its parent: as [`down`](lath_core::Sweep::down) of a tree.
    ///
    /// # Examples
    ///
    /// See [`Sweep`].
    pub fn down(&mut self, f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>)) {
        self.sweep.down(f);
    }

    /// Every thing after its children: as [`up`](lath_core::Sweep::up) of a tree.
    ///
    /// # Examples
    ///
    /// See [`Sweep::up`](lath_core::Sweep::up).
    pub fn up(&mut self, f: impl for<'x> FnMut(ChildViews<'x, P>, V::Item<'x>)) {
        self.sweep.up(f);
    }

    /// Only what is marked, and all below it: as
    /// [`down_dirty`](lath_core::Sweep::down_dirty) of a tree. Answers how many there were.
    ///
    /// # Examples
    ///
    /// See [`Sweep::down_dirty`](lath_core::Sweep::down_dirty).
    pub fn down_dirty(&mut self, f: impl for<'x> FnMut(Option<P::Item<'x>>, V::Item<'x>)) -> usize {
        self.sweep.down_dirty(f)
    }

    /// As [`down`](Self::down), on several threads.
    ///
    /// # Examples
    ///
    /// See [`Sweep`].
    pub fn par_down(&mut self, f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync)
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
        P::Thing: Resident,
    {
        #[cfg(feature = "parallel")]
        if self.threads.count() > 1 {
            let Self { sweep, threads, .. } = self;
            return threads.inside(|| sweep.par_down(&f));
        }
        self.down(f);
    }

    /// As [`up`](Self::up), on several threads.
    ///
    /// # Examples
    ///
    /// See [`Sweep`].
    pub fn par_up(&mut self, f: impl for<'x> Fn(ChildViews<'x, P>, V::Item<'x>) + Sync)
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
        P::Thing: Resident,
    {
        #[cfg(feature = "parallel")]
        if self.threads.count() > 1 {
            let Self { sweep, threads, .. } = self;
            return threads.inside(|| sweep.par_up(&f));
        }
        self.up(f);
    }

    /// As [`down_dirty`](Self::down_dirty), on several threads.
    ///
    /// # Examples
    ///
    /// See [`Sweep`].
    pub fn par_down_dirty(
        &mut self,
        f: impl for<'x> Fn(Option<P::Item<'x>>, V::Item<'x>) + Sync,
    ) -> usize
    where
        for<'x> P::Item<'x>: Send,
        for<'x> V::Item<'x>: Send,
        P::Thing: Resident,
    {
        #[cfg(feature = "parallel")]
        if self.threads.count() > 1 {
            let Self { sweep, threads, .. } = self;
            return threads.inside(|| sweep.par_down_dirty(&f));
        }
        self.down_dirty(f)
    }
}

// SAFETY: uses the fields and the links that it declares.
unsafe impl<P, V, R> Lent for Sweep<'_, P, V, R>
where
    P: View<Thing: Resident + Fields>,
    V: View<Thing = P::Thing>,
    R: Relation,
{
    type Value = Pooled<P::Thing>;
    type Lent<'w> = Sweep<'w, P, V, R>;

    fn declare(access: &mut Access) {
        let _checked = const { (P::READS, V::READS, V::WRITES) };
        access.fields::<P::Thing>(P::READS | V::READS, V::WRITES);
        access.links::<P::Thing, R>(true);
        access.prepare(|world| {
            if let Some(pool) = world.present_pool_mut::<P::Thing>() {
                pool.prepare_links::<R>().unwrap_or_else(|error| panic!("{error}"));
                pool.prepare_marks(V::WRITES);
            }
        });
    }

    fn key(world: &mut World) -> TypeKey<Pooled<P::Thing>> {
        world.pool_key()
    }

    unsafe fn lend<'w>(
        pool: Found<'w, Pooled<P::Thing>>,
        context: Context<'w>,
    ) -> Option<Sweep<'w, P, V, R>> {
        let Pooled(pool) = pool.look();
        context.note_rows(pool.len());
        // SAFETY: nobody uses the fields, or the links, in a way that conflicts (by the caller, and
        // what was declared).
        let sweep = unsafe { pool.sweep::<R, P, V>() }?;
        Some(Sweep { sweep, threads: context.threads(), relation: PhantomData })
    }
}
