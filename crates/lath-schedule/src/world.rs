//! The world: pools and resources, by type.

use std::any::{TypeId, type_name};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use lath_core::{Handle, Pool, SpawnError, Stats, Storage, Thing, ThingMut, ThingRef};

use crate::event::Events;
use crate::hooks::{self, Happened};
use crate::missing::{Missing, MissingKind};
use crate::pinned::Pinned;
use crate::shelf::{PlaceOf, Shelf, Shelved};

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
    pub(crate) shelf: Shelf,
    /// The types of pools, of events and of pinned resources among what is on the shelf.
    pub(crate) kinds: Vec<(TypeId, Kind)>,
    /// What is done after a run for every type of event.
    pub(crate) tidy_events: Vec<fn(&mut World)>,
    pub(crate) counts: CommandCounts,
    /// How many pinned resources there have been.
    pub(crate) pinned: u32,
    /// Whether there are hooks of any kind.
    pub(crate) hooked: bool,
}

/// What a value on the shelf is to the user.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// How its things are called, their type, and what asks it how full it is.
    Pool(&'static str, TypeId, fn(&World) -> Option<Stats>),
    Pinned(&'static str),
    /// Part of the machinery: not listed.
    Hidden,
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
    /// See [`World`].
    #[must_use]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            shelf: Shelf::default(),
            kinds: Vec::new(),
            tidy_events: Vec::new(),
            counts: CommandCounts::default(),
            pinned: 0,
            hooked: false,
        }
    }

    /// Whether there are hooks of any kind.
    pub(crate) fn has_hooks(&self) -> bool {
        self.hooked
    }

    /// Which world this is, among all of the program.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    fn note_kind<R: 'static>(&mut self, kind: Kind) {
        if !self.kinds.iter().any(|&(id, _)| id == TypeId::of::<R>()) {
            self.kinds.push((TypeId::of::<R>(), kind));
        }
    }

    fn note_pool<T: Resident>(&mut self) {
        let stats = |world: &Self| world.try_pool::<T>().ok().map(Pool::stats);
        self.note_kind::<Shelved<T>>(Kind::Pool(type_name::<T>(), TypeId::of::<T>(), stats));
    }

    /// The place of something that users do not see.
    pub(crate) fn hidden_place<R: Send + Sync + 'static>(&mut self) -> PlaceOf<R> {
        self.note_kind::<R>(Kind::Hidden);
        self.shelf.place()
    }

    pub(crate) fn missing(&self, what: MissingKind, name: &'static str) -> Missing {
        let present = self.shelf.present().filter_map(|(id, full_name)| {
            let kind = self.kinds.iter().find(|&&(of, _)| of == id).map(|&(_, kind)| kind);
            match (what, kind) {
                (MissingKind::Resource, None) => Some(full_name),
                (MissingKind::Pool, Some(Kind::Pool(thing, ..))) => Some(thing),
                (MissingKind::Pinned, Some(Kind::Pinned(name))) => Some(name),
                _ => None,
            }
        });
        Missing { what, name, present: present.collect() }
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
        self.note_pool::<T>();
        self.shelf.put(Shelved(pool)).map(|before| before.0)
    }

    /// The pool of the things of a type.
    ///
    /// # Panics
    ///
    /// If there is none: nothing of this type was ever put into this world.
    ///
    /// # Examples
    ///
    /// See [`World`].
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
        if !self.shelf.find::<Shelved<T>>().is_some_and(|place| self.shelf.has(place)) {
            self.add_pool(Pool::<T>::new());
        }
        match self.shelf.find::<Shelved<T>>().and_then(|place| self.shelf.get_mut(place)) {
            Some(Shelved(pool)) => pool,
            None => unreachable!("W1: put there just now"),
        }
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
        let pool = self.peek::<Shelved<T>>().map(|Shelved(pool)| pool);
        pool.ok_or_else(|| self.missing(MissingKind::Pool, type_name::<T>()))
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
        self.peek::<Shelved<T>>().is_some()
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
        self.shelf.take().map(|Shelved(pool)| pool)
    }

    pub(crate) fn pool_place<T: Resident>(&mut self) -> PlaceOf<Shelved<T>> {
        self.note_pool::<T>();
        self.shelf.place()
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
    /// See [`World`].
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
    /// See [`World`].
    pub fn despawn<T: Resident>(&mut self, handle: Handle<T>) -> bool {
        hooks::despawn(self, handle).unwrap_or_else(|| {
            match self.shelf.find::<Shelved<T>>().and_then(|place| self.shelf.get_mut(place)) {
                Some(Shelved(pool)) => pool.despawn(handle),
                None => false,
            }
        })
    }

    /// Looks at a thing.
    ///
    /// # Examples
    ///
    /// See [`World`].
    pub fn get<T: Resident>(&self, handle: Handle<T>) -> Option<ThingRef<'_, T>> {
        self.peek::<Shelved<T>>()?.0.get(handle)
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
        self.pool_mut::<T>().get_mut(handle)
    }

    /// Looks at a thing, or at the nil thing if there is none.
    ///
    /// # Panics
    ///
    /// If there is no pool of such things.
    ///
    /// # Examples
    ///
    /// See [`World`].
    #[track_caller]
    pub fn read<T: Resident>(&self, handle: Handle<T>) -> ThingRef<'_, T> {
        self.pool::<T>().read(handle)
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
        self.shelf.put(resource)
    }

    /// Looks at a resource.
    ///
    /// # Panics
    ///
    /// If there is none of this type.
    ///
    /// # Examples
    ///
    /// See [`World`].
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
    /// See [`World`].
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
        self.peek().ok_or_else(|| self.missing(MissingKind::Resource, type_name::<R>()))
    }

    /// A resource, if there is one; nothing is said if not.
    pub(crate) fn peek<R: 'static>(&self) -> Option<&R> {
        self.shelf.find::<R>().and_then(|place| self.shelf.get(place))
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
        match self.shelf.find::<R>() {
            Some(place) if self.shelf.has(place) => match self.shelf.get_mut(place) {
                Some(resource) => Ok(resource),
                None => unreachable!("W1: it is there"),
            },
            _ => Err(self.missing(MissingKind::Resource, type_name::<R>())),
        }
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
        self.shelf.take()
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
        self.note_kind::<Pinned<R>>(Kind::Pinned(type_name::<R>()));
        self.pinned += 1;
        self.shelf.put(Pinned::new(resource)).and_then(|before| before.into_inner().ok())
    }

    /// Looks at a pinned resource, on its own thread.
    ///
    /// # Errors
    ///
    /// [`Missing`] if there is none, or on another thread.
    ///
    /// # Examples
    ///
    /// See [`insert_pinned`](Self::insert_pinned).
    pub fn pinned<R: 'static>(&self) -> Result<&R, Missing> {
        let found = self.shelf.find::<Pinned<R>>().and_then(|place| self.shelf.get(place)?.get());
        found.ok_or_else(|| self.missing(MissingKind::Pinned, type_name::<R>()))
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
        if self.pinned::<R>().is_err() {
            return Err(self.missing(MissingKind::Pinned, type_name::<R>()));
        }
        match self.shelf.find::<Pinned<R>>().and_then(|place| self.shelf.get_mut(place)?.get_mut())
        {
            Some(resource) => Ok(resource),
            None => unreachable!("found just now"),
        }
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
        if !self.shelf.find::<Events<E>>().is_some_and(|place| self.shelf.has(place)) {
            self.hidden_place::<Events<E>>();
            self.shelf.put(Events::<E>::default());
            self.tidy_events.push(|world| world.events_mut::<E>().tidy());
        }
        match self.shelf.find::<Events<E>>().and_then(|place| self.shelf.get_mut(place)) {
            Some(events) => events,
            None => unreachable!("W1: put there just now"),
        }
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
        let names = |what| self.missing(what, "").present;
        out.debug_struct("World")
            .field("pools", &names(MissingKind::Pool))
            .field("resources", &names(MissingKind::Resource))
            .field("pinned", &names(MissingKind::Pinned))
            .finish()
    }
}
