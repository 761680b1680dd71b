//! The fields of a thing, without their types.

use std::any::{TypeId, type_name};

use lath_core::{Field, Fields, Handle, Pool, Ref};
use lath_schedule::{Resident, World};
use serde_json::Value;

use crate::how::{Clip, How};

/// A thing whose fields the inspector shows: derive it beside [`Thing`](lath_core::Thing).
///
/// # Examples
///
/// ```
/// use lath_core::Thing;
/// use lath_inspect::{Inspect, Inspector, Request};
/// use lath_schedule::{Schedule, World};
///
/// struct Secret; // nothing is asked of a field's type
///
/// #[derive(Thing, Inspect, Default)]
/// struct Ship { hull: f32, secret: Option<std::sync::Arc<std::sync::Mutex<Vec<u8>>>> }
///
/// let (mut world, mut schedule) = (World::new(), Schedule::new());
/// world.spawn(Ship { hull: 3.0, secret: None });
/// let mut inspector = Inspector::new();
/// inspector.pool::<Ship>();
/// let things = inspector.handle(&mut world, &mut schedule, Request::get("/api/v1/things?pool=Ship"));
/// assert_eq!(things.body["rows"][0]["cells"][0]["number"], 3.0);
/// ```
pub trait Inspect: Fields + Resident {
    /// Adds every field to the list.
    #[doc(hidden)]
    fn fields(list: &mut FieldList<Self>);
}

/// The fields of a thing, as the derive lists them.
pub struct FieldList<T: Inspect> {
    pub(crate) fields: Vec<Box<dyn FieldOps<T>>>,
}

impl<T: Inspect> FieldList<T> {
    /// Adds a field.
    #[doc(hidden)]
    pub fn field<F: Field<Thing = T>>(&mut self, how: How<F::Value>, of: fn(&T) -> &F::Value) {
        let put = |world: &mut World, handle, value| {
            world.pool_mut::<T>().set::<F>(handle, value).is_ok()
        };
        self.fields.push(Box::new(FieldOf::<F> { how, of, put }));
    }

    /// Adds the field of the tags, which the pool has to know about when it changes.
    #[doc(hidden)]
    pub fn tags<F: Field<Thing = T, Value = T::Tags>>(
        &mut self,
        how: How<F::Value>,
        of: fn(&T) -> &F::Value,
    ) {
        let put = |world: &mut World, handle, value| world.set_tags::<T>(handle, value);
        self.fields.push(Box::new(FieldOf::<F> { how, of, put }));
    }

    pub(crate) fn of_thing() -> Self {
        let mut list = Self { fields: Vec::new() };
        T::fields(&mut list);
        list
    }
}

/// What is known of a field.
#[derive(Clone, Debug)]
pub(crate) struct FieldMeta {
    pub(crate) name: &'static str,
    pub(crate) type_name: &'static str,
    pub(crate) is_number: bool,
    pub(crate) is_bool: bool,
    pub(crate) is_tags: bool,
    pub(crate) is_editable: bool,
    /// The things that it leads to.
    pub(crate) link: Option<TypeId>,
    pub(crate) flags: Option<Vec<(&'static str, u64)>>,
    /// The numbers within the field: `x` and `y` of a position.
    pub(crate) parts: Vec<String>,
}

/// A field of `T`. Whoever asks for a value has looked whether the handle is good; `None` says that
/// it was not.
pub(crate) trait FieldOps<T: Inspect>: Send + Sync {
    fn meta(&self, nil: &T) -> FieldMeta;
    fn show(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>, out: &mut Clip);
    fn number(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<f64>;
    fn json(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<Value>;
    fn json_text(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<String>;
    fn flags(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<u64>;
    fn link(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<u64>;
    /// Answers what is wrong with the value.
    fn write(&self, world: &mut World, handle: Handle<T>, value: Value) -> Result<bool, String>;
}

struct FieldOf<F: Field> {
    how: How<F::Value>,
    of: fn(&F::Thing) -> &F::Value,
    put: fn(&mut World, Handle<F::Thing>, F::Value) -> bool,
}

impl<F: Field<Thing: Inspect>> FieldOf<F> {
    /// A cold field that a thing does not have is that of the nil thing.
    fn with<A>(
        &self,
        nil: &F::Thing,
        pool: &Pool<F::Thing>,
        handle: Handle<F::Thing>,
        f: impl FnOnce(&F::Value) -> A,
    ) -> Option<A> {
        let (mut f, mut answer) = (Some(f), None);
        self.visit(nil, pool, handle, &mut |value| answer = f.take().map(|f| f(value)));
        answer
    }

    /// The same for a closure of any type, so that the lookup is compiled once for each field.
    fn visit(
        &self,
        nil: &F::Thing,
        pool: &Pool<F::Thing>,
        handle: Handle<F::Thing>,
        f: &mut dyn FnMut(&F::Value),
    ) {
        match pool.view::<Option<Ref<F>>>().get(handle) {
            Some(Some(value)) => f(&value),
            Some(None) => f((self.of)(nil)),
            None => {}
        }
    }
}

impl<T: Inspect, F: Field<Thing = T>> FieldOps<T> for FieldOf<F> {
    fn meta(&self, nil: &T) -> FieldMeta {
        let parts =
            if self.how.number.is_some() || self.how.link.is_some() || self.how.flags.is_some() {
                Vec::new()
            } else {
                self.how.read((self.of)(nil)).map(|json| parts_of(&json)).unwrap_or_default()
            };
        FieldMeta {
            name: F::NAME,
            type_name: type_name::<F::Value>(),
            is_number: self.how.number.is_some(),
            is_bool: self.how.number.as_ref().is_some_and(|number| number.is_bool),
            is_tags: T::TAGS_FIELD == Some(F::INDEX),
            is_editable: self.how.is_editable((self.of)(nil)),
            link: self.how.link.as_ref().map(|link| link.thing),
            flags: self.how.flags.as_ref().map(|flags| flags.names.clone()),
            parts,
        }
    }

    fn show(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>, out: &mut Clip) {
        // An error says that the text was clipped, or that the type's own code failed: what is
        // there is shown.
        let _ = self.with(nil, pool, handle, |value| (self.how.show.0)(value, out));
    }

    fn number(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<f64> {
        let number = self.how.number.as_ref()?;
        self.with(nil, pool, handle, number.get)
    }

    fn json(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<Value> {
        self.with(nil, pool, handle, |value| self.how.read(value))?
    }

    fn json_text(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<String> {
        self.with(nil, pool, handle, |value| self.how.read_text(value))?
    }

    fn flags(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<u64> {
        let flags = self.how.flags.as_ref()?;
        self.with(nil, pool, handle, flags.widen)
    }

    fn link(&self, nil: &T, pool: &Pool<T>, handle: Handle<T>) -> Option<u64> {
        let link = self.how.link.as_ref()?;
        self.with(nil, pool, handle, link.bits)
    }

    fn write(&self, world: &mut World, handle: Handle<T>, value: Value) -> Result<bool, String> {
        self.how.write(value).map(|value| (self.put)(world, handle, value))
    }
}

/// The most numbers within one field that are offered by name.
const MOST_PARTS: usize = 16;

/// The paths of the numbers within a value, two levels deep.
fn parts_of(json: &Value) -> Vec<String> {
    fn walk(json: &Value, path: &str, depth: u32, parts: &mut Vec<String>) {
        let mut inner = |name: &str, json: &Value| {
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            walk(json, &path, depth + 1, parts);
        };
        match json {
            Value::Number(_) if depth > 0 => parts.push(path.to_owned()),
            Value::Array(list) if depth < 2 && list.len() <= MOST_PARTS => {
                list.iter().enumerate().for_each(|(at, json)| inner(&at.to_string(), json));
            }
            Value::Object(map) if depth < 2 => {
                map.iter().for_each(|(name, json)| inner(name, json))
            }
            _ => {}
        }
    }
    let mut parts = Vec::new();
    walk(json, "", 0, &mut parts);
    parts.truncate(MOST_PARTS);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_numbers_within_a_field_have_names() {
        assert_eq!(parts_of(&json!([1.0, 2.0])), ["0", "1"]);
        assert_eq!(parts_of(&json!({"x": 1, "y": {"z": 2}, "name": "n"})), ["x", "y.z"]);
        assert_eq!(parts_of(&json!(3)), Vec::<String>::new());
    }
}
