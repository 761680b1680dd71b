//! What a world saves: told once, kept in the world.

use std::any::TypeId;
use std::sync::Arc;

use bytemuck::Pod;
use lath_core::Relation;
use lath_core::guard::Guard;
use lath_schedule::{Resident, World};
use serde::de::DeserializeOwned;

use crate::bounds::{self, Bounds};
use crate::error::SaveError;
use crate::file::column::{Column, PLAIN, type_name};
use crate::part::Kind;
use crate::pool_part::{Conversion, Convert, PoolKind, TreeKind};
use crate::resource_part::{ResourceKind, Serde};
use crate::save::{Save, SavedField, SavedValue};

/// All that a world saves: a resource of it.
#[derive(Default)]
pub(crate) struct Registry {
    entries: Vec<Entry>,
}

struct Entry {
    of: TypeId,
    kind: Box<dyn Kind>,
}

impl Registry {
    pub(crate) fn of(world: &World) -> Result<&Self, SaveError> {
        world
            .try_resource::<Self>()
            .ok()
            .filter(|registry| !registry.entries.is_empty())
            .ok_or(SaveError::Nothing)
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = &dyn Kind> {
        self.entries.iter().map(|entry| &*entry.kind)
    }

    /// Puts a kind in, in the place of an earlier one for the same type.
    fn put(world: &mut World, of: TypeId, kind: Box<dyn Kind>) {
        if world.try_resource::<Self>().is_err() {
            world.insert(Self::default());
        }
        let registry = world.resource_mut::<Self>();
        let taken = registry
            .entries
            .iter()
            .find(|entry| entry.of != of && entry.kind.name() == kind.name());
        assert!(
            taken.is_none(),
            "two things that this world saves are called `{}`: give one of them another name with `named`",
            kind.name()
        );
        match registry.entries.iter_mut().find(|entry| entry.of == of) {
            Some(entry) => entry.kind = kind,
            None => registry.entries.push(Entry { of, kind }),
        }
    }

    /// Takes the entries out while they are used with the world.
    pub(crate) fn lend<X>(
        world: &mut World,
        f: impl FnOnce(&Self, &mut World) -> X,
    ) -> Result<X, SaveError> {
        Self::of(world)?;
        let registry = world.remove::<Self>().unwrap_or_default();
        // Puts the entries back, whatever happens: values are read by code of the user's.
        let mut lent = Guard::new((registry, world), |(registry, world)| {
            world.insert(std::mem::take(registry));
        });
        let (registry, world) = &mut *lent;
        Ok(f(registry, world))
    }
}

/// Tells a world what to save.
///
/// Snapshots, saves and checksums have the pools and resources that were registered, and no others:
/// what is only for drawing, such as a camera, can be left out.
///
/// # Examples
///
/// ```
/// use lath_core::Thing;
/// use lath_schedule::World;
/// use lath_snapshot::{Save, SaveWorld, Snapshot};
///
/// #[derive(Thing, Save, Default)]
/// struct Ship { hull: f32 }
///
/// let mut world = World::new();
/// world.saves::<Ship>();
/// world.saves_resource::<u32>().named("score");
/// let ship = world.spawn(Ship { hull: 10.0 });
/// world.insert(5u32);
///
/// let before = Snapshot::take(&world)?;
/// world.despawn(ship);
/// *world.resource_mut::<u32>() = 6;
/// before.restore(&mut world)?;
/// assert_eq!(world.read(ship).hull, 10.0);
/// assert_eq!(*world.resource::<u32>(), 5);
/// # Ok::<(), lath_snapshot::SaveError>(())
/// ```
pub trait SaveWorld {
    /// The pool of these things is saved.
    ///
    /// # Panics
    ///
    /// If another thing that is saved has the same name; see [`SavedPool::named`].
    fn saves<T: Save + Resident>(&mut self) -> SavedPool<'_, T>;

    /// The resource of this type is saved. If there is none when a snapshot is taken, there is none
    /// after it was put back.
    ///
    /// # Panics
    ///
    /// As [`saves`](Self::saves).
    fn saves_resource<R: Clone + SavedValue + Send + Sync + 'static>(
        &mut self,
    ) -> SavedResource<'_, R>;

    /// The resource of this type is part of snapshots in memory, but not of saves, nor of
    /// checksums.
    ///
    /// # Panics
    ///
    /// As [`saves`](Self::saves).
    fn keeps_resource<R: Clone + Send + Sync + 'static>(&mut self) -> SavedResource<'_, R>;
}

impl SaveWorld for World {
    fn saves<T: Save + Resident>(&mut self) -> SavedPool<'_, T> {
        let mut saved = SavedPool { world: self, kind: PoolKind::new() };
        saved.put();
        saved
    }

    fn saves_resource<R: Clone + SavedValue + Send + Sync + 'static>(
        &mut self,
    ) -> SavedResource<'_, R> {
        let serde = Serde {
            write: |value| {
                let (mut bytes, bounds) = (Vec::new(), Bounds::of_depth());
                bounds::append(value, &mut bytes, &bounds)?;
                bounds.check_written(bytes.len())?;
                Ok(bytes)
            },
            read: |mut bytes| {
                let bounds = Bounds::of_bytes(bytes.len());
                let value = bounds::take(&mut bytes, &bounds)?;
                match bytes.len() {
                    0 => Ok(value),
                    left => Err(format!("{left} bytes are left over")),
                }
            },
            #[cfg(feature = "text")]
            write_text: |value| crate::text::write_value(value),
            #[cfg(feature = "text")]
            read_text: |text| bounds::read_text(text),
        };
        SavedResource::new(self, Some(serde))
    }

    fn keeps_resource<R: Clone + Send + Sync + 'static>(&mut self) -> SavedResource<'_, R> {
        SavedResource::new(self, None)
    }
}

/// How a pool is saved: [`SaveWorld::saves`].
pub struct SavedPool<'w, T: Save + Resident> {
    world: &'w mut World,
    kind: PoolKind<T>,
}

impl<T: Save + Resident> SavedPool<'_, T> {
    fn put(&mut self) {
        Registry::put(self.world, TypeId::of::<T>(), Box::new(Arc::new(self.kind.clone())));
    }

    /// Calls it otherwise than its struct: for two structs of the same name.
    ///
    /// # Panics
    ///
    /// If something else that is saved has that name.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::SaveWorld;
    /// mod sea {
    ///     #[derive(lath_core::Thing, lath_snapshot::Save, Default)]
    ///     pub struct Ship {}
    /// }
    /// mod space {
    ///     #[derive(lath_core::Thing, lath_snapshot::Save, Default)]
    ///     pub struct Ship {}
    /// }
    ///
    /// let mut world = World::new();
    /// world.saves::<space::Ship>().named("SpaceShip");
    /// world.saves::<sea::Ship>();
    /// ```
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.kind.name = name.into();
        self.put();
        self
    }

    /// Also finds it in saves under a name that it had before.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Save, SaveWorld};
    /// # #[derive(Thing, Save, Default)] struct Vessel {}
    /// let mut world = World::new();
    /// world.saves::<Vessel>().alias("Ship"); // its name until version 2
    /// ```
    pub fn alias(mut self, name: impl Into<String>) -> Self {
        self.kind.aliases.push(name.into());
        self.put();
        self
    }

    /// Saves the tree of a relation too, under the name of its type. The default tree is saved
    /// anyway, and snapshots in memory have all trees.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Relation, Thing};
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Save, SaveWorld};
    /// # #[derive(Thing, Save, Default)] struct Item {}
    /// struct Carried;
    /// impl Relation for Carried {}
    ///
    /// let mut world = World::new();
    /// world.saves::<Item>().tree::<Carried>();
    /// ```
    pub fn tree<R: Relation>(mut self) -> Self {
        let name = type_name::<R>();
        self.kind.trees.retain(|tree| tree.name != name && tree.relation != TypeId::of::<R>());
        self.kind.trees.push(TreeKind::new::<R>(name));
        self.put();
        self
    }

    /// Loads a field that had another type: `Old`, written by serde.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Save, SaveWorld};
    /// #[derive(Thing, Save, Default)]
    /// struct Ship { crew: Vec<String> } // was one `String`, with commas
    ///
    /// let mut world = World::new();
    /// world.saves::<Ship>().convert::<ship::crew, String>(|old| old.split(", ").map(String::from).collect());
    /// ```
    pub fn convert<F: SavedField<Thing = T>, Old: DeserializeOwned + 'static>(
        self,
        convert: impl Fn(Old) -> F::Value + Send + Sync + 'static,
    ) -> Self {
        self.add_conversion::<F, Old>(Arc::new(move |column: &Column<'_>, count| {
            if column.form == PLAIN {
                return Err("its old values are plain bytes: use `convert_plain` for them".into());
            }
            let old = column.written::<Old>(count)?;
            Ok(Box::new(
                old.into_iter().map(|old| old.map(&convert)).collect::<Vec<Option<F::Value>>>(),
            ))
        }))
    }

    /// Loads a field that had another type: `Old`, plain numbers such as `f32` or `[u32; 2]`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Save, SaveWorld};
    /// #[derive(Thing, Save, Default)]
    /// struct Ship { hull: f32 } // was a `u16`
    ///
    /// let mut world = World::new();
    /// world.saves::<Ship>().convert_plain::<ship::hull, u16>(|old| old.into());
    /// ```
    pub fn convert_plain<F: SavedField<Thing = T>, Old: Pod>(
        self,
        convert: impl Fn(Old) -> F::Value + Send + Sync + 'static,
    ) -> Self {
        self.add_conversion::<F, Old>(Arc::new(move |column: &Column<'_>, count| {
            if column.form != PLAIN || column.size as usize != size_of::<Old>() {
                return Err(format!(
                    "its old values are not plain values of {} bytes",
                    size_of::<Old>()
                ));
            }
            let old = column.plain(count, bytemuck::pod_read_unaligned::<Old>)?;
            Ok(Box::new(
                old.into_iter().map(|old| Some(convert(old))).collect::<Vec<Option<F::Value>>>(),
            ))
        }))
    }

    fn add_conversion<F: SavedField<Thing = T>, Old>(mut self, convert: Arc<Convert>) -> Self {
        self.kind.conversions.push(Conversion {
            field: F::INDEX,
            from: type_name::<Old>(),
            convert,
        });
        self.put();
        self
    }
}

/// How a resource is saved: [`SaveWorld::saves_resource`].
pub struct SavedResource<'w, R: Clone + Send + Sync + 'static> {
    world: &'w mut World,
    kind: ResourceKind<R>,
}

impl<'w, R: Clone + Send + Sync + 'static> SavedResource<'w, R> {
    fn new(world: &'w mut World, serde: Option<Serde<R>>) -> Self {
        let kind = ResourceKind { name: type_name::<R>(), aliases: Vec::new(), serde };
        let mut saved = Self { world, kind };
        saved.put();
        saved
    }

    fn put(&mut self) {
        Registry::put(self.world, TypeId::of::<(R,)>(), Box::new(Arc::new(self.kind.clone())));
    }

    /// Calls it otherwise than its type.
    ///
    /// # Panics
    ///
    /// If something else that is saved has that name.
    ///
    /// # Examples
    ///
    /// See [`SaveWorld`].
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.kind.name = name.into();
        self.put();
        self
    }

    /// Also finds it in saves under a name that it had before.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::World;
    /// # use lath_snapshot::SaveWorld;
    /// let mut world = World::new();
    /// world.saves_resource::<u64>().named("points").alias("score");
    /// ```
    pub fn alias(mut self, name: impl Into<String>) -> Self {
        self.kind.aliases.push(name.into());
        self.put();
        self
    }
}
