//! **lath**, a LArge array of THings: one fat struct per kind of thing, kept in one large array,
//! named by handles that cannot lie.
//!
//! - **A thing is one struct**, with [`#[derive(Thing)]`](macro@Thing): all that a ship can be.
//!   What a certain ship does not need stays at its default.
//! - **All things of a type are in one [`Pool`]**, which never moves them. By default whole structs
//!   lie side by side; `#[thing(columns)]` gives every field an array of its own, and your code
//!   does not change.
//! - **Whoever refers to a thing keeps a [`Handle`]**: the number of a slot and which of its lives
//!   is meant. It finds that thing or nothing, for ever. [`Handle::NIL`] is the default;
//!   [`read`](Pool::read) shows the nil thing, `T::default()`, where there is nothing.
//! - **A [`View`] names the fields that a loop reads and writes**, tags say which things it is
//!   about.
//! - **Trees** link things beside the pool: [`attach`](pool::TreeMut::attach),
//!   [`children`](pool::Tree::children), [`sweep`](pool::TreeMut::sweep). When a parent goes,
//!   its relation says what becomes of the children.
//! - **A system is a plain function whose parameters say what it touches.** A [`Schedule`] runs
//!   systems in the order in which they were added, at the same time where they have nothing in
//!   common: the same bytes on one thread or many.
//! - **Systems change the [`World`] by [`Commands`]**, which are applied when nobody is looking, in
//!   the order of the systems.
//! - **A snapshot is the whole world as bytes** (feature `snapshot`): to save, to load, to roll
//!   back, to compare.
//!
//! In one program:
//!
//! ```
//! use lath::prelude::*;
//! # use std::ops::{AddAssign, Mul};
//! # #[derive(Clone, Copy, Default, Debug, PartialEq)]
//! # pub struct Vec2 { x: f32, y: f32 }
//! # impl AddAssign for Vec2 { fn add_assign(&mut self, other: Self) { self.x += other.x; self.y += other.y } }
//! # impl Mul<f32> for Vec2 { type Output = Self; fn mul(self, by: f32) -> Self { Self { x: self.x * by, y: self.y * by } } }
//!
//! bitflags! {
//!     #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
//!     pub struct Tags: u32 { const MOVES = 1; const ITEM = 2; const FROZEN = 4; }
//! }
//!
//! #[derive(Thing, Clone, Default, Debug)]
//! #[thing(columns)]                       // or rows, the default
//! pub struct Actor {
//!     #[thing(tags)] pub tags: Tags,
//!     pub pos: Vec2,
//!     pub vel: Vec2,
//!     pub hp: f32,
//!     pub target: Handle<Actor>,          // Handle::NIL by default; all bits zero
//!     #[thing(cold)] pub name: String,    // rare or large: kept out of the hot arrays
//! }
//!
//! #[derive(View)]
//! #[view(Actor, with = Tags::MOVES, without = Tags::FROZEN)]
//! struct Moving<'a> { pos: &'a mut Vec2, vel: &'a Vec2 }
//!
//! fn integrate(mut movers: Query<Moving>, time: Res<Time>) {
//!     for m in &mut movers { *m.pos += *m.vel * time.dt; }
//! }
//!
//! fn bury(actors: Query<(Handle<Actor>, Ref<actor::hp>)>, mut commands: Commands) {
//!     for (who, hp) in &actors { if *hp <= 0.0 { commands.despawn(who); } }
//! }
//!
//! let mut world = World::new();
//! world.insert(Time { dt: 1.0 / 60.0 });
//! let bag   = world.spawn(Actor { name: "bag".into(), ..default() });
//! let sword = world.spawn(Actor { tags: Tags::ITEM, ..default() });
//! world.pool_mut::<Actor>().tree_mut().attach(sword, bag)?;
//! # let runner = world.spawn(Actor { tags: Tags::MOVES, vel: Vec2 { x: 60.0, y: 0.0 }, hp: 1.0, ..default() });
//!
//! let mut schedule = Schedule::new();
//! schedule.add(integrate).add(bury);
//! schedule.run(&mut world);
//!
//! assert!(world.get(bag).is_none() && world.get(sword).is_none()); // no hit points: buried, with what it holds
//! assert_eq!(world.read(sword).name, "");                          // reading never fails: the nil thing
//! # assert_eq!(world.read(runner).pos, &Vec2 { x: 1.0, y: 0.0 });
//! # Ok::<(), LinkError>(())
//! ```
//!
//! The guide says the same at length, in `docs/`: `docs/introduction.md` is its beginning,
//! `docs/recipes/README.md` has short answers. The examples `01_handles` to `08_snapshot` are small
//! stories, one for each word.
//!
//! # The world and its systems
//!
//! | to | use |
//! |---|---|
//! | keep pools and single values | [`World`]: [`spawn`](World::spawn), [`insert`](World::insert), [`pool_mut`](World::pool_mut), [`resource`](World::resource) |
//! | read and write fields of things | [`Query`] of a [`View`], of [`Ref`], [`Mut`] and [`Handle`], or of a tuple of them |
//! | read and write single values | [`Res`], [`ResMut`], `Option<Res<…>>`; [`PinnedRes`], [`PinnedMut`] for those of one thread |
//! | use links, or whole things | [`Tree`], [`TreeMut`], [`Sweep`]; [`PoolRef`], [`PoolMut`] |
//! | keep something from run to run | [`Local`] |
//! | put in, take out, link, tag | [`Commands`] |
//! | tell other systems | [`EventWriter`], [`EventReader`] |
//! | do anything | `&mut World` as the parameter |
//! | bundle parameters | `#[derive(Params)]` |
//! | put systems in order | [`Schedule::add`], [`barrier`](Schedule::barrier), [`set`](Schedule::set), and [`before`](IntoSystem::before), [`after`](IntoSystem::after), [`run_if`](IntoSystem::run_if) on a system |
//! | step at a fixed rate, change state | [`Schedule::fixed`], [`State`] and [`Schedule::transitions`] |
//! | hear of things that come and go | [`World::on_spawn`], [`World::on_despawn`], [`World::on_tags`] |
//! | see what it does | [`Schedule::explain`], [`Schedule::report`], [`Schedule::chrome_trace`] |
//!
//! A [`Pool`] also works by itself, without a world.
//!
//! # What to call on a pool
//!
//! | to | call |
//! |---|---|
//! | put in | [`spawn`](Pool::spawn), [`spawn_many`](Pool::spawn_many), [`spawn_range`](Pool::spawn_range), [`spawn_at`](Pool::spawn_at) |
//! | put in while others look | [`stage`](Pool::stage), [`reserve`](Pool::reserve), then [`commit`](Pool::commit) |
//! | look up | [`get`](Pool::get), [`get_mut`](Pool::get_mut), [`read`](Pool::read), [`edit`](Pool::edit), [`check`](Pool::check) |
//! | use several at once | [`get_disjoint_mut`](Pool::get_disjoint_mut), [`split`](Pool::split), [`each_with_rest`](Pool::each_with_rest) |
//! | walk | [`iter`](Pool::iter), [`iter_mut`](Pool::iter_mut), [`handles`](Pool::handles), or by a view |
//! | use some fields only | a [`View`] in [`view`](Pool::view) and [`view_mut`](Pool::view_mut), which give [`Views`]: loops, iterators, lookups, slices; [`set`](Pool::set) |
//! | mark and filter | [`insert_tags`](Pool::insert_tags), [`remove_tags`](Pool::remove_tags), [`has`](Pool::has), and `with`/`without` of a [`View`] |
//! | link | [`tree_mut`](Pool::tree_mut), [`tree`](Pool::tree), [`spawn_child`](Pool::spawn_child), [`spawn_tree`](Pool::spawn_tree), [`take_tree`](Pool::take_tree) |
//! | take out | [`despawn`](Pool::despawn), [`take`](Pool::take), [`retain`](Pool::retain), [`extract_if`](Pool::extract_if), [`clear`](Pool::clear) |
//! | take out when somebody else is done | [`despawn_after`](Pool::despawn_after), then [`reap`](Pool::reap) |
//! | never allocate again | [`Pool::fixed`]; [`FixedPool`] needs no heap at all |
//! | ask what has changed | [`track_changes`](Pool::track_changes), [`next_tick`](Pool::next_tick), [`changed_since`](Pool::changed_since) |
//! | ask how it is doing | [`stats`](Pool::stats), [`expect_at_most`](Pool::expect_at_most) |
//!
//! # The crates
//!
//! | crate | holds |
//! |---|---|
//! | `lath` | this one: re-exports and the [`prelude`] |
//! | `lath-core` | handles, pools, views, tags; `no_std` |
//! | `lath-soa` | `#[thing(columns)]`: struct-of-arrays storage; `no_std` |
//! | `lath-schedule` | the world, systems, the schedule, commands, events |
//! | `lath-snapshot` | snapshots, rollback, saves, prefabs: the feature `snapshot` |
//! | `lath-inspect` | the live world in a browser: the feature `inspect` |
//! | `lath-derive` | `#[derive(Thing)]`, `#[derive(View)]`, `#[derive(Params)]`, `#[derive(Save)]`, `#[derive(Inspect)]` |
//!
//! Everything is at the root of this crate, but for three names that are there twice: [`Tree`],
//! [`TreeMut`] and [`Sweep`] are the parameters of systems, and what they wrap, which is seldom
//! named, is in [`pool`].
//!
//! # Features
//!
//! | feature | brings |
//! |---|---|
//! | `std` (default) | the warning of [`Pool::expect_at_most`] is printed, and loops over views use AVX2 where the processor has it; without it lath needs `alloc` only |
//! | `schedule` (default) | the world, its systems and their schedule; needs `std` |
//! | `parallel` (default) | systems run on several threads, and loops inside them: one set of threads for all of the program, by `rayon-core`, or those of the rayon pool that you are in; the `par_` forms of views and of the sweeps over trees |
//! | `tracing` | a `tracing` span around every system |
//! | `snapshot` | snapshots, rollback, saves, prefabs |
//! | `inspect` | `lath::inspect`: the live world in a browser, to be looked at and changed |
//! | `serde` | handles and ranges of handles are written as their bits; states, timers and clocks can be saved |
//! | `bytemuck` | handles can be zeroed and looked at as bytes |
//! | `full` | all of them |

#![no_std]
#![forbid(unsafe_code)]

/// All of `lath-core` but what is in [`pool`].
mod names {
    pub use lath_core::{
        Ancestors, AnyHandle, Attached, Branch, CapacityError, ChildViews, Children, CloneStorage,
        Cursor, Descendants, Excess, ExtractIf, Field, FieldBase, FieldInfo, FieldVisitor, Fields,
        FixedPool, GetMany, Handle, HandleBits, HandleError, HandleRange, Home, Iter, IterMut,
        Lane, LinkError, LinkRole, LinksAndThings, LinksOnly, Mut, Name, NoTags, Orphans, Others,
        OutOfMemory, PlaceOf, Pool, PostOrder, Reach, Ref, Relation, Remap, Reuse, Rows, Side,
        SideError, SideFault, SideMut, SingleError, Slices, SpawnError, SpawnFault, SpawnMany,
        Stats, Storage, StorageOf, TagBits, TagSet, TakenTree, Thing, ThingMut, ThingRef, Things,
        View, ViewIter, Views, Workers, bitflags,
    };
}

#[cfg(feature = "schedule")]
#[doc(inline)]
pub use lath_derive::Params;
#[cfg(feature = "snapshot")]
#[doc(inline)]
pub use lath_derive::Save;
#[doc(inline)]
pub use lath_derive::{Thing, View};
#[cfg(feature = "schedule")]
#[doc(inline)]
pub use lath_schedule::*;
#[doc(inline)]
pub use lath_soa::*;
#[doc(inline)]
pub use names::*;
#[cfg(feature = "snapshot")]
#[doc(inline)]
pub use saving::*;

/// All of `lath-snapshot`; the derive macro of the trait `Save` is the facade's.
#[cfg(feature = "snapshot")]
mod saving {
    pub use lath_snapshot::{
        ColumnInfo, Delta, History, Linked, Load, PoolInfo, Prefab, PrefabLibrary, Raw, Relink,
        Save, SaveError, SaveInfo, SaveVisitor, SaveWorld, SavedField, SavedPool, SavedResource,
        SavedValue, Snapshot, Write, WrongSnapshot, spawn_prefab, spawn_prefab_with,
    };
}

/// What [`Pool::tree`] and [`Pool::tree_mut`] return, and what sweeps along links for schedulers.
/// At the root of the crate these names are parameters of systems.
///
/// # Examples
///
/// ```
/// use lath::prelude::*;
///
/// #[derive(Thing, Default)]
/// struct Part {}
///
/// fn height(tree: lath::pool::Tree<'_, Part>, root: Handle<Part>) -> usize {
///     tree.descendants(root).map(|part| tree.depth(part)).max().unwrap_or(0)
/// }
///
/// let mut ship = Pool::new();
/// let hull = ship.spawn(Part {});
/// ship.spawn_child(hull, Part {}).unwrap();
/// assert_eq!(height(ship.tree(), hull), 1);
/// ```
pub mod pool {
    #[doc(inline)]
    pub use lath_core::{Sweep, Tree, TreeMut};
}

/// The live world in a browser: [`Inspector`](inspect::Inspector), and what its requests are made
/// of.
///
/// # Examples
///
/// ```
/// use lath::inspect::{Inspect, Inspector, Request};
/// use lath::prelude::*;
///
/// #[derive(Thing, Inspect, Default)]
/// struct Ship { hull: f32 }
///
/// let (mut world, mut schedule) = (World::new(), Schedule::new());
/// world.spawn(Ship { hull: 3.0 });
/// let mut inspector = Inspector::new();
/// inspector.pool::<Ship>();
/// let ships = inspector.handle(&mut world, &mut schedule, Request::get("/api/v1/things?pool=Ship"));
/// assert_eq!(ships.body["rows"][0]["cells"][0]["number"], 3.0);
/// ```
#[cfg(feature = "inspect")]
pub mod inspect {
    #[doc(inline)]
    pub use lath_derive::Inspect;
    #[doc(inline)]
    pub use lath_inspect::*;
}

/// The default of any type: `..default()` for the fields that are not written out.
///
/// # Examples
///
/// ```
/// use lath::prelude::*;
///
/// #[derive(Thing, Default)]
/// struct Ship { hull: i32, target: Handle<Ship> }
///
/// let ship = Ship { hull: 10, ..default() };
/// assert!(ship.target.is_nil());
/// ```
#[must_use]
#[inline]
pub fn default<T: Default>() -> T {
    T::default()
}

/// How the code that the derives write finds the crates of lath, whatever the user's crate depends
/// on.
#[doc(hidden)]
pub mod __private {
    pub use lath_core;
    #[cfg(feature = "inspect")]
    pub use lath_inspect;
    #[cfg(feature = "schedule")]
    pub use lath_schedule;
    #[cfg(feature = "snapshot")]
    pub use lath_snapshot;
    pub use lath_soa;
}

/// What most programs type: `use lath::prelude::*`.
///
/// The thing and its handles, the pools, views, the macro that declares tags, the world, the
/// schedule and what systems can have as parameters, [`default`](crate::default()), and the errors
/// that calls return. What a call hands out and nobody has to name (iterators, [`Stats`]) stays at
/// the root of the crate.
///
/// # Examples
///
/// ```
/// use lath::prelude::*;
///
/// #[derive(Thing, Default)]
/// struct Crew { age: u32 }
///
/// fn birthday(crew: &mut Pool<Crew>, who: Handle<Crew>) -> Result<(), HandleError> {
///     crew.check(who)?;
///     crew.edit(who, |who| who.age += 1);
///     Ok(())
/// }
///
/// let mut crew = Pool::new();
/// assert_eq!(birthday(&mut crew, Handle::NIL), Err(HandleError::Nil));
/// ```
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::{
        AnyHandle, Branch, CapacityError, FixedPool, Handle, HandleError, HandleRange, LinkError,
        Mut, Orphans, Others, Pool, Ref, Relation, Reuse, SpawnError, SpawnFault, Thing, View,
        bitflags::bitflags, default,
    };
    #[cfg(feature = "schedule")]
    #[doc(no_inline)]
    pub use crate::{
        Commands, EventReader, EventWriter, IntoSystem, Local, Params, PlanError, PoolMut, PoolRef,
        Query, Res, ResMut, RunError, Schedule, State, Sweep, Time, Tree, TreeMut, World,
    };
    #[cfg(feature = "snapshot")]
    #[doc(no_inline)]
    pub use crate::{History, Save, SaveWorld, Snapshot};
}

/// The README and the pages of the guide: every block of Rust in them is compiled and run by
/// `cargo test`.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/introduction.md")]
    mod introduction {}
    #[doc = include_str!("../../../docs/handles.md")]
    mod handles {}
    #[doc = include_str!("../../../docs/pools.md")]
    mod pools {}
    #[doc = include_str!("../../../docs/columns.md")]
    mod columns {}
    #[doc = include_str!("../../../docs/views.md")]
    mod views {}
    #[doc = include_str!("../../../docs/tags.md")]
    mod tags {}
    #[doc = include_str!("../../../docs/changes.md")]
    mod changes {}
    #[doc = include_str!("../../../docs/trees.md")]
    mod trees {}
    #[cfg(feature = "schedule")]
    #[doc = include_str!("../../../docs/systems.md")]
    mod systems {}
    #[cfg(feature = "schedule")]
    #[doc = include_str!("../../../docs/commands.md")]
    mod commands {}
    #[cfg(feature = "snapshot")]
    #[doc = include_str!("../../../docs/saving.md")]
    mod saving {}
    #[cfg(feature = "inspect")]
    #[doc = include_str!("../../../docs/inspector.md")]
    mod inspector {}

    mod recipes {
        #[cfg(feature = "schedule")]
        #[doc = include_str!("../../../docs/recipes/game-loop.md")]
        mod game_loop {}
        #[cfg(feature = "schedule")]
        #[doc = include_str!("../../../docs/recipes/fat-struct.md")]
        mod fat_struct {}
        #[cfg(feature = "schedule")]
        #[doc = include_str!("../../../docs/recipes/targets.md")]
        mod targets {}
        #[cfg(feature = "schedule")]
        #[doc = include_str!("../../../docs/recipes/spawning.md")]
        mod spawning {}
        #[cfg(feature = "schedule")]
        #[doc = include_str!("../../../docs/recipes/events.md")]
        mod events {}
        #[doc = include_str!("../../../docs/recipes/inventory.md")]
        mod inventory {}
        #[cfg(feature = "snapshot")]
        #[doc = include_str!("../../../docs/recipes/save-game.md")]
        mod save_game {}
        #[cfg(feature = "snapshot")]
        #[doc = include_str!("../../../docs/recipes/rollback.md")]
        mod rollback {}
        #[cfg(feature = "schedule")]
        #[doc = include_str!("../../../docs/recipes/multiplayer.md")]
        mod multiplayer {}
        #[doc = include_str!("../../../docs/recipes/gpu.md")]
        mod gpu {}
        #[cfg(feature = "schedule")]
        #[doc = include_str!("../../../docs/recipes/from-bevy.md")]
        mod from_bevy {}
        #[doc = include_str!("../../../docs/recipes/from-hecs.md")]
        mod from_hecs {}
        #[doc = include_str!("../../../docs/recipes/from-slotmap.md")]
        mod from_slotmap {}
    }
}
