#![expect(
    unsafe_code,
    reason = "declares what a scheduler may ask for while several systems use one pool"
)]
//! What a scheduler asks of a pool: parts of it for systems that run at the same time, and handles
//! for things to come.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::Pool;
use crate::cells::{Lane, Views};
use crate::error::{OutOfMemory, SpawnFault};
use crate::handle::Handle;
use crate::thing::Thing;
use crate::tree::{LinksOnly, Relation, Sweep, Tree, TreeMut};
use crate::view::View;

impl<T: Thing> Pool<T> {
    /// The things of the pool through one view, while others may use other fields of the same
    /// things.
    ///
    /// # Safety
    ///
    /// For as long as the result lives: nobody has the pool exclusively, nobody writes to the
    /// fields in `V::READS`, and nobody else uses those in `V::WRITES`. Whole things
    /// ([`get`](Self::get), [`iter`](Self::iter) and so on) count as all fields.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Actor { pos: f32, vel: f32, hp: f32 }
    /// let actors: Pool<Actor> = [1.0, 2.0].map(|vel| Actor { vel, ..Default::default() }).into_iter().collect();
    /// // SAFETY: the two views have no field in common, and nobody else uses the pool.
    /// let (mut moving, mut healing) = unsafe {
    ///     (actors.views::<(Mut<actor::pos>, Ref<actor::vel>)>(), actors.views::<Mut<actor::hp>>())
    /// };
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| moving.each(|(mut pos, vel)| *pos += *vel));
    ///     healing.each(|mut hp| *hp += 1.0);
    /// });
    /// assert!(actors.iter().all(|(_, actor)| actor.pos == actor.vel && actor.hp == 1.0));
    /// ```
    #[inline(always)]
    pub unsafe fn views<V: View<Thing = T>>(&self) -> Views<'_, V> {
        // SAFETY: passed on from the caller; slots do not change but from free to claimed behind a
        // shared reference (S3).
        unsafe { Views::new(&self.cells) }
    }

    /// Makes ready what [`views`](Self::views) needs to mark the changes of these fields one by
    /// one, if changes are tracked.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Mut, Pool, Thing, View};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut actors = Pool::<Actor>::new();
    /// actors.track_changes();
    /// actors.prepare_marks(<Mut<actor::hp> as View>::WRITES);
    /// ```
    pub fn prepare_marks(&mut self, fields: u64) {
        self.cells.prepare_marks(fields);
    }

    /// Makes the links of a relation, if there are none yet, so that [`links_mut`](Self::links_mut)
    /// finds them.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`], and there are none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Attached, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::<Part>::new();
    /// assert!(unsafe { ship.links_mut::<Attached>() }.is_none()); // SAFETY: nobody else uses it
    /// ship.prepare_links::<Attached>()?;
    /// assert!(unsafe { ship.links_mut::<Attached>() }.is_some()); // SAFETY: as above
    /// # Ok::<(), lath_core::OutOfMemory>(())
    /// ```
    pub fn prepare_links<R: Relation>(&mut self) -> Result<(), OutOfMemory> {
        self.cells.set_observed(true);
        self.companions.trees.of_mut::<R>().map(|_| ())
    }

    /// The links of a relation, to be changed, while others use the things themselves or other
    /// relations. `None` if there are no links yet.
    ///
    /// # Safety
    ///
    /// For as long as the result lives: nobody has the pool exclusively, and nobody else uses the
    /// links of this relation.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Attached, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part { size: f32 }
    /// let mut ship = Pool::new();
    /// let [hull, mast] = [(); 2].map(|()| ship.spawn(Part::default()));
    /// ship.prepare_links::<Attached>().unwrap();
    /// // SAFETY: nobody else uses the links.
    /// let mut links = unsafe { ship.links_mut::<Attached>() }.unwrap();
    /// let looking = ship.get(hull).unwrap();
    /// links.attach(mast, hull)?;
    /// assert_eq!(looking.size, 0.0);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub unsafe fn links_mut<R: Relation>(&self) -> Option<TreeMut<'_, T, LinksOnly>> {
        // SAFETY: passed on from the caller.
        let links = unsafe { self.companions.trees.of_shared::<R>() }?;
        Some(TreeMut { cells: &self.cells, links })
    }

    /// Sweeps along the links of a relation, while others use other fields or other relations.
    /// `None` if there are no links yet.
    ///
    /// # Safety
    ///
    /// For as long as the result lives: nobody has the pool exclusively, nobody writes to the
    /// fields in `P::READS` and `V::READS`, and nobody else uses those in `V::WRITES`, nor the
    /// links of this relation.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Attached, Mut, Pool, Ref, Thing};
    /// # #[derive(Thing, Default)] struct Part { own: f32, all: f32 }
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn(Part { own: 1.0, all: 0.0 });
    /// let mast = ship.spawn_child(hull, Part { own: 2.0, all: 0.0 }).unwrap();
    /// // SAFETY: nobody else uses the pool.
    /// let mut sums = unsafe { ship.sweep::<Attached, Ref<part::all>, (Ref<part::own>, Mut<part::all>)>() }.unwrap();
    /// sums.down(|parent, (own, mut all)| *all = *own + parent.map_or(0.0, |parent| *parent));
    /// assert_eq!(ship[mast].all, 3.0);
    /// ```
    pub unsafe fn sweep<R, P, V>(&self) -> Option<Sweep<'_, P, V>>
    where
        R: Relation,
        P: View<Thing = T>,
        V: View<Thing = T>,
    {
        // SAFETY: passed on from the caller.
        unsafe { Some(Sweep::new(&self.cells, self.companions.trees.of_shared::<R>()?)) }
    }

    /// The handle that a thing to come gets, out of the free slots that are set aside for a lane.
    /// Nothing changes: the handle is made good by [`spawn_at`](Self::spawn_at), and as long as the
    /// pool is not changed otherwise, different lanes of one deal never give the same one.
    ///
    /// # Errors
    ///
    /// [`SpawnFault`] if the lane has no free slot left, or the kind does not fit.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Lane, Pool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Crew { age: u32 }
    /// let mut crew = Pool::new();
    /// crew.spawn(Crew { age: 36 });
    ///
    /// let [mut one, mut two] = [Lane::new(0, 2), Lane::new(1, 2)];
    /// let lin = crew.deal(&mut two, &Crew { age: 20 })?;
    /// let ada = crew.deal(&mut one, &Crew { age: 30 })?;
    /// assert_ne!(ada, lin); // whoever asked first
    /// crew.spawn_at(ada, Crew { age: 30 }).unwrap();
    /// crew.spawn_at(lin, Crew { age: 20 }).unwrap();
    /// # Ok::<(), lath_core::SpawnFault>(())
    /// ```
    pub fn deal(&self, lane: &mut Lane, thing: &T) -> Result<Handle<T>, SpawnFault> {
        self.cells.deal(lane, thing)
    }

    /// Keeps the slot of a handle, such as one that was [dealt](Self::deal), until
    /// [`spawn_at`](Self::spawn_at) fills it: others that are spawned meanwhile go elsewhere.
    /// [`despawn`](Self::despawn) gives it up.
    ///
    /// # Errors
    ///
    /// [`SpawnFault`], as [`spawn_at`](Self::spawn_at), and nothing has changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Lane, Pool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Crew {}
    /// let mut crew = Pool::new();
    /// let ada = crew.deal(&mut Lane::new(0, 1), &Crew {})?;
    /// crew.reserve_at(ada)?;
    /// assert_ne!(crew.spawn(Crew {}).index(), ada.index());
    /// crew.spawn_at(ada, Crew {}).unwrap();
    /// # Ok::<(), lath_core::SpawnFault>(())
    /// ```
    pub fn reserve_at(&mut self, handle: Handle<T>) -> Result<(), SpawnFault> {
        self.cells.reserve_at(handle)
    }

    /// The things that would leave the pool together with a thing, the thing itself first, as the
    /// relations say: see [`Orphans`](crate::Orphans). Nothing for a stale handle.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn(Part {});
    /// let mast = ship.spawn_child(hull, Part {}).unwrap();
    /// let mut leaving = Vec::new();
    /// ship.leaving_with(hull, &mut leaving);
    /// assert_eq!(leaving, [hull, mast]);
    /// ```
    pub fn leaving_with(&self, handle: Handle<T>, leaving: &mut Vec<Handle<T>>) {
        if !self.contains(handle) {
            return;
        }
        // Only with several relations can one and the same thing be found twice.
        let mut seen =
            (self.companions.trees.despawning().count() > 1).then(|| BTreeSet::from([handle]));
        let mut next = leaving.len();
        leaving.push(handle);
        while let Some(&parent) = leaving.get(next) {
            for links in self.companions.trees.despawning() {
                for child in Tree::<T>::new(Some(links)).children(parent) {
                    if seen.as_mut().is_none_or(|seen| seen.insert(child)) {
                        leaving.push(child);
                    }
                }
            }
            next += 1;
        }
    }
}
