//! Prefabs: a thing and all that is below it, as text, to be spawned as often as you like.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::image::PoolImage;
use lath_core::guard::Guard;
use lath_core::{Handle, Pool};
use lath_schedule::{Resident, World};
use serde::Deserialize;

use super::{FieldTexts, Once, Raw, read, read_tags, write_fields};
use crate::error::SaveError;
use crate::relink::Relink;
use crate::save::{Save, SaveVisitor, SavedField};

/// A thing and all that is below it in the default tree, ready to be spawned.
///
/// Handles inside it that name parts of it are replaced at every spawn, so that each copy refers to
/// itself; others are nil.
///
/// The text of a prefab is RON. A part has `fields` (those that are not as by default), `tags`,
/// `children`, and an `id` if some field refers to it: the bits of a handle, which mean something
/// within the prefab only. In the place of `fields`, `prefab` names another prefab; `fields` and
/// `tags` beside it override those of its root, and `inside` those of other parts of it, by their
/// `id`.
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, Thing};
/// use lath_schedule::World;
/// use lath_snapshot::{Prefab, PrefabLibrary, Save, SaveWorld, spawn_prefab};
///
/// #[derive(Thing, Save, Clone, Default)]
/// struct Part { name: String, hp: u32, aims_for: Handle<Part> }
///
/// let mut library = PrefabLibrary::new();
/// library.add("turret", r#"(
///     fields: (name: "turret", hp: 5),
///     children: [(id: 4294967298, fields: (name: "gun", hp: 1))],
/// )"#)?;
/// library.add("ship", r#"(
///     id: 4294967297,
///     fields: (name: "hull", hp: 50),
///     children: [
///         (prefab: "turret"),
///         (prefab: "turret", fields: (hp: 9, aims_for: 4294967297), inside: {4294967298: (fields: (hp: 3))}),
///     ],
/// )"#)?;
///
/// let mut world = World::new();
/// let ship = spawn_prefab(&mut world, library.get("ship").unwrap())?;
/// let pool = world.pool::<Part>();
/// let seen: Vec<_> = pool.tree().descendants(ship).map(|part| (pool[part].name.as_str(), pool[part].hp)).collect();
/// assert_eq!(seen, [("turret", 5), ("gun", 1), ("turret", 9), ("gun", 3)]);
/// assert_eq!(pool[pool.tree().last_child(ship).unwrap()].aims_for, ship); // this ship, not the one in the text
/// # Ok::<(), lath_snapshot::SaveError>(())
/// ```
#[derive(Clone)]
pub struct Prefab<T: Save + Clone> {
    /// Parents before their children.
    parts: Vec<PrefabPart<T>>,
}

#[derive(Clone)]
struct PrefabPart<T> {
    /// The handles in it are those of `inner`.
    thing: T,
    parent: Option<usize>,
    /// The name that the text gives it, for overrides.
    name: Option<u64>,
}

/// A part as it stands in the text.
#[derive(Deserialize)]
struct PartText {
    #[serde(default)]
    id: u64,
    #[serde(default)]
    prefab: String,
    #[serde(default, deserialize_with = "given")]
    tags: Option<String>,
    #[serde(default)]
    fields: FieldTexts,
    #[serde(default)]
    inside: Once<u64, Override>,
    #[serde(default)]
    children: Vec<Raw>,
}

/// What is changed in a part of a nested prefab.
#[derive(Deserialize)]
struct Override {
    #[serde(default, deserialize_with = "given")]
    tags: Option<String>,
    #[serde(default)]
    fields: FieldTexts,
}

/// A value that may be missing, but is not written as an option.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}

/// How deep parts may be nested in a text: what is inside of a text is read from it, and so on.
const DEEPEST: usize = 60;

/// How many parts a prefab may have.
const MOST_PARTS: u32 = 1 << 20;

fn check_depth(depth: usize) -> Result<(), SaveError> {
    if depth > DEEPEST {
        let problem = format!("parts are nested deeper than {DEEPEST} levels");
        return Err(SaveError::Text { problem });
    }
    Ok(())
}

/// A text of few words can ask for very many parts, by prefabs that each have the one before twice.
fn check_count<T: Save>(parts: usize) -> Result<(), SaveError> {
    let most = MOST_PARTS.min(u32::MAX >> (32 - T::INDEX_BITS));
    if parts > most as usize {
        let problem = format!("a prefab of it has at most {most} parts");
        return Err(SaveError::pool(T::NAME, problem));
    }
    Ok(())
}

/// What a text of a prefab is read with: the parts so far, and which `id` of the text is which.
struct Parse<'a, T: Save + Clone> {
    library: &'a PrefabLibrary<T>,
    parts: Vec<PrefabPart<T>>,
    /// Fields to be put into parts, in order, when it is known which part every `id` of the text
    /// means.
    fields: Vec<(usize, FieldTexts)>,
    ids: BTreeMap<u64, usize>,
}

impl<T: Save + Clone> Prefab<T> {
    /// Reads a prefab that names no others.
    ///
    /// # Errors
    ///
    /// [`SaveError`] says what is wrong with the text, and where.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_snapshot::{Prefab, Save};
    /// # #[derive(Thing, Save, Clone, Default)] struct Part { hp: u32 }
    /// let part = Prefab::<Part>::from_text("(fields: (hp: 5))")?;
    /// assert_eq!(part.len(), 1);
    /// let error = Prefab::<Part>::from_text("(fields: (ph: 5))").err().unwrap();
    /// assert_eq!(error.to_string(), "field `ph` of `Part`: there is no such field: the fields are `hp`");
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn from_text(text: &str) -> Result<Self, SaveError> {
        Self::parse(text, &PrefabLibrary::new())
    }

    fn parse(text: &str, library: &PrefabLibrary<T>) -> Result<Self, SaveError> {
        let mut parse =
            Parse { library, parts: Vec::new(), fields: Vec::new(), ids: BTreeMap::new() };
        parse.part(text, None, 0)?;
        let Parse { mut parts, fields, ids, .. } = parse;
        check_count::<T>(parts.len())?;
        for (place, fields) in fields {
            let mut given = T::default();
            fields.put(&mut given)?;
            // From the handles of the text to those of this prefab.
            relink(&mut given, &mut |bits| {
                ids.get(&bits).map_or(0, |place| inner::<T>(*place).to_bits())
            });
            fields.move_into(&mut given, &mut parts[place].thing);
        }
        Ok(Self { parts })
    }

    /// Makes a prefab of a thing in a pool and all that is below it; `None` if there is no such
    /// thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Branch, Pool, Thing};
    /// # use lath_schedule::World;
    /// # use lath_snapshot::{Prefab, Save, spawn_prefab};
    /// # #[derive(Thing, Save, Clone, Default)] struct Part { hp: u32 }
    /// let mut world = World::new();
    /// let hull = world.pool_mut().spawn_tree(Branch::new(Part { hp: 50 }).with(Part { hp: 5 }));
    /// let ship = Prefab::of(world.pool(), hull).unwrap();
    /// assert_eq!(Prefab::<Part>::from_text(&ship.to_text()?)?.len(), 2);
    /// spawn_prefab(&mut world, &ship)?;
    /// assert_eq!(world.pool::<Part>().len(), 4);
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn of(pool: &Pool<T>, root: Handle<T>) -> Option<Self> {
        let list: Vec<Handle<T>> =
            std::iter::once(root).chain(pool.tree().descendants(root)).collect();
        if !pool.contains(root) {
            return None;
        }
        let places: BTreeMap<u64, usize> =
            list.iter().enumerate().map(|(place, handle)| (handle.to_bits(), place)).collect();
        let mut parts: Vec<PrefabPart<T>> = Vec::new();
        for &handle in &list {
            let parent = pool
                .tree()
                .parent(handle)
                .and_then(|parent| places.get(&parent.to_bits()).copied());
            let mut thing = T::default();
            thing.put_tags(pool.tags(handle));
            parts.push(PrefabPart { thing, parent: parent.filter(|_| handle != root), name: None });
        }
        let mut image = PoolImage::new();
        image.capture(pool);
        let mut copy = Copy { image: &image, places: &places, parts: &mut parts };
        T::visit_saved(&mut copy).unwrap_or_else(|never| match never {});
        // Here and not at the end: what is returned is leaked if a `Drop` panics then.
        drop(image);
        for part in &mut parts {
            relink(&mut part.thing, &mut |bits| {
                places.get(&bits).map_or(0, |place| inner::<T>(*place).to_bits())
            });
        }
        Some(Self { parts })
    }

    /// How many things it spawns: at least one.
    ///
    /// # Examples
    ///
    /// See [`from_text`](Self::from_text).
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// The prefab as text. Prefabs that it was made of are written out.
    ///
    /// # Errors
    ///
    /// [`SaveError`] if a value cannot be written as text, or parts are nested deeper than in a text
    /// that can be read: 60 levels.
    ///
    /// # Examples
    ///
    /// See [`of`](Self::of).
    pub fn to_text(&self) -> Result<String, SaveError> {
        let mut text = String::new();
        self.write(0, 0, &mut text)?;
        Ok(text)
    }

    fn write(&self, place: usize, depth: usize, text: &mut String) -> Result<(), SaveError> {
        check_depth(depth)?;
        let part = &self.parts[place];
        let indent = "    ".repeat(depth);
        let _ = write!(text, "{indent}(id: {}, ", inner::<T>(place).to_bits());
        if let Some(tags) = T::write_tags(part.thing.tags()).filter(|tags| !tags.is_empty()) {
            let _ = write!(text, "tags: {tags:?}, ");
        }
        let _ = write!(text, "fields: {}", write_fields(&part.thing)?);
        let children: Vec<usize> =
            (0..self.parts.len()).filter(|n| self.parts[*n].parent == Some(place)).collect();
        if !children.is_empty() {
            *text += ", children: [\n";
            for child in children {
                self.write(child, depth + 1, text)?;
                *text += ",\n";
            }
            let _ = write!(text, "{indent}]");
        }
        *text += ")";
        Ok(())
    }
}

impl<T: Save + Clone> Parse<'_, T> {
    /// Reads a part and all that is below it.
    fn part(&mut self, text: &str, parent: Option<usize>, depth: usize) -> Result<(), SaveError> {
        check_depth(depth)?;
        let PartText { id, prefab, tags, fields, inside, children } = read(text)?;
        let root = self.parts.len();
        if prefab.is_empty() {
            self.parts.push(PrefabPart {
                thing: T::default(),
                parent,
                name: (id != 0).then_some(id),
            });
        } else {
            let Some(nested) = self.library.get(&prefab) else {
                let known: Vec<_> = self.library.names().collect();
                let problem = format!(
                    "there is no prefab `{prefab}` in the library, which has: {}",
                    known.join(", ")
                );
                return Err(SaveError::Text { problem });
            };
            check_count::<T>(root + nested.parts.len())?;
            for part in &nested.parts {
                let mut part = part.clone();
                part.parent = part.parent.map_or(parent, |parent| Some(root + parent));
                let moved = |bits| match Handle::<T>::from_bits(bits).index() {
                    0 => 0,
                    index => inner::<T>(root + index as usize - 1).to_bits(),
                };
                relink(&mut part.thing, &mut { moved });
                self.parts.push(part);
            }
        }
        for (name, change) in &inside.0 {
            let place =
                (root..self.parts.len()).find(|place| self.parts[*place].name == Some(*name));
            let Some(place) = place.filter(|_| !prefab.is_empty()) else {
                let problem =
                    format!("there is no part `{name}` inside `{prefab}` that could be changed");
                return Err(SaveError::Text { problem });
            };
            self.change(place, change.tags.as_deref(), &change.fields)?;
        }
        self.change(root, tags.as_deref(), &fields)?;
        if id != 0 && self.ids.insert(id, root).is_some() {
            return Err(SaveError::Text { problem: format!("two parts have the id {id}") });
        }
        if !prefab.is_empty() {
            // Names of a nested prefab mean nothing outside of it.
            self.parts[root..].iter_mut().for_each(|part| part.name = None);
            self.parts[root].name = (id != 0).then_some(id);
        }
        children.iter().try_for_each(|child| self.part(&child.0, Some(root), depth + 1))
    }

    /// Changes the tags of a part, and notes the fields that are to be changed.
    fn change(
        &mut self,
        place: usize,
        tags: Option<&str>,
        fields: &FieldTexts,
    ) -> Result<(), SaveError> {
        if let Some(tags) = tags {
            self.parts[place].thing.put_tags(read_tags::<T>(tags)?);
        }
        if !fields.0.is_empty() {
            self.fields.push((place, fields.clone()));
        }
        Ok(())
    }
}

/// Copies the saved fields of some things of a pool.
struct Copy<'a, T: Save> {
    image: &'a PoolImage<T>,
    places: &'a BTreeMap<u64, usize>,
    parts: &'a mut Vec<PrefabPart<T>>,
}

impl<T: Save> SaveVisitor<T> for Copy<'_, T> {
    type Error = std::convert::Infallible;

    fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), Self::Error> {
        let Self { image, places, parts } = self;
        let mut handles = image.handles();
        image.each_value::<F>(|value| {
            let place = handles.next().flatten().and_then(|handle| places.get(&handle.to_bits()));
            if let (Some(&place), Some(value)) = (place, value) {
                F::get_mut(&mut parts[place].thing).clone_from(value);
            }
        });
        Ok(())
    }
}

/// The handle that means a part, within a prefab.
fn inner<T: Save>(place: usize) -> Handle<T> {
    Handle::from_bits(1 << T::INDEX_BITS | (place as u64 + 1))
}

/// Replaces the handles in a thing.
fn relink<T: Save>(thing: &mut T, map: &mut dyn FnMut(u64) -> u64) {
    struct Fields<'a, 'b, T>(&'a mut T, Relink<'b>);

    impl<T: Save> SaveVisitor<T> for Fields<'_, '_, T> {
        type Error = std::convert::Infallible;

        fn field<F: SavedField<Thing = T>>(&mut self) -> Result<(), Self::Error> {
            F::relink(F::get_mut(self.0), &mut self.1);
            Ok(())
        }
    }

    T::visit_saved(&mut Fields(thing, Relink::new::<T>(map)))
        .unwrap_or_else(|never| match never {});
}

/// Prefabs by name, which may name each other: those that are added later those that were added
/// before.
///
/// # Examples
///
/// See [`Prefab`].
#[derive(Clone)]
pub struct PrefabLibrary<T: Save + Clone> {
    prefabs: BTreeMap<String, Prefab<T>>,
}

impl<T: Save + Clone> PrefabLibrary<T> {
    /// No prefabs yet.
    ///
    /// # Examples
    ///
    /// See [`Prefab`].
    #[must_use]
    pub fn new() -> Self {
        Self { prefabs: BTreeMap::new() }
    }

    /// Reads a prefab and keeps it under a name. Prefabs that it names are here already; what
    /// becomes of them later does not change it.
    ///
    /// # Errors
    ///
    /// [`SaveError`] says what is wrong with the text, and where.
    ///
    /// # Examples
    ///
    /// See [`Prefab`].
    pub fn add(&mut self, name: impl Into<String>, text: &str) -> Result<&Prefab<T>, SaveError> {
        let (name, prefab) = (name.into(), Prefab::parse(text, self)?);
        self.prefabs.insert(name.clone(), prefab);
        Ok(&self.prefabs[&name])
    }

    /// A prefab, by its name.
    ///
    /// # Examples
    ///
    /// See [`Prefab`].
    pub fn get(&self, name: &str) -> Option<&Prefab<T>> {
        self.prefabs.get(name)
    }

    /// All names, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_snapshot::{PrefabLibrary, Save};
    /// # #[derive(Thing, Save, Clone, Default)] struct Part { hp: u32 }
    /// let mut library = PrefabLibrary::<Part>::new();
    /// library.add("bolt", "(fields: (hp: 1))")?;
    /// assert!(library.names().eq(["bolt"]));
    /// # Ok::<(), lath_snapshot::SaveError>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.prefabs.keys().map(String::as_str)
    }
}

impl<T: Save + Clone> Default for PrefabLibrary<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Spawns a prefab: answers which thing is its root.
///
/// # Errors
///
/// [`SaveError`] if the pool is full. Nothing was spawned.
///
/// # Examples
///
/// See [`Prefab`].
pub fn spawn_prefab<T: Save + Clone + Resident>(
    world: &mut World,
    prefab: &Prefab<T>,
) -> Result<Handle<T>, SaveError> {
    spawn_prefab_with(world, prefab, |_, _| {})
}

/// As [`spawn_prefab`], with a last word on every part: `change` is called with the number of each,
/// the root first, and the thing that is about to be spawned.
///
/// # Errors
///
/// As [`spawn_prefab`].
///
/// # Examples
///
/// ```
/// # use lath_core::Thing;
/// # use lath_schedule::World;
/// # use lath_snapshot::{Prefab, Save, spawn_prefab_with};
/// # #[derive(Thing, Save, Clone, Default)] struct Part { hp: u32 }
/// let bolt = Prefab::<Part>::from_text("(fields: (hp: 1))")?;
/// let mut world = World::new();
/// let strong = spawn_prefab_with(&mut world, &bolt, |_, part| part.hp += 9)?;
/// assert_eq!(world.read(strong).hp, 10);
/// # Ok::<(), lath_snapshot::SaveError>(())
/// ```
pub fn spawn_prefab_with<T: Save + Clone + Resident>(
    world: &mut World,
    prefab: &Prefab<T>,
    mut change: impl FnMut(usize, &mut T),
) -> Result<Handle<T>, SaveError> {
    let mut things: Vec<T> = prefab.parts.iter().map(|part| part.thing.clone()).collect();
    // All parts come, or none: code of the user's runs meanwhile, and may panic.
    let handles = Vec::with_capacity(things.len());
    let mut made = Guard::new((world.pool_mut::<T>(), handles), |(pool, handles)| {
        for handle in handles.drain(..) {
            pool.despawn(handle);
        }
    });
    let (pool, handles) = &mut *made;
    for thing in &things {
        let handle = pool.try_reserve_kind(thing.kind());
        handles.push(handle.map_err(|fault| SaveError::pool(T::NAME, fault))?);
    }
    for thing in &mut things {
        let handle_of = |bits| {
            (Handle::<T>::from_bits(bits).index() as usize)
                .checked_sub(1)
                .and_then(|n| handles.get(n))
        };
        relink(thing, &mut |bits| handle_of(bits).map_or(0, |handle| handle.to_bits()));
    }
    things.iter_mut().enumerate().for_each(|(place, thing)| change(place, thing));
    if things.iter().zip(&*handles).any(|(thing, handle)| thing.kind() != handle.kind()) {
        return Err(SaveError::pool(
            T::NAME,
            "the kind of a part was changed while it was being spawned",
        ));
    }
    for ((thing, &handle), part) in things.into_iter().zip(&*handles).zip(&prefab.parts) {
        pool.spawn_at(handle, thing).map_err(|error| SaveError::pool(T::NAME, error.fault))?;
        if let Some(parent) = part.parent {
            pool.tree_mut()
                .attach(handle, handles[parent])
                .map_err(|error| SaveError::pool(T::NAME, error))?;
        }
    }
    Ok(std::mem::take(handles)[0])
}
