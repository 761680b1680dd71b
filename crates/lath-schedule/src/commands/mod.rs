#![expect(unsafe_code, reason = "implements the unsafe trait of parameters for commands")]
//! Commands: what systems want done to the world, kept until nobody is using it.

mod buffer;
mod kinds;
mod queue;

use lath_core::{Attached, Field, Fields, Handle, Relation, SpawnError, TagSet, TreeMut, View};

use crate::access::Access;
use crate::param::{Context, Param, Query};
use crate::world::{Resident, World};

pub(crate) use buffer::Buffer;
use kinds::{Act, Spawn};
pub(crate) use queue::{Panic, forget};

/// Changes to the world, to be made later: things put in and taken out, links, tags, resources,
/// anything.
///
/// Commands are applied at the next [`barrier`](crate::Schedule::barrier), before the next system
/// that needs a pool or the world alone, or at the end of the run: system by system in the order of
/// the schedule, and in the order in which each system gave them. That order, and the handles of
/// things that are spawned, do not depend on how many threads there are. A command about a thing
/// that has died meanwhile does nothing; [`World::command_counts`] counts those.
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, Ref, Thing};
/// use lath_schedule::{Commands, Query, Schedule, World};
///
/// #[derive(Thing, Default)]
/// struct Actor { hp: f32 }
///
/// fn bury(actors: Query<(Handle<Actor>, Ref<actor::hp>)>, mut commands: Commands) {
///     for (who, hp) in &actors {
///         if *hp <= 0.0 { commands.despawn(who); }
///     }
/// }
///
/// let mut world = World::new();
/// let ada = world.spawn(Actor { hp: 0.0 });
/// let mut schedule = Schedule::new();
/// schedule.add(bury);
/// schedule.run(&mut world);
/// assert!(world.get(ada).is_none());
/// ```
pub struct Commands<'w> {
    buffer: &'w mut Buffer,
    world: &'w World,
}

impl<'w> Commands<'w> {
    /// Puts a thing into the pool of its type, later. The handle is good from then on, and can be
    /// used in other commands now.
    ///
    /// Every system that gives commands is dealt free slots of its own, in groups of 64: which
    /// handle a thing gets follows from what is free, and from the order of the schedule. See
    /// [`Pool::deal`](lath_core::Pool::deal).
    ///
    /// # Panics
    ///
    /// If the free slots that were dealt to this system are used up: in a fixed pool each system
    /// gets its share only.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::{Commands, Schedule, World};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut commands: Commands| {
    ///     let hull = commands.spawn(Part {});
    ///     let mast = commands.spawn(Part {});
    ///     commands.attach(mast, hull);
    /// });
    /// let mut world = World::new();
    /// schedule.run(&mut world);
    /// assert_eq!(world.pool::<Part>().tree().roots().count(), 1);
    /// ```
    pub fn spawn<T: Resident>(&mut self, thing: T) -> Handle<T> {
        self.try_spawn(thing).unwrap_or_else(|error| {
            panic!("cannot spawn a {}: {}", std::any::type_name::<T>(), error.fault)
        })
    }

    /// As [`spawn`](Self::spawn).
    ///
    /// # Errors
    ///
    /// [`SpawnError`] gives the thing back.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # use lath_schedule::{Commands, Schedule, World};
    /// # #[derive(Thing, Default, Debug)] struct Spark {}
    /// let mut world = World::new();
    /// world.add_pool(Pool::<Spark>::fixed(1).unwrap());
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut commands: Commands| {
    ///     assert!(commands.try_spawn(Spark {}).is_ok());
    ///     assert!(commands.try_spawn(Spark {}).is_err());
    /// });
    /// schedule.run(&mut world);
    /// ```
    pub fn try_spawn<T: Resident>(&mut self, thing: T) -> Result<Handle<T>, SpawnError<T>> {
        match self.buffer.deal(self.world, &thing) {
            Ok(handle) => {
                self.buffer.push(Spawn(handle, thing));
                Ok(handle)
            }
            Err(fault) => Err(SpawnError { value: thing, fault }),
        }
    }

    /// Takes a thing out of its pool and drops it, with all that leaves with it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # use lath_schedule::{Commands, Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Spark {}
    /// let mut world = World::new();
    /// world.spawn(Spark {});
    /// let mut schedule = Schedule::new();
    /// schedule.add(|sparks: Query<Handle<Spark>>, mut commands: Commands| {
    ///     for spark in &sparks {
    ///         commands.despawn(spark);
    ///         commands.despawn(spark); // finds nothing to do
    ///     }
    ///     assert_eq!(sparks.count(), 1); // later
    /// });
    /// schedule.run(&mut world);
    /// assert!(world.pool::<Spark>().is_empty());
    /// assert_eq!(world.command_counts().missed, 1);
    /// ```
    pub fn despawn<T: Resident>(&mut self, handle: Handle<T>) {
        self.act(move |world| world.despawn(handle));
    }

    /// Puts a thing below a parent, after the parent's other children.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::{Commands, Schedule, World};
    /// # #[derive(Thing, Default)] struct Part {}
    /// # let mut world = World::new();
    /// let hull = world.spawn(Part {});
    /// let mut schedule = Schedule::new();
    /// schedule.add(move |mut commands: Commands| {
    ///     let mast = commands.spawn(Part {}); // can be attached before it is there
    ///     commands.attach(mast, hull);
    /// });
    /// schedule.run(&mut world);
    /// assert_eq!(world.pool::<Part>().tree().children(hull).count(), 1);
    /// ```
    pub fn attach<T: Resident>(&mut self, child: Handle<T>, parent: Handle<T>) {
        self.attach_in::<Attached, T>(child, parent);
    }

    /// As [`attach`](Self::attach), in another relation.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Orphans, Relation, Thing};
    /// # use lath_schedule::{Commands, Schedule, World};
    /// # #[derive(Thing, Default)] struct Item {}
    /// enum Carried {}
    /// impl Relation for Carried { const ORPHANS: Orphans = Orphans::Detach; }
    ///
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut commands: Commands| {
    ///     let bag = commands.spawn(Item {});
    ///     let sword = commands.spawn(Item {});
    ///     commands.attach_in::<Carried, _>(sword, bag);
    /// });
    /// # let mut world = World::new();
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.pool::<Item>().tree_of::<Carried>().roots().count(), 1);
    /// ```
    pub fn attach_in<R: Relation, T: Resident>(&mut self, child: Handle<T>, parent: Handle<T>) {
        self.link::<R, T>(move |mut tree| tree.attach(child, parent).is_ok());
    }

    /// As [`attach`](Self::attach), before the parent's other children.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::{Commands, Schedule, World};
    /// # #[derive(Thing, Default)] struct Part {}
    /// # let mut world = World::new();
    /// let [hull, mast, oar] = [(); 3].map(|()| world.spawn(Part {}));
    /// let mut schedule = Schedule::new();
    /// schedule.add(move |mut commands: Commands| {
    ///     commands.attach(mast, hull);
    ///     commands.attach_first(oar, hull);
    /// });
    /// schedule.run(&mut world);
    /// assert!(world.pool::<Part>().tree().children(hull).eq([oar, mast]));
    /// ```
    pub fn attach_first<T: Resident>(&mut self, child: Handle<T>, parent: Handle<T>) {
        self.link::<Attached, T>(move |mut tree| tree.attach_first(child, parent).is_ok());
    }

    /// Takes a thing from its parent.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::{Commands, Schedule, World};
    /// # #[derive(Thing, Default)] struct Part {}
    /// # let mut world = World::new();
    /// let hull = world.spawn(Part {});
    /// let mast = world.pool_mut().spawn_child(hull, Part {}).unwrap();
    /// let mut schedule = Schedule::new();
    /// schedule.add(move |mut commands: Commands| commands.detach(mast));
    /// schedule.run(&mut world);
    /// assert_eq!(world.pool::<Part>().tree().parent(mast), None);
    /// ```
    pub fn detach<T: Resident>(&mut self, handle: Handle<T>) {
        self.detach_in::<Attached, T>(handle);
    }

    /// As [`detach`](Self::detach), in another relation.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Orphans, Relation, Thing};
    /// # use lath_schedule::{Commands, Schedule, World};
    /// # #[derive(Thing, Default)] struct Item {}
    /// enum Carried {}
    /// impl Relation for Carried { const ORPHANS: Orphans = Orphans::Detach; }
    ///
    /// let mut world = World::new();
    /// let [bag, sword] = [(); 2].map(|()| world.spawn(Item {}));
    /// world.pool_mut::<Item>().tree_of_mut::<Carried>().attach(sword, bag)?;
    /// let mut schedule = Schedule::new();
    /// schedule.add(move |mut commands: Commands| commands.detach_in::<Carried, _>(sword));
    /// schedule.run(&mut world);
    /// assert_eq!(world.pool::<Item>().tree_of::<Carried>().parent(sword), None);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn detach_in<R: Relation, T: Resident>(&mut self, handle: Handle<T>) {
        self.link::<R, T>(move |mut tree| tree.detach(handle).is_ok());
    }

    /// Replaces the tags of a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{bitflags::bitflags, Thing};
    /// # use lath_schedule::{Commands, Schedule, World};
    /// bitflags! {
    ///     #[derive(Clone, Copy, Default)]
    ///     struct Tags: u8 { const FROZEN = 1; const LOUD = 2; }
    /// }
    /// #[derive(Thing, Default)] struct Actor { #[thing(tags)] tags: Tags }
    /// # let mut world = World::new();
    /// let actor = world.spawn(Actor { tags: Tags::FROZEN });
    /// let mut schedule = Schedule::new();
    /// schedule.add(move |mut commands: Commands| {
    ///     commands.insert_tags(actor, Tags::LOUD);
    ///     commands.remove_tags(actor, Tags::FROZEN);
    /// });
    /// schedule.run(&mut world);
    /// assert!(world.pool::<Actor>().has(actor, Tags::LOUD));
    /// assert!(!world.pool::<Actor>().has(actor, Tags::FROZEN));
    /// ```
    pub fn set_tags<T: Resident>(&mut self, handle: Handle<T>, tags: T::Tags) {
        self.tag(handle, 0, tags);
    }

    /// Gives a thing more tags.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{bitflags::bitflags, Thing};
    /// # use lath_schedule::{Commands, Schedule, World};
    /// bitflags! {
    ///     #[derive(Clone, Copy, Default, PartialEq, Debug)]
    ///     struct Tags: u8 { const FROZEN = 1; const LOUD = 2; }
    /// }
    /// #[derive(Thing, Default)] struct Actor { #[thing(tags)] tags: Tags }
    /// # let mut world = World::new();
    /// let actor = world.spawn(Actor { tags: Tags::FROZEN });
    /// let mut schedule = Schedule::new();
    /// schedule.add(move |mut commands: Commands| commands.insert_tags(actor, Tags::LOUD));
    /// schedule.run(&mut world);
    /// assert_eq!(world.pool::<Actor>().tags(actor), Tags::FROZEN | Tags::LOUD);
    /// ```
    pub fn insert_tags<T: Resident>(&mut self, handle: Handle<T>, tags: T::Tags) {
        self.tag(handle, u64::MAX, tags);
    }

    /// Takes tags from a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{bitflags::bitflags, Thing};
    /// # use lath_schedule::{Commands, Schedule, World};
    /// bitflags! {
    ///     #[derive(Clone, Copy, Default, PartialEq, Debug)]
    ///     struct Tags: u8 { const FROZEN = 1; const LOUD = 2; }
    /// }
    /// #[derive(Thing, Default)] struct Actor { #[thing(tags)] tags: Tags }
    /// # let mut world = World::new();
    /// let actor = world.spawn(Actor { tags: Tags::FROZEN });
    /// let mut schedule = Schedule::new();
    /// schedule.add(move |mut commands: Commands| commands.remove_tags(actor, Tags::all()));
    /// schedule.run(&mut world);
    /// assert_eq!(world.pool::<Actor>().tags(actor), Tags::empty());
    /// ```
    pub fn remove_tags<T: Resident>(&mut self, handle: Handle<T>, tags: T::Tags) {
        self.tag(handle, !tags.widen(), T::Tags::narrow(0));
    }

    /// Replaces one field of a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::{Commands, Schedule, World};
    /// #[derive(Thing, Default)] struct Actor { #[thing(cold)] name: String }
    /// # let mut world = World::new();
    /// let actor = world.spawn(Actor::default());
    /// let mut schedule = Schedule::new();
    /// schedule.add(move |mut commands: Commands| {
    ///     commands.set::<actor::name>(actor, "Ada".into());
    /// });
    /// schedule.run(&mut world);
    /// assert_eq!(world.read(actor).name, "Ada");
    /// ```
    pub fn set<F>(&mut self, handle: Handle<F::Thing>, value: F::Value)
    where
        F: Field<Thing: Resident + Fields, Value: Send>,
    {
        self.act(move |world| {
            let pool = world.present_pool_mut::<F::Thing>();
            pool.is_some_and(|pool| pool.set::<F>(handle, value).is_ok())
        });
    }

    /// Puts in a resource.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Commands, Schedule, World};
    /// struct Score(u32);
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut commands: Commands| commands.insert(Score(3)));
    /// let mut world = World::new();
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Score>().0, 3);
    /// ```
    pub fn insert<R: Send + Sync + 'static>(&mut self, resource: R) {
        self.act(move |world| {
            world.insert(resource);
            true
        });
    }

    /// Takes a resource away.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Commands, Schedule, World};
    /// struct Score(u32);
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut commands: Commands| commands.remove::<Score>());
    /// let mut world = World::new();
    /// world.insert(Score(3));
    /// schedule.run(&mut world);
    /// assert!(world.try_resource::<Score>().is_err());
    /// ```
    pub fn remove<R: Send + Sync + 'static>(&mut self) {
        self.act(|world| world.remove::<R>().is_some());
    }

    /// Sends an event, at the time when commands are applied: the way to send from a loop on
    /// several threads.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Commands, Schedule, World};
    /// struct Bang;
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut commands: Commands| commands.send(Bang));
    /// # let mut world = World::new();
    /// # schedule.run(&mut world);
    /// ```
    pub fn send<E: Send + Sync + 'static>(&mut self, event: E) {
        self.act(move |world| {
            world.send(event);
            true
        });
    }

    /// Calls `f` with the world, later.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Commands, Schedule, World};
    /// struct Score(u32);
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut commands: Commands| {
    ///     commands.run(|world| world.resource_mut::<Score>().0 += 1);
    /// });
    /// let mut world = World::new();
    /// world.insert(Score(3));
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Score>().0, 4);
    /// ```
    pub fn run(&mut self, f: impl FnOnce(&mut World) + Send + 'static) {
        self.buffer.push(Act::<_, true>(move |world: &mut World| {
            f(world);
            true
        }));
    }

    /// Says what is to be done.
    fn act(&mut self, f: impl FnOnce(&mut World) -> bool + Send + 'static) {
        self.buffer.push(Act::<_, false>(f));
    }

    /// Changes links, if there is a pool of such things.
    fn link<R: Relation, T: Resident>(
        &mut self,
        change: impl FnOnce(TreeMut<'_, T>) -> bool + Send + 'static,
    ) {
        self.act(move |world| {
            let pool = world.present_pool_mut::<T>();
            pool.is_some_and(|pool| change(pool.tree_of_mut::<R>()))
        });
    }

    /// Keeps some tags of a thing and adds others.
    fn tag<T: Resident>(&mut self, handle: Handle<T>, keep: u64, add: T::Tags) {
        let after = move |tags: T::Tags| T::Tags::narrow(tags.widen() & keep | add.widen());
        self.act(move |world| world.change_tags(handle, after));
    }

    /// How many commands wait.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Commands, Schedule, World};
    /// let mut schedule = Schedule::new();
    /// schedule.add(|commands: Commands| assert!(commands.is_empty() && commands.len() == 0));
    /// schedule.run(&mut World::new());
    /// ```
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether no command waits.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Commands, Schedule, World};
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut commands: Commands| {
    ///     assert!(commands.is_empty());
    ///     commands.run(|_| println!("later"));
    ///     assert!(!commands.is_empty());
    /// });
    /// schedule.run(&mut World::new());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.buffer.len() == 0
    }

    /// Calls `f` with all that a query sees, on several threads, with commands: as
    /// [`Query::par_each`]. They are applied in slot order, whatever the threads do, and handles of
    /// things that are spawned are the same on any number of threads.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Ref, Thing};
    /// # use lath_schedule::{Commands, Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Actor { hp: f32 }
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut actors: Query<(Handle<Actor>, Ref<actor::hp>)>, mut commands: Commands| {
    ///     commands.par_each(&mut actors, |(who, hp), commands| {
    ///         if *hp <= 0.0 { commands.despawn(who); }
    ///     });
    /// });
    /// # let mut world = World::new();
    /// # let actor = world.spawn(Actor { hp: 0.0 });
    /// # schedule.run(&mut world);
    /// # assert!(world.get(actor).is_none());
    /// ```
    pub fn par_each<'x, V: View>(
        &mut self,
        query: &'x mut Query<'_, V>,
        f: impl Fn(V::Item<'x>, &mut Commands<'_>) + Sync,
    ) where
        V::Item<'x>: Send,
    {
        let (world, count) = (self.world, (query.chunks() as u32).min(MOST_PARTS));
        let parts = self.buffer.divide(count);
        query.par_each_with(parts, |item, buffer| f(item, &mut Commands { buffer, world }));
        self.buffer.unite(count);
    }
}

/// A loop with commands is divided into so many parts at most. Every part is dealt free slots of
/// its own: if there were more the larger a pool is, what they spawn would lie the further apart,
/// and the pool would become larger still.
const MOST_PARTS: u32 = 16;

// SAFETY: uses the commands of the system, which it declares; of the world it asks only which slots
// of pools are free, which does not change while systems run that do not need a pool alone; those
// that do cannot have commands.
unsafe impl Param for Commands<'_> {
    type State = ();
    type Item<'w, 's> = Commands<'w>;

    fn declare(access: &mut Access) {
        access.give_commands();
    }

    fn init(_: &mut World) {}

    unsafe fn fetch<'w, 's>(_: &'s mut (), context: Context<'w>) -> Commands<'w> {
        // SAFETY: nobody has the world exclusively, and nobody else has the commands (by the
        // caller, and what was declared).
        unsafe { Commands { buffer: context.buffer(), world: context.world() } }
    }
}
