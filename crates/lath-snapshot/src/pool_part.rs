//! Pools in snapshots and saves.

use std::any::{Any, TypeId};
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::image::{ImageBuilder, PoolDelta, PoolImage, TreeState};
use lath_core::{Attached, Pool, Relation};
use lath_schedule::{Resident, World};
use xxhash_rust::xxh3::Xxh3;

use crate::error::{SaveError, shown};
use crate::file::bytes::{Reader, Sink};
use crate::file::column::{self, Column};
use crate::file::state;
use crate::part::{Kind, Part, PartDelta};
use crate::save::{Save, SaveVisitor, SavedField};

/// How the pool of a thing is saved.
pub(crate) struct PoolKind<T: Save> {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) trees: Vec<TreeKind<T>>,
    pub(crate) conversions: Vec<Conversion>,
}

// By hand: a derive would ask for `T: Clone`.
impl<T: Save> Clone for PoolKind<T> {
    fn clone(&self) -> Self {
        let Self { name, aliases, trees, conversions } = self;
        let (name, aliases, conversions) = (name.clone(), aliases.clone(), conversions.clone());
        Self { name, aliases, trees: trees.to_vec(), conversions }
    }
}

/// How one of its trees is saved.
pub(crate) struct TreeKind<T: Save> {
    pub(crate) relation: TypeId,
    pub(crate) name: String,
    pub(crate) read: fn(&PoolImage<T>) -> TreeState,
    pub(crate) write: fn(&mut PoolImage<T>, &TreeState) -> Result<(), crate::image::StateError>,
}

impl<T: Save> Clone for TreeKind<T> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), ..*self }
    }
}

impl<T: Save> TreeKind<T> {
    pub(crate) fn new<R: Relation>(name: String) -> Self {
        Self {
            relation: TypeId::of::<R>(),
            name,
            read: PoolImage::tree_state::<R>,
            write: PoolImage::set_tree_state::<R>,
        }
    }
}

/// How values of another type become values of a field: a `Vec` of the field's type.
#[derive(Clone)]
pub(crate) struct Conversion {
    pub(crate) field: usize,
    pub(crate) from: String,
    pub(crate) convert: Arc<Convert>,
}

pub(crate) type Convert = dyn Fn(&Column<'_>, usize) -> Result<Box<dyn Any>, String> + Send + Sync;

impl<T: Save> PoolKind<T> {
    pub(crate) fn new() -> Self {
        let attached = TreeKind::new::<Attached>("Attached".into());
        Self {
            name: T::NAME.into(),
            aliases: Vec::new(),
            trees: vec![attached],
            conversions: Vec::new(),
        }
    }

    /// Writes what a save has of a pool, or what a checksum is of.
    fn encode(
        &self,
        image: &PoolImage<T>,
        out: &mut impl Sink,
        for_checksum: bool,
    ) -> Result<(), SaveError> {
        let unsaved = image
            .relations()
            .find(|(relation, _)| self.trees.iter().all(|tree| tree.relation != *relation));
        if let (Some((_, name)), false) = (unsaved, for_checksum) {
            let name = format!("{name} of {}", self.name);
            return Err(SaveError::Unregistered {
                what: "tree",
                name,
                call: "world.saves::<…>().tree::<…>()",
            });
        }
        state::write_state(&image.state(), out, for_checksum);
        let mut columns = Columns { image, out, count: 0 };
        // The number of columns first, so that it can be read again.
        T::visit_saved(&mut Count(&mut columns.count)).unwrap_or_else(|never| match never {});
        let count = columns.count;
        columns.out.u64(count as u64);
        T::visit_saved(&mut columns)?;
        out.u64(self.trees.len() as u64);
        for tree in &self.trees {
            out.text(&tree.name);
            state::write_tree(&(tree.read)(image), out);
        }
        Ok(())
    }

    /// No two columns, and no two trees, go by the same name.
    fn no_twins<'a>(
        &self,
        what: &str,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<(), SaveError> {
        let mut seen = BTreeSet::new();
        match names.into_iter().find(|name| !seen.insert(*name)) {
            Some(name) => {
                let name = shown(name);
                Err(SaveError::pool(&self.name, format!("the {what} `{name}` is there twice")))
            }
            None => Ok(()),
        }
    }

    /// Reads what `encode` has written.
    fn decode(&self, pool: &Pool<T>, from: &mut Reader<'_>) -> Result<PoolImage<T>, SaveError> {
        let state = state::read_state(from)?;
        let mut builder =
            ImageBuilder::new(pool, &state).map_err(|error| SaveError::pool(&self.name, error))?;
        let mut columns = Vec::new();
        for _ in 0..from.count(4 + 4 + 1 + 4 + 8)? {
            columns.push(Column::read(from)?);
        }
        self.no_twins("column", columns.iter().map(|column| column.name))?;
        T::visit_saved(&mut Fill { kind: self, columns: &columns, builder: &mut builder })?;
        let mut image = builder.finish();
        let mut trees = Vec::new();
        for _ in 0..from.count(4 + 8 + 8 + 1)? {
            let name = from.text()?;
            trees.push(name);
            let tree = state::read_tree(from)?;
            let Some(kind) = self.trees.iter().find(|kind| kind.name == name) else {
                if tree.links.is_empty() {
                    continue;
                }
                return Err(SaveError::Unknown {
                    what: "tree",
                    name: format!("{name}` of `{}", self.name),
                });
            };
            (kind.write)(&mut image, &tree)
                .map_err(|error| SaveError::pool(&self.name, format!("tree `{name}`: {error}")))?;
        }
        self.no_twins("tree", trees.into_iter())?;
        Ok(image)
    }
}

struct Count<'a>(&'a mut usize);

impl<T: Save> SaveVisitor<T> for Count<'_> {
    type Error = std::convert::Infallible;

    fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), Self::Error> {
        *self.0 += 1;
        Ok(())
    }
}

/// Writes the columns of all fields.
struct Columns<'a, T: Save> {
    image: &'a crate::image::PoolImage<T>,
    out: &'a mut dyn Sink,
    count: usize,
}

impl<T: Save> SaveVisitor<T> for Columns<'_, T> {
    type Error = SaveError;

    fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), SaveError> {
        column::write_column::<T, F>(self.image, self.out)
    }
}

/// Gives every field the values of its column.
struct Fill<'a, T: Save> {
    kind: &'a PoolKind<T>,
    columns: &'a [Column<'a>],
    builder: &'a mut crate::image::ImageBuilder<T>,
}

impl<T: Save> SaveVisitor<T> for Fill<'_, T> {
    type Error = SaveError;

    fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), SaveError> {
        let Some(column) = Column::named(self.columns, F::NAME, F::ALIASES) else {
            return Ok(()); // added since: the default
        };
        let pool = &self.kind.name;
        let of = column::type_name::<F::Value>();
        if column.of == of {
            return column::fill_column::<T, F>(self.builder, column, pool);
        }
        let convert = conversion(&self.kind.conversions, F::INDEX, column, &of, T::NAME)
            .map_err(|problem| SaveError::field(pool, F::NAME, problem))?;
        let values = convert(column, self.builder.len())
            .map_err(|problem| SaveError::field(pool, F::NAME, problem))?;
        let Ok(values) = values.downcast::<Vec<Option<F::Value>>>() else {
            unreachable!("conversions are registered by the marker of the field");
        };
        let mut values = values.into_iter();
        column::fill_values::<T, F>(self.builder, &mut || Ok(values.next().flatten()))
    }
}

/// How the values of a column become those of a field whose type `of` is another; if nobody said,
/// an error that says how to.
fn conversion<'a>(
    all: &'a [Conversion],
    field: usize,
    column: &Column<'_>,
    of: &str,
    thing: &str,
) -> Result<&'a Convert, String> {
    let fits = |conversion: &&Conversion| conversion.field == field && conversion.from == column.of;
    match all.iter().find(fits) {
        Some(conversion) => Ok(&*conversion.convert),
        None => {
            let call = format!("world.saves::<{thing}>().convert::<…, {}>(|old| …)", column.of);
            Err(format!(
                "it is `{}` in the save and `{of}` in the program: convert it with `{call}`",
                column.of
            ))
        }
    }
}

impl<T: Save + Resident> Kind for Arc<PoolKind<T>> {
    fn name(&self) -> &str {
        &self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn makes(&self, part: &dyn Part) -> bool {
        part.as_any()
            .downcast_ref::<PoolPart<T>>()
            .is_some_and(|part| Arc::ptr_eq(self, &part.kind))
    }

    fn is_saved(&self) -> bool {
        true
    }

    fn part(&self) -> Box<dyn Part> {
        Box::new(PoolPart { kind: self.clone(), image: PoolImage::new() })
    }

    #[cfg(feature = "text")]
    fn read_text(&self, world: &mut World, text: &str) -> Result<Box<dyn Part>, SaveError> {
        let image = PoolKind::read_text(self, world, text)?;
        Ok(Box::new(PoolPart { kind: self.clone(), image }))
    }

    fn read(&self, world: &mut World, from: &mut Reader<'_>) -> Result<Box<dyn Part>, SaveError> {
        let image = self.decode(world.pool_mut::<T>(), from)?;
        Ok(Box::new(PoolPart { kind: self.clone(), image }))
    }
}

/// A copy of a pool.
pub(crate) struct PoolPart<T: Save> {
    pub(crate) kind: Arc<PoolKind<T>>,
    pub(crate) image: PoolImage<T>,
}

impl<T: Save + Resident> Part for PoolPart<T> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn name(&self) -> &str {
        &self.kind.name
    }

    fn is_saved(&self) -> bool {
        true
    }

    fn take(&mut self, world: &World) {
        match world.try_pool::<T>() {
            Ok(pool) => self.image.capture(pool),
            Err(_) => self.image.capture(&Pool::new()), // none yet is as good as an empty one
        }
    }

    fn take_mut(&mut self, world: &mut World) {
        self.image.capture_mut(world.pool_mut());
    }

    fn prepare(&self, world: &mut World) -> Result<(), SaveError> {
        self.image
            .make_room(world.pool_mut())
            .map_err(|error| SaveError::restore(&self.kind.name, error))
    }

    fn restore(&self, world: &mut World) {
        self.image.put_back(world.pool_mut());
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), SaveError> {
        self.kind.encode(&self.image, out, false)
    }

    #[cfg(feature = "text")]
    fn text(&self) -> Result<crate::text::Text, SaveError> {
        self.kind.write_text(&self.image).map(crate::text::Text::Pool)
    }

    fn hash(&self, hash: &mut Xxh3) -> Result<(), SaveError> {
        self.kind.encode(&self.image, hash, true)
    }

    fn copy(&self) -> Box<dyn Part> {
        Box::new(Self { kind: self.kind.clone(), image: self.image.clone() })
    }

    fn copy_from(&mut self, other: &dyn Part) {
        let other = same::<T>(other);
        self.kind.clone_from(&other.kind);
        self.image.clone_from(&other.image);
    }

    fn bytes(&self) -> usize {
        self.image.bytes()
    }

    fn delta(&self) -> Box<dyn PartDelta> {
        Box::new(PoolPartDelta::<T>(PoolDelta::new()))
    }
}

/// The difference between two copies of a pool.
struct PoolPartDelta<T: Save>(PoolDelta<T>);

impl<T: Save + Resident> PartDelta for PoolPartDelta<T> {
    fn since(&mut self, old: &dyn Part, world: &World) {
        match world.try_pool::<T>() {
            Ok(pool) => self.0.since(&same::<T>(old).image, pool),
            Err(_) => self.0.since(&same::<T>(old).image, &Pool::new()),
        }
    }

    fn between(&mut self, old: &dyn Part, new: &dyn Part) {
        self.0.between(&same::<T>(old).image, &same::<T>(new).image);
    }

    fn is_for(&self, part: &dyn Part) -> bool {
        part.as_any().is::<PoolPart<T>>()
    }

    fn starts_from(&self, part: &dyn Part) -> bool {
        part.as_any()
            .downcast_ref::<PoolPart<T>>()
            .is_some_and(|part| self.0.starts_from(&part.image))
    }

    fn apply(&self, part: &mut dyn Part) -> bool {
        let part = part.as_any_mut().downcast_mut::<PoolPart<T>>();
        part.is_some_and(|part| self.0.apply(&mut part.image))
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn groups(&self) -> usize {
        self.0.groups()
    }
}

fn same<T: Save + Resident>(part: &dyn Part) -> &PoolPart<T> {
    part.as_any()
        .downcast_ref()
        .unwrap_or_else(|| unreachable!("parts are compared with those of the same kind"))
}
