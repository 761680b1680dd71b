//! Handles through serde: as their bits. Whatever comes in, the result keeps H1.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::handle::{Handle, HandleRange};
use crate::thing::Thing;

impl<T: Thing> Serialize for Handle<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_bits().serialize(serializer)
    }
}

/// Bits that no pool could have made come in as nil: see [`Handle::from_bits`].
impl<'de, T: Thing> Deserialize<'de> for Handle<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::from_bits)
    }
}

impl<T: Thing> Serialize for HandleRange<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.first(), self.len()).serialize(serializer)
    }
}

impl<'de, T: Thing> Deserialize<'de> for HandleRange<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (first, len) = <(Handle<T>, u32)>::deserialize(deserializer)?;
        Self::new(first, len).map_err(serde::de::Error::custom)
    }
}
