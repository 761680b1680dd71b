//! A pool without its type: what the requests ask of it.

use std::any::{TypeId, type_name};

use lath_core::{Attached, Handle, HandleError, LinkError, Pool, Relation, Stats};
use lath_schedule::World;
use serde_json::Value;

use crate::fields::{FieldList, FieldMeta, FieldOps, Inspect};
use crate::how::{Clip, short};
use crate::response::Fault;

/// A pool of the world, whatever its things are. Handles are bits.
pub(crate) trait Table: Send + Sync {
    fn meta(&self) -> &TableMeta;
    fn stats(&self, world: &World) -> Option<Stats>;
    /// Shows `f` up to `most` live things from a slot on. Answers where to go on, or `None` at the
    /// end.
    fn visit(
        &self,
        world: &World,
        from: u32,
        most: usize,
        f: &mut dyn FnMut(&dyn Row),
    ) -> Option<u32>;
    /// Shows `f` the thing that a handle names.
    fn row(&self, world: &World, bits: u64, f: &mut dyn FnMut(&dyn Row)) -> Result<(), Fault>;
    fn spawn(&self, world: &mut World) -> Result<u64, Fault>;
    fn despawn(&self, world: &mut World, bits: u64) -> Result<usize, Fault>;
    fn write(&self, world: &mut World, bits: u64, field: usize, value: Value) -> Result<(), Fault>;
    fn attach(&self, world: &mut World, tree: usize, child: u64, parent: u64) -> Result<(), Fault>;
    fn detach(&self, world: &mut World, tree: usize, child: u64) -> Result<(), Fault>;
    fn links(&self, world: &World, tree: usize, bits: u64) -> Links;
}

/// What is known of a pool's things.
pub(crate) struct TableMeta {
    /// Short, and different from that of any other pool.
    pub(crate) name: String,
    pub(crate) type_name: &'static str,
    pub(crate) thing_id: TypeId,
    pub(crate) fields: Vec<FieldMeta>,
    pub(crate) trees: Vec<String>,
    /// The field that says how a thing is called.
    pub(crate) label: Option<usize>,
}

/// One thing.
pub(crate) trait Row {
    fn bits(&self) -> u64;
    /// As in `7v3`.
    fn name(&self) -> String;
    fn slot(&self) -> u32;
    fn generation(&self) -> u32;
    fn kind(&self) -> u32;
    fn show(&self, field: usize, out: &mut Clip);
    fn number(&self, field: usize) -> Option<f64>;
    fn json(&self, field: usize) -> Option<Value>;
    fn json_text(&self, field: usize) -> Option<String>;
    fn flags(&self, field: usize) -> Option<u64>;
    fn link(&self, field: usize) -> Option<u64>;
}

/// The neighbours of a thing in a tree.
#[derive(Clone, Copy, Default)]
pub(crate) struct Links {
    pub(crate) parent: Option<u64>,
    pub(crate) first: Option<u64>,
    pub(crate) last: Option<u64>,
    pub(crate) next: Option<u64>,
    pub(crate) previous: Option<u64>,
}

/// A relation of the things of a pool.
struct TreeOf<T: Inspect> {
    links: fn(&Pool<T>, Handle<T>) -> Links,
    attach: Attach<T>,
    detach: fn(&mut Pool<T>, Handle<T>) -> Result<(), LinkError>,
}

type Attach<T> = fn(&mut Pool<T>, Handle<T>, Handle<T>) -> Result<(), LinkError>;

impl<T: Inspect> TreeOf<T> {
    fn new<R: Relation>() -> Self {
        Self {
            links: |pool, handle| {
                let tree = pool.tree_of::<R>();
                let bits = |handle: Option<Handle<T>>| handle.map(Handle::to_bits);
                Links {
                    parent: bits(tree.parent(handle)),
                    first: bits(tree.first_child(handle)),
                    last: bits(tree.last_child(handle)),
                    next: bits(tree.next_sibling(handle)),
                    previous: bits(tree.prev_sibling(handle)),
                }
            },
            attach: |pool, child, parent| pool.tree_of_mut::<R>().attach(child, parent),
            detach: |pool, child| pool.tree_of_mut::<R>().detach(child).map(|_| ()),
        }
    }
}

pub(crate) struct TableOf<T: Inspect> {
    meta: TableMeta,
    fields: Vec<Box<dyn FieldOps<T>>>,
    trees: Vec<TreeOf<T>>,
    nil: Box<T>,
}

/// Fields that say how a thing is called, best first.
const LABELS: &[&str] = &["name", "label", "title", "id"];

impl<T: Inspect> TableOf<T> {
    pub(crate) fn new(name: String) -> Self {
        let nil = Box::new(T::default());
        let fields = FieldList::<T>::of_thing().fields;
        let metas: Vec<FieldMeta> = fields.iter().map(|field| field.meta(&nil)).collect();
        let label =
            LABELS.iter().find_map(|label| metas.iter().position(|field| field.name == *label));
        let meta = TableMeta {
            name,
            type_name: type_name::<T>(),
            thing_id: TypeId::of::<T>(),
            fields: metas,
            trees: vec!["attached".to_owned()],
            label,
        };
        Self { meta, fields, trees: vec![TreeOf::new::<Attached>()], nil }
    }

    pub(crate) fn with_tree<R: Relation>(mut self) -> Self {
        self.meta.trees.push(short(type_name::<R>()));
        self.trees.push(TreeOf::new::<R>());
        self
    }

    fn pool<'w>(&self, world: &'w World) -> Result<&'w Pool<T>, Fault> {
        world.try_pool::<T>().map_err(|_| {
            Fault::new(404, format!("the world has no pool of {} yet", self.meta.name))
        })
    }

    fn good(&self, world: &World, bits: u64) -> Result<Handle<T>, Fault> {
        let handle = Handle::<T>::from_bits(bits);
        if handle.to_bits() != bits || bits == 0 {
            return Err(Fault::new(
                404,
                format!("no thing of {} has the handle {bits}", self.meta.name),
            ));
        }
        self.pool(world)?.check(handle).map(|()| handle).map_err(|error| match error {
            HandleError::Stale { .. } | HandleError::Retired { .. } => {
                Fault::new(410, format!("{error}"))
            }
            error => Fault::new(404, format!("{error}")),
        })
    }
}

struct RowOf<'a, T: Inspect> {
    table: &'a TableOf<T>,
    pool: &'a Pool<T>,
    handle: Handle<T>,
}

impl<T: Inspect> Row for RowOf<'_, T> {
    fn bits(&self) -> u64 {
        self.handle.to_bits()
    }
    fn name(&self) -> String {
        self.handle.to_string()
    }
    fn slot(&self) -> u32 {
        self.handle.index()
    }
    fn generation(&self) -> u32 {
        self.handle.generation()
    }
    fn kind(&self) -> u32 {
        self.handle.kind()
    }
    fn show(&self, field: usize, out: &mut Clip) {
        self.table.fields[field].show(&self.table.nil, self.pool, self.handle, out);
    }
    fn number(&self, field: usize) -> Option<f64> {
        self.table.fields[field].number(&self.table.nil, self.pool, self.handle)
    }
    fn json(&self, field: usize) -> Option<Value> {
        self.table.fields[field].json(&self.table.nil, self.pool, self.handle)
    }
    fn json_text(&self, field: usize) -> Option<String> {
        self.table.fields[field].json_text(&self.table.nil, self.pool, self.handle)
    }
    fn flags(&self, field: usize) -> Option<u64> {
        self.table.fields[field].flags(&self.table.nil, self.pool, self.handle)
    }
    fn link(&self, field: usize) -> Option<u64> {
        self.table.fields[field].link(&self.table.nil, self.pool, self.handle)
    }
}

impl<T: Inspect> Table for TableOf<T> {
    fn meta(&self) -> &TableMeta {
        &self.meta
    }

    fn stats(&self, world: &World) -> Option<Stats> {
        world.has_pool::<T>().then(|| world.pool::<T>().stats())
    }

    fn visit(
        &self,
        world: &World,
        from: u32,
        most: usize,
        f: &mut dyn FnMut(&dyn Row),
    ) -> Option<u32> {
        let pool = world.try_pool::<T>().ok()?;
        let mut slot = from;
        for _ in 0..most {
            let handle = pool.next_from(slot)?;
            f(&RowOf { table: self, pool, handle });
            slot = handle.index().checked_add(1)?;
        }
        Some(slot)
    }

    fn row(&self, world: &World, bits: u64, f: &mut dyn FnMut(&dyn Row)) -> Result<(), Fault> {
        let handle = self.good(world, bits)?;
        f(&RowOf { table: self, pool: self.pool(world)?, handle });
        Ok(())
    }

    fn spawn(&self, world: &mut World) -> Result<u64, Fault> {
        match world.try_spawn(T::default()) {
            Ok(handle) => Ok(handle.to_bits()),
            Err(error) => Err(Fault::new(409, format!("nothing was spawned: {}", error.fault))),
        }
    }

    fn despawn(&self, world: &mut World, bits: u64) -> Result<usize, Fault> {
        let handle = self.good(world, bits)?;
        let before = self.pool(world)?.len();
        world.despawn(handle);
        Ok(before.saturating_sub(self.pool(world)?.len()))
    }

    fn write(&self, world: &mut World, bits: u64, field: usize, value: Value) -> Result<(), Fault> {
        let handle = self.good(world, bits)?;
        let name = self.meta.fields[field].name;
        match self.fields[field].write(world, handle, value) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Fault::new(410, format!("{handle} went away meanwhile"))),
            Err(error) => Err(Fault::new(422, format!("`{name}` cannot be that: {error}"))),
        }
    }

    fn attach(&self, world: &mut World, tree: usize, child: u64, parent: u64) -> Result<(), Fault> {
        let (child, parent) = (self.good(world, child)?, self.good(world, parent)?);
        let done = (self.trees[tree].attach)(world.pool_mut::<T>(), child, parent);
        done.map_err(|error| Fault::new(409, format!("{error}")))
    }

    fn detach(&self, world: &mut World, tree: usize, child: u64) -> Result<(), Fault> {
        let child = self.good(world, child)?;
        (self.trees[tree].detach)(world.pool_mut::<T>(), child)
            .map_err(|error| Fault::new(409, format!("{error}")))
    }

    fn links(&self, world: &World, tree: usize, bits: u64) -> Links {
        match self.pool(world) {
            Ok(pool) => (self.trees[tree].links)(pool, Handle::from_bits(bits)),
            Err(_) => Links::default(),
        }
    }
}
