//! Worlds as text: a line for every thing, with its handle, its tags, its children and the fields
//! that are not as by default.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::image::{ImageBuilder, PoolImage, PoolState, TreeState};
use lath_core::{Handle, TagSet};
use lath_schedule::{Resident, World};
use serde::Deserialize;

use super::{FieldTexts, Once, Raw, read, read_tags, write_value};
use crate::error::SaveError;
use crate::file::{Load, column};
use crate::part::Part;
use crate::pool_part::PoolKind;
use crate::registry::Registry;
use crate::save::{Save, SaveVisitor, SavedField};
use crate::snapshot::Snapshot;

/// A whole text.
#[derive(Deserialize)]
struct Scene {
    #[serde(default)]
    pools: Once<String, Raw>,
    #[serde(default)]
    resources: Once<String, Raw>,
}

/// One thing in it.
#[derive(Deserialize)]
struct ThingText {
    at: u64,
    #[serde(default)]
    tags: String,
    /// The children in each tree, by the name of the relation.
    #[serde(default)]
    children: Once<String, Vec<u64>>,
    #[serde(default)]
    fields: FieldTexts,
}

impl Snapshot {
    /// Writes the live things and the resources as text: for scenes that are edited by hand, for
    /// diffs, for the curious.
    ///
    /// A handle is written as its bits, and as `7v3` in a comment. Things that are staged or
    /// buried, and what is known about slots that are free, are not in it: a save has all that.
    ///
    /// # Errors
    ///
    /// [`SaveError`] if a value cannot be written as text.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::Thing;
    /// use lath_schedule::World;
    /// use lath_snapshot::{Load, Save, SaveWorld, Snapshot};
    ///
    /// #[derive(Thing, Save, Default)]
    /// struct Ship { hull: f32, name: String }
    ///
    /// let mut world = World::new();
    /// world.saves::<Ship>();
    /// let ship = world.spawn(Ship { hull: 10.0, name: "Lath".into() });
    /// let text = Snapshot::take(&world)?.to_text()?;
    /// assert!(text.contains("hull: 10.0, name: \"Lath\""));
    ///
    /// Load::new().from_text(&mut world, &text.replace("10.0", "12.5"))?;
    /// assert_eq!(world.read(ship).hull, 12.5);
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn to_text(&self) -> Result<String, SaveError> {
        let (mut pools, mut resources) = (String::new(), String::new());
        for part in self.parts.iter().filter(|part| part.is_saved()) {
            match part.text()? {
                Text::Pool(text) => pools += &format!("        {:?}: {text},\n", part.name()),
                Text::Resource(Some(text)) => {
                    resources += &format!("        {:?}: {text},\n", part.name())
                }
                Text::Resource(None) => {}
            }
        }
        Ok(format!("(\n    pools: {{\n{pools}    }},\n    resources: {{\n{resources}    }},\n)\n"))
    }
}

/// What a part is as text.
pub(crate) enum Text {
    Pool(String),
    Resource(Option<String>),
}

impl Load<'_> {
    /// Reads a world as text: what [`Snapshot::to_text`] writes, or what somebody has written by
    /// hand. Pools and resources that are not in the text stay as they are.
    ///
    /// # Errors
    ///
    /// [`SaveError`] says what is wrong, and where. The world has not changed.
    ///
    /// # Examples
    ///
    /// See [`Snapshot::to_text`].
    pub fn from_text(self, world: &mut World, text: &str) -> Result<(), SaveError> {
        let Scene { pools, resources } = read(text)?;
        let sections = || pools.0.iter().chain(&resources.0);
        let snapshot = Registry::lend(world, |registry, world| {
            let mut parts: Vec<Box<dyn Part>> = Vec::new();
            for (name, text) in sections() {
                match registry.kinds().find(|kind| kind.is_saved() && kind.is_called(name)) {
                    // Under two of its names, or as a pool and as a resource.
                    Some(kind) if parts.iter().any(|part| kind.makes(&**part)) => {
                        let problem = format!("`{}` is there twice", kind.name());
                        return Err(SaveError::Text { problem });
                    }
                    Some(kind) => parts.push(kind.read_text(world, &text.0)?),
                    None if self.ignores(name) => {}
                    None => {
                        return Err(SaveError::Unknown {
                            what: "pool or resource",
                            name: name.clone(),
                        });
                    }
                }
            }
            Ok(Snapshot { parts })
        })??;
        snapshot.restore(world)
    }
}

impl<T: Save + Resident> PoolKind<T> {
    /// A line for every live thing.
    pub(crate) fn write_text(&self, image: &PoolImage<T>) -> Result<String, SaveError> {
        let state = image.state();
        let mut columns = Columns { image, rows: vec![String::new(); image.len()] };
        T::visit_saved(&mut columns)?;
        let trees: Vec<_> =
            self.trees.iter().map(|tree| (&tree.name, children(&(tree.read)(image)))).collect();
        let handles: Vec<_> = image.handles().collect();
        let live = handles.iter().flatten().filter(|handle| state.is_live(handle.index()));
        let slots: BTreeMap<u32, u64> =
            live.map(|handle| (handle.index(), handle.to_bits())).collect();
        let bits_of = |slot: &u32| slots.get(slot).copied();
        let mut text = String::from("[\n");
        for (n, (handle, fields)) in handles.iter().zip(&columns.rows).enumerate() {
            let Some(handle) = handle.filter(|handle| state.is_live(handle.index())) else {
                continue;
            };
            let _ = write!(text, "            (at: {}", handle.to_bits());
            if let Some(names) =
                state.tags.get(n).and_then(|tags| T::write_tags(T::Tags::narrow(*tags)))
            {
                if !names.is_empty() {
                    let _ = write!(text, ", tags: {names:?}");
                }
            }
            let mut below = String::new();
            for (name, children) in &trees {
                if let Some(children) = children.get(&handle.index()) {
                    // Those that are staged are not in the text.
                    let bits: Vec<u64> = children.iter().filter_map(bits_of).collect();
                    if bits.is_empty() {
                        continue;
                    }
                    let _ = write!(
                        below,
                        "{}{name:?}: {bits:?}",
                        if below.is_empty() { "" } else { ", " }
                    );
                }
            }
            if !below.is_empty() {
                let _ = write!(text, ", children: {{{below}}}");
            }
            let _ = writeln!(text, ", fields: ({fields})), // {handle}");
        }
        Ok(text + "        ]")
    }

    /// An image of the things in a text.
    pub(crate) fn read_text(
        &self,
        world: &mut World,
        text: &str,
    ) -> Result<PoolImage<T>, SaveError> {
        let mut things: Vec<ThingText> =
            read(text).map_err(|error| SaveError::pool(&self.name, error))?;
        things.sort_by_key(|thing| Handle::<T>::from_bits(thing.at));
        let handles: Vec<_> = things.iter().map(|thing| Handle::<T>::from_bits(thing.at)).collect();
        let mut tags = Vec::new();
        for thing in things.iter().filter(|_| size_of::<T::Tags>() > 0) {
            tags.push(read_tags::<T>(&thing.tags)?.widen());
        }
        let fail = |error| SaveError::pool(&self.name, error);
        let state = PoolState::of_live(&handles, tags).map_err(fail)?;
        let mut builder = ImageBuilder::new(world.pool_mut(), &state).map_err(fail)?;
        T::visit_saved(&mut Fill { name: &self.name, things: &things, builder: &mut builder })?;
        let mut image = builder.finish();
        for tree in &self.trees {
            let lists = things.iter().zip(&handles).filter_map(|(thing, handle)| {
                let children = thing.children.0.get(&tree.name)?;
                Some((
                    handle.index(),
                    children.iter().map(|bits| Handle::<T>::from_bits(*bits).index()).collect(),
                ))
            });
            (tree.write)(&mut image, &links(lists)).map_err(fail)?;
        }
        Ok(image)
    }
}

/// Appends the values of every field to the lines of the things.
struct Columns<'a, T: Save> {
    image: &'a crate::image::PoolImage<T>,
    rows: Vec<String>,
}

impl<T: Save> SaveVisitor<T> for Columns<'_, T> {
    type Error = SaveError;

    fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), SaveError> {
        let nil = T::default();
        let default = write_value(F::get(&nil)).unwrap_or_default();
        let (mut failed, mut rows) = (None, self.rows.iter_mut());
        column::each_value::<T, F>(self.image, &mut |value| {
            let Some(row) = rows.next() else { return };
            match value.map(write_value) {
                Some(Ok(text)) if text != default => {
                    let comma = if row.is_empty() { "" } else { ", " };
                    *row += &format!("{comma}{}: {text}", F::NAME);
                }
                Some(Err(problem)) => failed = Some(problem),
                _ => {}
            }
        });
        failed.map_or(Ok(()), |problem| Err(SaveError::field(T::NAME, F::NAME, problem)))
    }
}

/// Gives every field the values that the text has for it.
struct Fill<'a, T: Save> {
    name: &'a str,
    things: &'a [ThingText],
    builder: &'a mut crate::image::ImageBuilder<T>,
}

impl<T: Save> SaveVisitor<T> for Fill<'_, T> {
    type Error = SaveError;

    fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), SaveError> {
        let mut things = self.things.iter();
        column::fill_values::<T, F>(self.builder, &mut || match things.next() {
            Some(thing) => thing.fields.value::<F>(self.name),
            None => Ok(None),
        })
    }
}

/// The children of each parent, in order.
fn children(tree: &TreeState) -> BTreeMap<u32, Vec<u32>> {
    let next: BTreeMap<u32, u32> =
        tree.links.iter().map(|(slot, [_, _, _, next, _])| (*slot, *next)).collect();
    let parents = tree.links.iter().filter(|(_, [_, first, ..])| *first != 0);
    let list = |first: u32| {
        std::iter::successors(Some(first), |slot| next.get(slot).copied().filter(|next| *next != 0))
            .collect()
    };
    parents.map(|(slot, [_, first, ..])| (*slot, list(*first))).collect()
}

/// The links that lists of children mean. Whether they are a tree is looked at later.
fn links(lists: impl Iterator<Item = (u32, Vec<u32>)>) -> TreeState {
    let mut rows: BTreeMap<u32, [u32; 5]> = BTreeMap::new();
    for (parent, children) in lists {
        let (Some(&first), Some(&last)) = (children.first(), children.last()) else { continue };
        let row = rows.entry(parent).or_default();
        (row[1], row[2]) = (first, last);
        for (n, &child) in children.iter().enumerate() {
            let row = rows.entry(child).or_default();
            row[0] = parent;
            row[3] = children.get(n + 1).copied().unwrap_or(0);
            row[4] = n.checked_sub(1).map_or(0, |n| children[n]);
        }
    }
    TreeState { links: rows.into_iter().collect(), ..TreeState::default() }
}
