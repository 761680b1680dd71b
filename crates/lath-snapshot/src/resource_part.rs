//! Resources in snapshots and saves.

use std::any::Any;
use std::sync::Arc;

use lath_schedule::World;
use xxhash_rust::xxh3::Xxh3;

use crate::error::{SaveError, shown};
use crate::file::bytes::{Reader, Sink};
use crate::file::column::type_name;
use crate::part::{Kind, Part, PartDelta};

/// How a resource is saved.
pub(crate) struct ResourceKind<R> {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    /// How it is written and read; `None` if it is only copied.
    pub(crate) serde: Option<Serde<R>>,
}

/// Writing and reading a value: by postcard, and as text.
pub(crate) struct Serde<R> {
    pub(crate) write: fn(&R) -> Result<Vec<u8>, String>,
    pub(crate) read: fn(&[u8]) -> Result<R, String>,
    #[cfg(feature = "text")]
    pub(crate) write_text: fn(&R) -> Result<String, String>,
    #[cfg(feature = "text")]
    pub(crate) read_text: fn(&str) -> Result<R, String>,
}

// By hand, as below: a derive would ask for `R: Clone`.
impl<R> Clone for Serde<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Serde<R> {}

impl<R> Clone for ResourceKind<R> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), aliases: self.aliases.clone(), serde: self.serde }
    }
}

impl<R: Clone + Send + Sync + 'static> Kind for Arc<ResourceKind<R>> {
    fn name(&self) -> &str {
        &self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn makes(&self, part: &dyn Part) -> bool {
        part.as_any()
            .downcast_ref::<ResourcePart<R>>()
            .is_some_and(|part| Arc::ptr_eq(self, &part.kind))
    }

    fn is_saved(&self) -> bool {
        self.serde.is_some()
    }

    fn part(&self) -> Box<dyn Part> {
        Box::new(ResourcePart { kind: self.clone(), value: None::<R> })
    }

    #[cfg(feature = "text")]
    fn read_text(&self, _: &mut World, text: &str) -> Result<Box<dyn Part>, SaveError> {
        let value = self.serde.map(|serde| (serde.read_text)(text)).transpose();
        let value = value.map_err(|problem| SaveError::field(&self.name, "", problem))?;
        Ok(Box::new(ResourcePart { kind: self.clone(), value }))
    }

    fn read(&self, _: &mut World, from: &mut Reader<'_>) -> Result<Box<dyn Part>, SaveError> {
        let of = type_name::<R>();
        let fail = |problem: String| SaveError::field(&self.name, "", problem);
        let was = from.text()?;
        let is_there = from.u8()?;
        let bytes = from.block()?;
        if was != of {
            let was = shown(was);
            return Err(fail(format!("it is `{was}` in the save and `{of}` in the program")));
        }
        if is_there > 1 || (is_there == 0 && !bytes.is_empty()) {
            return Err(fail("it is neither there nor missing".into()));
        }
        let read =
            self.serde.ok_or_else(|| fail("it is copied by snapshots, but not saved".into()))?.read;
        let value = if is_there == 1 {
            Some(read(bytes).map_err(|error| fail(format!("it is broken: {error}")))?)
        } else {
            None
        };
        Ok(Box::new(ResourcePart { kind: self.clone(), value }))
    }
}

/// A copy of a resource; `None` if there was none.
pub(crate) struct ResourcePart<R> {
    kind: Arc<ResourceKind<R>>,
    value: Option<R>,
}

impl<R: Clone + Send + Sync + 'static> ResourcePart<R> {
    fn encode(&self, out: &mut impl Sink) -> Result<(), SaveError> {
        let Some(serde) = self.kind.serde else { return Ok(()) };
        out.text(&type_name::<R>());
        out.u8(u8::from(self.value.is_some()));
        let written = self.value.as_ref().map(serde.write).transpose();
        let bytes = written.map_err(|error| {
            SaveError::field(&self.kind.name, "", format!("it cannot be written: {error}"))
        })?;
        let bytes = bytes.unwrap_or_default();
        out.u64(bytes.len() as u64);
        out.put(&bytes);
        Ok(())
    }
}

impl<R: Clone + Send + Sync + 'static> Part for ResourcePart<R> {
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
        self.kind.serde.is_some()
    }

    fn take(&mut self, world: &World) {
        match (&mut self.value, world.try_resource::<R>()) {
            (Some(value), Ok(now)) => value.clone_from(now),
            (value, now) => *value = now.ok().cloned(),
        }
    }

    fn take_mut(&mut self, world: &mut World) {
        self.take(world);
    }

    fn prepare(&self, _: &mut World) -> Result<(), SaveError> {
        Ok(())
    }

    fn restore(&self, world: &mut World) {
        match (&self.value, world.try_resource_mut::<R>()) {
            (Some(value), Ok(now)) => now.clone_from(value),
            (Some(value), Err(_)) => drop(world.insert(value.clone())),
            (None, _) => drop(world.remove::<R>()),
        }
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), SaveError> {
        self.encode(out)
    }

    #[cfg(feature = "text")]
    fn text(&self) -> Result<crate::text::Text, SaveError> {
        let written = self
            .kind
            .serde
            .zip(self.value.as_ref())
            .map(|(serde, value)| (serde.write_text)(value));
        let text = written
            .transpose()
            .map_err(|problem| SaveError::field(&self.kind.name, "", problem))?;
        Ok(crate::text::Text::Resource(text))
    }

    fn hash(&self, hash: &mut Xxh3) -> Result<(), SaveError> {
        self.encode(hash)
    }

    fn copy(&self) -> Box<dyn Part> {
        Box::new(Self { kind: self.kind.clone(), value: self.value.clone() })
    }

    fn copy_from(&mut self, other: &dyn Part) {
        let other = same::<R>(other);
        self.kind.clone_from(&other.kind);
        self.value.clone_from(&other.value);
    }

    fn bytes(&self) -> usize {
        size_of::<R>()
    }

    fn delta(&self) -> Box<dyn PartDelta> {
        Box::new(ResourceDelta::<R> { value: None })
    }
}

/// The new value: resources are not compared.
struct ResourceDelta<R> {
    value: Option<R>,
}

impl<R: Clone + Send + Sync + 'static> PartDelta for ResourceDelta<R> {
    fn since(&mut self, _: &dyn Part, world: &World) {
        self.value = world.try_resource::<R>().ok().cloned();
    }

    fn between(&mut self, _: &dyn Part, new: &dyn Part) {
        self.value.clone_from(&same::<R>(new).value);
    }

    fn is_for(&self, part: &dyn Part) -> bool {
        part.as_any().is::<ResourcePart<R>>()
    }

    fn starts_from(&self, part: &dyn Part) -> bool {
        self.is_for(part)
    }

    fn apply(&self, part: &mut dyn Part) -> bool {
        let part = part.as_any_mut().downcast_mut::<ResourcePart<R>>();
        part.is_some_and(|part| {
            part.value.clone_from(&self.value);
            true
        })
    }

    fn bytes(&self) -> usize {
        size_of::<R>()
    }

    fn groups(&self) -> usize {
        0
    }
}

fn same<R: Clone + Send + Sync + 'static>(part: &dyn Part) -> &ResourcePart<R> {
    part.as_any()
        .downcast_ref()
        .unwrap_or_else(|| unreachable!("parts are compared with those of the same kind"))
}
