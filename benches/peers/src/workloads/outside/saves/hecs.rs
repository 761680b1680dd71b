//! hecs: text row by row, bytes column by column, as its documentation says which is for what.

use hecs::serialize::{column, row};
use hecs::{Archetype, ColumnBatchBuilder, ColumnBatchType, EntityBuilder, EntityRef, World};
use serde::de::{MapAccess, SeqAccess};
use serde::ser::{SerializeMap, SerializeTuple};
use serde::{Deserialize, Serialize};

use super::{Body, Saved};

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Transform([f32; 16]);
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Position([f32; 3]);
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Rotation([f32; 3]);
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Velocity([f32; 3]);

/// Which component it is, in what is written.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Id {
    Transform,
    Position,
    Rotation,
    Velocity,
}

struct Rows;

impl row::SerializeContext for Rows {
    fn component_count(&self, entity: EntityRef<'_>) -> Option<usize> {
        Some(entity.len())
    }

    fn serialize_entity<S: SerializeMap>(
        &mut self,
        entity: EntityRef<'_>,
        mut map: S,
    ) -> Result<S::Ok, S::Error> {
        row::try_serialize::<Transform, _, _>(&entity, &Id::Transform, &mut map)?;
        row::try_serialize::<Position, _, _>(&entity, &Id::Position, &mut map)?;
        row::try_serialize::<Rotation, _, _>(&entity, &Id::Rotation, &mut map)?;
        row::try_serialize::<Velocity, _, _>(&entity, &Id::Velocity, &mut map)?;
        map.end()
    }
}

impl row::DeserializeContext for Rows {
    fn deserialize_entity<'de, M: MapAccess<'de>>(
        &mut self,
        mut map: M,
        entity: &mut EntityBuilder,
    ) -> Result<(), M::Error> {
        while let Some(id) = map.next_key()? {
            match id {
                Id::Transform => entity.add::<Transform>(map.next_value()?),
                Id::Position => entity.add::<Position>(map.next_value()?),
                Id::Rotation => entity.add::<Rotation>(map.next_value()?),
                Id::Velocity => entity.add::<Velocity>(map.next_value()?),
            };
        }
        Ok(())
    }
}

/// The components of the archetype that is being read.
#[derive(Default)]
struct Columns(Vec<Id>);

impl column::SerializeContext for Columns {
    fn component_count(&self, archetype: &Archetype) -> usize {
        archetype.component_types().len()
    }

    fn serialize_component_ids<S: SerializeTuple>(
        &mut self,
        archetype: &Archetype,
        mut out: S,
    ) -> Result<S::Ok, S::Error> {
        column::try_serialize_id::<Transform, _, _>(archetype, &Id::Transform, &mut out)?;
        column::try_serialize_id::<Position, _, _>(archetype, &Id::Position, &mut out)?;
        column::try_serialize_id::<Rotation, _, _>(archetype, &Id::Rotation, &mut out)?;
        column::try_serialize_id::<Velocity, _, _>(archetype, &Id::Velocity, &mut out)?;
        out.end()
    }

    fn serialize_components<S: SerializeTuple>(
        &mut self,
        archetype: &Archetype,
        mut out: S,
    ) -> Result<S::Ok, S::Error> {
        column::try_serialize::<Transform, _>(archetype, &mut out)?;
        column::try_serialize::<Position, _>(archetype, &mut out)?;
        column::try_serialize::<Rotation, _>(archetype, &mut out)?;
        column::try_serialize::<Velocity, _>(archetype, &mut out)?;
        out.end()
    }
}

impl column::DeserializeContext for Columns {
    fn deserialize_component_ids<'de, A: SeqAccess<'de>>(
        &mut self,
        mut seq: A,
    ) -> Result<ColumnBatchType, A::Error> {
        self.0.clear();
        let mut batch = ColumnBatchType::new();
        while let Some(id) = seq.next_element()? {
            match id {
                Id::Transform => batch.add::<Transform>(),
                Id::Position => batch.add::<Position>(),
                Id::Rotation => batch.add::<Rotation>(),
                Id::Velocity => batch.add::<Velocity>(),
            };
            self.0.push(id);
        }
        Ok(batch)
    }

    fn deserialize_components<'de, A: SeqAccess<'de>>(
        &mut self,
        count: u32,
        mut seq: A,
        batch: &mut ColumnBatchBuilder,
    ) -> Result<(), A::Error> {
        use column::deserialize_column as read;
        for id in &self.0 {
            match id {
                Id::Transform => read::<Transform, _>(count, &mut seq, batch)?,
                Id::Position => read::<Position, _>(count, &mut seq, batch)?,
                Id::Rotation => read::<Rotation, _>(count, &mut seq, batch)?,
                Id::Velocity => read::<Velocity, _>(count, &mut seq, batch)?,
            }
        }
        Ok(())
    }
}

/// A world by one of hecs' two ways through serde.
struct ByRows<'a>(&'a World);

impl Serialize for ByRows<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        row::serialize(self.0, &mut Rows, serializer)
    }
}

struct ByColumns<'a>(&'a World);

impl Serialize for ByColumns<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        column::serialize(self.0, &mut Columns::default(), serializer)
    }
}

pub(super) struct Hecs(World);

impl Saved for Hecs {
    fn new(count: u32) -> Self {
        let mut world = World::new();
        world.spawn_batch((0..count).map(|n| {
            let Body { transform, position, rotation, velocity } = Body::number(n);
            (Transform(transform), Position(position), Rotation(rotation), Velocity(velocity))
        }));
        Self(world)
    }

    fn to_text(&self) -> String {
        ron::to_string(&ByRows(&self.0)).expect("plain data")
    }

    fn from_text(text: &str) -> Self {
        let mut reader = ron::Deserializer::from_str(text).expect("RON");
        Self(row::deserialize(&mut Rows, &mut reader).expect("was written so"))
    }

    fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(&ByColumns(&self.0)).expect("plain data")
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let mut reader = postcard::Deserializer::from_bytes(bytes);
        Self(column::deserialize(&mut Columns::default(), &mut reader).expect("was written so"))
    }

    fn sum(&mut self) -> u64 {
        let all = self.0.query_mut::<(&Transform, &Position, &Rotation, &Velocity)>();
        let bits = |(transform, position, rotation, velocity): (
            &Transform,
            &Position,
            &Rotation,
            &Velocity,
        )| {
            let (transform, position) = (transform.0, position.0);
            Body { transform, position, rotation: rotation.0, velocity: velocity.0 }.bits()
        };
        all.into_iter().map(bits).fold(0, u64::wrapping_add)
    }
}
