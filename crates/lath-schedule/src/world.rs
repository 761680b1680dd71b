//! The world: pools and resources, by type.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use lath_core::{Handle, Pool, SpawnError, Storage, Thing, ThingMut, ThingRef};

use crate::event::Events;
use crate::hooks::{self, Happened};
use crate::missing::{Missing, MissingKind};
use crate::pinned::Pinned;
use crate::type_map::{Kind, Pooled, TypeKey, TypeMap};

/// A thing that can live in a world: any [`Thing`] that may be used on several threads.
pub trait Resident: Thing<Storage: Storage<Self> + Send + Sync> + Send + Sync {}

impl<T: Thing<Storage: Send + Sync> + Send + Sync> Resident for T {}

/// Pools of things and resources, one of each type.
///
/// A *resource* is a value of which there is one: the time, the score, the map.
///
/// # Examples
///
/// ```
/// use lath_core::Thing;
/// use lath_schedule::World;
///
/// #[derive(Thing, Default)]
/// struct Ship { hull: f32 }
/// struct Wind { speed: f32 }
///
/// let mut world = World::new();
/// world.insert(Wind { speed: 3.0 });
/// let ship = world.spawn(Ship { hull: 10.0 });
///
/// world.resource_mut::<Wind>().speed = 5.0;
/// assert_eq!(world.read(ship).hull, 10.0);
/// assert_eq!(world.pool::<Ship>().len(), 1);
/// world.despawn(ship);
/// assert!(world.get(ship).is_none());
/// ```
pub struct World {
    id: u64,
    pub(crate) types: TypeMap,
    empty_pools: EmptyPools,
    /// What is done after a run for every type of event.
    pub(crate) tidy_events: Vec<(TypeId, TidyEvents)>,
    pub(crate) counts: CommandCounts,
    /// How many pinned resources there have been.
    pub(crate) pinned: u32,
    /// Whether there are hooks of any kind.
    pub(crate) hooked: bool,
}

/// Forgets the events of one type that all readers have read.
type TidyEvents = fn(&mut World);

/// Empty pools of things that the world has no pool of: there are nil things to read in them, and
/// free slots to promise. A list, because that can grow behind a shared reference.
#[derive(Default)]
struct EmptyPools(OnceLock<Box<(Box<dyn Any + Send + Sync>, EmptyPools)>>);

impl EmptyPools {
    fn of<T: Resident>(&self) -> &Pool<T> {
        let last = || Box::new((Box::new(Pool::<T>::new()) as _, Self::default()));
        let (pool, more) = &**self.0.get_or_init(last);
        pool.downcast_ref().unwrap_or_else(|| more.of())
    }
}

/// What became of the commands that a world was given: [`World::command_counts`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandCounts {
    /// Commands that did what they say.
    pub applied: u64,
    /// Commands that did nothing, because the thing they were about had died meanwhile.
    pub missed: u64,
}

impl World {
    /// Makes a world without anything in it.
    ///
    /// # Examples
    ///
    /// ```
    /// let world = lath_schedule::World::new();
    /// assert!(world.pools().is_empty() && world.resource_names().is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            types: TypeMap::default(),
            empty_pools: EmptyPools::default(),
            tidy_events: Vec::new(),
            counts: CommandCounts::default(),
            pinned: 0,
            hooked: false,
        }
    }

    /// Which world this is, among all of the program.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The key of something that users do not see.
    pub(crate) fn hidden_key<R: Send + Sync + 'static>(&mut self) -> TypeKey<R> {
        self.types.key_of(type_name::<R>(), Kind::Hidden)
    }

    pub(crate) fn pool_key<T: Resident>(&mut self) -> TypeKey<Pooled<T>> {
        let stats = |types: &TypeMap| types.find::<Pooled<T>>().map(|key| types.at(key).0.stats());
        self.types.key_of(type_name::<T>(), Kind::Pool(TypeId::of::<T>(), stats))
    }

    /// A value, if it is there.
    pub(crate) fn peek<R: 'static>(&self) -> Option<&R> {
        self.types.find().map(|key| self.types.at(key))
    }

    /// A value, to be changed, if it is there.
    pub(crate) fn peek_mut<R: 'static>(&mut self) -> Option<&mut R> {
        self.types.find().map(|key| self.types.at_mut(key))
    }

    /// The key of a value that must be there.
    fn require<R: 'static>(
        &self,
        what: MissingKind,
        name: &'static str,
    ) -> Result<TypeKey<R>, Missing> {
        self.types.find().ok_or_else(|| self.types.missing(what, name))
    }

    pub(crate) fn pinned_key<R: 'static>(&mut self) -> TypeKey<Pinned<R>> {
        self.types.key_of(type_name::<R>(), Kind::Pinned)
    }

    // Pools.

    /// Puts in a pool, made elsewhere: with another [`Reuse`](lath_core::Reuse), fixed, or full of
    /// things. Gives back the pool of the same things that was there.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Spark {}
    /// let mut world = World::new();
    /// world.add_pool(Pool::<Spark>::fixed(1000)?);
    /// assert_eq!(world.pool::<Spark>().capacity(), 1000);
    /// # Ok::<(), lath_core::CapacityError>(())
    /// ```
    pub fn add_pool<T: Resident>(&mut self, pool: Pool<T>) -> Option<Pool<T>> {
        let key = self.pool_key();
        self.types.put(key, Pooled(pool)).map(|before| before.0)
    }

    /// The pool of the things of a type.
    ///
    /// # Panics
    ///
    /// If there is none: nothing of this type was ever put into this world.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut world = World::new();
    /// world.spawn(Ship {});
    /// assert_eq!(world.pool::<Ship>().len(), 1);
    /// ```
    #[track_caller]
    pub fn pool<T: Resident>(&self) -> &Pool<T> {
        self.try_pool().unwrap_or_else(|missing| panic!("{missing}"))
    }

    /// The pool of the things of a type, to be changed; an empty one is made if there is none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut world = World::new();
    /// let [bag, sword] = [(); 2].map(|()| world.spawn(Ship {}));
    /// world.pool_mut::<Ship>().tree_mut().attach(sword, bag)?;
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn pool_mut<T: Resident>(&mut self) -> &mut Pool<T> {
        let key = self.pool_key();
        &mut self.types.get_or_insert_with(key, || Pooled(Pool::new())).0
    }

    /// As [`pool`](Self::pool).
    ///
    /// # Errors
    ///
    /// [`Missing`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default, Debug)] struct Ship {}
    /// assert!(World::new().try_pool::<Ship>().is_err());
    /// ```
    pub fn try_pool<T: Resident>(&self) -> Result<&Pool<T>, Missing> {
        let key = self.require::<Pooled<T>>(MissingKind::Pool, type_name::<T>())?;
        Ok(&self.types.at(key).0)
    }

    /// Whether there is a pool of things of a type.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut world = World::new();
    /// assert!(!world.has_pool::<Ship>());
    /// world.spawn(Ship {});
    /// assert!(world.has_pool::<Ship>());
    /// ```
    pub fn has_pool<T: Resident>(&self) -> bool {
        self.peek::<Pooled<T>>().is_some()
    }

    /// Takes a pool away, with all its things.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut world = World::new();
    /// world.spawn(Ship {});
    /// assert_eq!(world.remove_pool::<Ship>().unwrap().len(), 1);
    /// assert!(world.remove_pool::<Ship>().is_none());
    /// ```
    pub fn remove_pool<T: Resident>(&mut self) -> Option<Pool<T>> {
        self.types.take().map(|Pooled(pool)| pool)
    }

    /// The pool of the things of a type, to be changed, if there is one.
    pub(crate) fn present_pool_mut<T: Resident>(&mut self) -> Option<&mut Pool<T>> {
        self.peek_mut::<Pooled<T>>().map(|Pooled(pool)| pool)
    }

    /// The pool of the things of a type, or an empty one to look at.
    pub(crate) fn pool_or_empty<T: Resident>(&self) -> &Pool<T> {
        self.peek::<Pooled<T>>().map(|Pooled(pool)| pool).unwrap_or_else(|| self.empty_pools.of())
    }

    // Things.

    /// Puts a thing into the pool of its type, which is made if there is none. Hooks
    /// [on spawn](Self::on_spawn) hear of it.
    ///
    /// # Panics
    ///
    /// As [`Pool::spawn`], if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship { hull: f32 }
    /// let mut world = World::new();
    /// let ship = world.spawn(Ship { hull: 10.0 }); // the first one: the pool is made
    /// assert_eq!(world.read(ship).hull, 10.0);
    /// ```
    pub fn spawn<T: Resident>(&mut self, thing: T) -> Handle<T> {
        let handle = self.pool_mut::<T>().spawn(thing);
        hooks::happened(self, || Happened::Spawned(handle));
        handle
    }

    /// As [`spawn`](Self::spawn).
    ///
    /// # Errors
    ///
    /// [`SpawnError`] gives the thing back if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default, Debug)] struct Spark {}
    /// let mut world = World::new();
    /// world.add_pool(Pool::<Spark>::fixed(1).unwrap());
    /// world.spawn(Spark {});
    /// assert!(world.try_spawn(Spark {}).is_err());
    /// ```
    pub fn try_spawn<T: Resident>(&mut self, thing: T) -> Result<Handle<T>, SpawnError<T>> {
        let handle = self.pool_mut::<T>().try_spawn(thing)?;
        hooks::happened(self, || Happened::Spawned(handle));
        Ok(handle)
    }

    /// Takes a thing out of its pool and drops it, with all that leaves with it
    /// ([`Orphans`](lath_core::Orphans)). Hooks [on despawn](Self::on_despawn) hear of each.
    /// Answers whether there was such a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship {}
    /// let mut world = World::new();
    /// let hull = world.spawn(Ship {});
    /// let mast = world.pool_mut().spawn_child(hull, Ship {}).unwrap();
    /// assert!(world.despawn(hull)); // the mast goes with it
    /// assert!(world.get(mast).is_none());
    /// assert!(!world.despawn(hull)); // twice is harmless
    /// ```
    pub fn despawn<T: Resident>(&mut self, handle: Handle<T>) -> bool {
        hooks::despawn(self, handle)
            .unwrap_or_else(|| self.present_pool_mut().is_some_and(|pool| pool.despawn(handle)))
    }

    /// Looks at a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship { hull: f32 }
    /// let mut world = World::new();
    /// assert!(world.get(Handle::<Ship>::NIL).is_none()); // there is not even a pool
    /// let ship = world.spawn(Ship { hull: 3.0 });
    /// assert_eq!(world.get(ship).unwrap().hull, 3.0);
    /// ```
    pub fn get<T: Resident>(&self, handle: Handle<T>) -> Option<ThingRef<'_, T>> {
        self.peek::<Pooled<T>>()?.0.get(handle)
    }

    /// A thing, to be changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship { hull: f32 }
    /// let mut world = World::new();
    /// let ship = world.spawn(Ship { hull: 3.0 });
    /// world.get_mut(ship).unwrap().hull = 4.0;
    /// assert_eq!(world.read(ship).hull, 4.0);
    /// ```
    pub fn get_mut<T: Resident>(&mut self, handle: Handle<T>) -> Option<ThingMut<'_, T>> {
        self.present_pool_mut()?.get_mut(handle)
    }

    /// Looks at a thing, or at the nil thing if there is none: `T::default()`, also where there is
    /// no pool of such things.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # use lath_schedule::World;
    /// # #[derive(Thing, Default)] struct Ship { hull: f32, escort: Handle<Ship> }
    /// let mut world = World::new();
    /// assert_eq!(world.read(Handle::<Ship>::NIL).hull, 0.0); // no ship was ever built
    /// let ship = world.spawn(Ship { hull: 3.0, escort: Handle::NIL });
    /// assert_eq!(world.read(world.read(ship).escort).hull, 0.0);
    /// ```
    pub fn read<T: Resident>(&self, handle: Handle<T>) -> ThingRef<'_, T> {
        self.pool_or_empty().read(handle)
    }

    // Resources.

    /// Puts in a resource; gives back the one of the same type that was there.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # #[derive(Debug, PartialEq)] struct Score(u32);
    /// let mut world = World::new();
    /// assert_eq!(world.insert(Score(1)), None);
    /// assert_eq!(world.insert(Score(2)), Some(Score(1)));
    /// ```
    pub fn insert<R: Send + Sync + 'static>(&mut self, resource: R) -> Option<R> {
        let key = self.types.key();
        self.types.put(key, resource)
    }

    /// Looks at a resource.
    ///
    /// # Panics
    ///
    /// If there is none of this type.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # struct Wind { speed: f32 }
    /// let mut world = World::new();
    /// world.insert(Wind { speed: 3.0 });
    /// assert_eq!(world.resource::<Wind>().speed, 3.0);
    /// ```
    #[track_caller]
    pub fn resource<R: Send + Sync + 'static>(&self) -> &R {
        self.try_resource().unwrap_or_else(|missing| panic!("{missing}"))
    }

    /// A resource, to be changed.
    ///
    /// # Panics
    ///
    /// If there is none of this type.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # struct Wind { speed: f32 }
    /// let mut world = World::new();
    /// world.insert(Wind { speed: 3.0 });
    /// world.resource_mut::<Wind>().speed += 1.0;
    /// assert_eq!(world.resource::<Wind>().speed, 4.0);
    /// ```
    #[track_caller]
    pub fn resource_mut<R: Send + Sync + 'static>(&mut self) -> &mut R {
        self.try_resource_mut().unwrap_or_else(|missing| panic!("{missing}"))
    }

    /// As [`resource`](Self::resource).
    ///
    /// # Errors
    ///
    /// [`Missing`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # #[derive(Debug)] struct Score(u32);
    /// assert!(World::new().try_resource::<Score>().is_err());
    /// ```
    pub fn try_resource<R: Send + Sync + 'static>(&self) -> Result<&R, Missing> {
        Ok(self.types.at(self.require(MissingKind::Resource, type_name::<R>())?))
    }

    /// As [`resource_mut`](Self::resource_mut).
    ///
    /// # Errors
    ///
    /// [`Missing`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # #[derive(Debug)] struct Score(u32);
    /// assert!(World::new().try_resource_mut::<Score>().is_err());
    /// ```
    pub fn try_resource_mut<R: Send + Sync + 'static>(&mut self) -> Result<&mut R, Missing> {
        let key = self.require(MissingKind::Resource, type_name::<R>())?;
        Ok(self.types.at_mut(key))
    }

    /// Takes a resource away.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # #[derive(Debug, PartialEq)] struct Score(u32);
    /// let mut world = World::new();
    /// world.insert(Score(1));
    /// assert_eq!(world.remove::<Score>(), Some(Score(1)));
    /// assert_eq!(world.remove::<Score>(), None);
    /// ```
    pub fn remove<R: Send + Sync + 'static>(&mut self) -> Option<R> {
        self.types.take()
    }

    /// Puts in a resource that must stay on this thread: one that is not `Send`, such as a window.
    /// Systems get it by [`PinnedRes`](crate::PinnedRes) and [`PinnedMut`](crate::PinnedMut), and
    /// run on the thread that runs the schedule. If the world is dropped on another thread the
    /// resource is leaked.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// use std::rc::Rc;
    /// let mut world = World::new();
    /// world.insert_pinned(Rc::new(7));
    /// assert_eq!(**world.pinned::<Rc<i32>>().unwrap(), 7);
    /// ```
    pub fn insert_pinned<R: 'static>(&mut self, resource: R) -> Option<R> {
        let key = self.pinned_key();
        self.pinned += 1;
        self.types.put(key, Pinned::new(resource)).and_then(|before| before.into_inner().ok())
    }

    /// Looks at a pinned resource, on its own thread.
    ///
    /// # Errors
    ///
    /// [`Missing`] if there is none, or on another thread.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// use std::rc::Rc;
    /// let mut world = World::new();
    /// world.insert_pinned(Rc::new(7));
    /// assert_eq!(**world.pinned::<Rc<i32>>()?, 7);
    /// std::thread::scope(|scope| {
    ///     let elsewhere = scope.spawn(|| world.pinned::<Rc<i32>>().is_err());
    ///     assert!(elsewhere.join().unwrap());
    /// });
    /// # Ok::<(), lath_schedule::Missing>(())
    /// ```
    pub fn pinned<R: 'static>(&self) -> Result<&R, Missing> {
        let found = self.peek::<Pinned<R>>().and_then(Pinned::get);
        found.ok_or_else(|| self.types.missing(MissingKind::Pinned, type_name::<R>()))
    }

    /// A pinned resource, to be changed, on its own thread.
    ///
    /// # Errors
    ///
    /// [`Missing`] if there is none, or on another thread.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// use std::rc::Rc;
    /// let mut world = World::new();
    /// world.insert_pinned(Rc::new(7));
    /// *world.pinned_mut::<Rc<i32>>().unwrap() = Rc::new(8);
    /// assert_eq!(**world.pinned::<Rc<i32>>().unwrap(), 8);
    /// ```
    pub fn pinned_mut<R: 'static>(&mut self) -> Result<&mut R, Missing> {
        self.pinned::<R>()?;
        let found = self.peek_mut::<Pinned<R>>().and_then(Pinned::get_mut);
        Ok(found.expect("looked at just now"))
    }

    // Events, commands.

    /// The events of a type: makes them if there are none yet.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// struct Bang;
    /// let mut world = World::new();
    /// world.events_mut::<Bang>().set_cap(Some(100));
    /// ```
    pub fn events_mut<E: Send + Sync + 'static>(&mut self) -> &mut Events<E> {
        let of = TypeId::of::<E>();
        // Asked even if they are there: they may have been put in as a resource.
        if !self.tidy_events.iter().any(|&(known, _)| known == of) {
            let tidy = |world: &mut Self| world.peek_mut::<Events<E>>().map_or((), Events::tidy);
            self.tidy_events.push((of, tidy));
        }
        let key = self.hidden_key();
        self.types.get_or_insert_with(key, Events::default)
    }

    /// Sends an event to all readers.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// struct Bang;
    /// let mut world = World::new();
    /// world.send(Bang);
    /// assert_eq!(world.events_mut::<Bang>().len(), 1);
    /// ```
    pub fn send<E: Send + Sync + 'static>(&mut self, event: E) {
        self.events_mut().send(event);
    }

    /// What became of all commands so far.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// assert_eq!(World::new().command_counts().applied, 0);
    /// ```
    pub fn command_counts(&self) -> CommandCounts {
        self.counts
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for World {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |what| self.types.missing(what, "").present;
        out.debug_struct("World")
            .field("pools", &names(MissingKind::Pool))
            .field("resources", &names(MissingKind::Resource))
            .field("pinned", &names(MissingKind::Pinned))
            .finish()
    }
}
