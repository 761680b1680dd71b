//! On the way in: serde's traits for reading, passed on to those inside.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{Bounded, DEEPEST, TRUSTED};

/// Passes a request for a value on, and a wrapper around who will be shown it.
macro_rules! pass_on {
    ($($name:ident($($arg:ident: $of:ty),*) $list:literal,)*) => {
        $(fn $name<V: Visitor<'de>>(self, $($arg: $of,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = Bounded { is_list: $list, ..self.at(visitor) };
            self.inner.$name($($arg,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Bounded<'_, D> {
    type Error = D::Error;

    pass_on! {
        deserialize_bool() false,
        deserialize_i8() false,
        deserialize_i16() false,
        deserialize_i32() false,
        deserialize_i64() false,
        deserialize_i128() false,
        deserialize_u8() false,
        deserialize_u16() false,
        deserialize_u32() false,
        deserialize_u64() false,
        deserialize_u128() false,
        deserialize_f32() false,
        deserialize_f64() false,
        deserialize_char() false,
        deserialize_str() false,
        deserialize_string() false,
        deserialize_bytes() false,
        deserialize_byte_buf() false,
        deserialize_option() false,
        deserialize_unit() false,
        deserialize_unit_struct(name: &'static str) false,
        deserialize_newtype_struct(name: &'static str) false,
        deserialize_seq() true,
        deserialize_tuple(len: usize) false,
        deserialize_tuple_struct(name: &'static str, len: usize) false,
        deserialize_map() true,
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) false,
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) false,
        deserialize_identifier() false,
    }

    // Only text is asked what it has, and takes twice the stack for the answer.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let down = self.down().map_err(D::Error::custom)?;
        let visitor = down.at(visitor);
        down.inner.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let down = self.down().map_err(D::Error::custom)?;
        let visitor = down.at(visitor);
        down.inner.deserialize_ignored_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Passes a value that has nothing in it on.
macro_rules! show {
    ($($name:ident($($arg:ident: $of:ty)?),)*) => {
        $(fn $name<E: Error>(self, $($arg: $of)?) -> Result<V::Value, E> {
            self.inner.$name($($arg)?)
        })*
    };
}

/// Passes a value that has others in it on: they are a level further down.
macro_rules! show_inside {
    ($($name:ident: $of:ident,)*) => {
        $(fn $name<X: $of<'de>>(self, inside: X) -> Result<V::Value, X::Error> {
            let down = self.down().map_err(X::Error::custom)?;
            let inside = Bounded { is_list: down.is_list, ..down.at(inside) };
            down.inner.$name(inside)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Bounded<'_, V> {
    type Value = V::Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(out)
    }

    show! {
        visit_bool(value: bool),
        visit_i8(value: i8),
        visit_i16(value: i16),
        visit_i32(value: i32),
        visit_i64(value: i64),
        visit_i128(value: i128),
        visit_u8(value: u8),
        visit_u16(value: u16),
        visit_u32(value: u32),
        visit_u64(value: u64),
        visit_u128(value: u128),
        visit_f32(value: f32),
        visit_f64(value: f64),
        visit_char(value: char),
        visit_str(value: &str),
        visit_borrowed_str(value: &'de str),
        visit_string(value: String),
        visit_bytes(value: &[u8]),
        visit_borrowed_bytes(value: &'de [u8]),
        visit_byte_buf(value: Vec<u8>),
        visit_none(),
        visit_unit(),
    }

    show_inside! {
        visit_some: Deserializer,
        visit_newtype_struct: Deserializer,
        visit_seq: SeqAccess,
        visit_map: MapAccess,
        visit_enum: EnumAccess,
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Bounded<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<S::Value, D::Error> {
        let from = self.at(from);
        self.inner.deserialize(from)
    }
}

impl<X> Bounded<'_, X> {
    fn hint(&self, hint: Option<usize>) -> Option<usize> {
        hint.filter(|_| self.left + TRUSTED >= DEEPEST)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = self.at(seed);
        let element = self.inner.next_element_seed(seed)?;
        if self.is_list && element.is_some() {
            self.bounds.count_entry().map_err(A::Error::custom)?;
        }
        Ok(element)
    }

    fn size_hint(&self) -> Option<usize> {
        self.hint(self.inner.size_hint())
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = self.at(seed);
        let key = self.inner.next_key_seed(seed)?;
        if self.is_list && key.is_some() {
            self.bounds.count_entry().map_err(A::Error::custom)?;
        }
        Ok(key)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.at(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.hint(self.inner.size_hint())
    }
}

impl<'de, 'b, A: EnumAccess<'de>> EnumAccess<'de> for Bounded<'b, A> {
    type Error = A::Error;
    type Variant = Bounded<'b, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let Self { inner, left, bounds, is_list } = self;
        let (value, variant) =
            inner.variant_seed(Bounded { inner: seed, left, bounds, is_list: false })?;
        Ok((value, Bounded { inner: variant, left, bounds, is_list }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.at(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.at(visitor);
        self.inner.tuple_variant(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.at(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}
