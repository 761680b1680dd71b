//! On the way out: serde's traits for writing, passed on to those inside.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::Bounded;

impl<T: Serialize + ?Sized> Serialize for Bounded<'_, &T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.inner.serialize(self.at(to))
    }
}

/// Passes a value that has nothing in it on.
macro_rules! pass_on {
    ($($name:ident($($arg:ident: $of:ty)?),)*) => {
        $(fn $name(self, $($arg: $of)?) -> Result<S::Ok, S::Error> {
            self.inner.$name($($arg)?)
        })*
    };
}

/// Passes on that a value begins whose parts come later: they are a level further down, or two.
macro_rules! begin {
    ($($name:ident($($arg:ident: $of:ty),*) -> $parts:ident, $list:literal, $levels:literal;)*) => {
        $(fn $name(self, $($arg: $of),*) -> Result<Self::$parts, S::Error> {
            let mut down = self;
            for _ in 0..$levels {
                down = down.down().map_err(S::Error::custom)?;
            }
            let Self { inner, left, bounds, .. } = down;
            Ok(Bounded { inner: inner.$name($($arg),*)?, left, bounds, is_list: $list })
        })*
    };
}

impl<'b, S: Serializer> Serializer for Bounded<'b, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Bounded<'b, S::SerializeSeq>;
    type SerializeTuple = Bounded<'b, S::SerializeTuple>;
    type SerializeTupleStruct = Bounded<'b, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Bounded<'b, S::SerializeTupleVariant>;
    type SerializeMap = Bounded<'b, S::SerializeMap>;
    type SerializeStruct = Bounded<'b, S::SerializeStruct>;
    type SerializeStructVariant = Bounded<'b, S::SerializeStructVariant>;

    pass_on! {
        serialize_bool(value: bool),
        serialize_i8(value: i8),
        serialize_i16(value: i16),
        serialize_i32(value: i32),
        serialize_i64(value: i64),
        serialize_i128(value: i128),
        serialize_u8(value: u8),
        serialize_u16(value: u16),
        serialize_u32(value: u32),
        serialize_u64(value: u64),
        serialize_u128(value: u128),
        serialize_f32(value: f32),
        serialize_f64(value: f64),
        serialize_char(value: char),
        serialize_str(value: &str),
        serialize_bytes(value: &[u8]),
        serialize_none(),
        serialize_unit(),
        serialize_unit_struct(name: &'static str),
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let down = self.down().map_err(S::Error::custom)?;
        let value = down.at(value);
        down.inner.serialize_some(&value)
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        number: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        let down = self.down().map_err(S::Error::custom)?;
        down.inner.serialize_unit_variant(name, number, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let down = self.down().map_err(S::Error::custom)?;
        let value = down.at(value);
        down.inner.serialize_newtype_struct(name, &value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        number: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let down = self.down().map_err(S::Error::custom)?;
        let value = down.at(value);
        down.inner.serialize_newtype_variant(name, number, variant, &value)
    }

    begin! {
        serialize_seq(len: Option<usize>) -> SerializeSeq, true, 1;
        serialize_tuple(len: usize) -> SerializeTuple, false, 1;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct, false, 1;
        serialize_tuple_variant(name: &'static str, number: u32, variant: &'static str, len: usize)
            -> SerializeTupleVariant, false, 2;
        serialize_map(len: Option<usize>) -> SerializeMap, true, 1;
        serialize_struct(name: &'static str, len: usize) -> SerializeStruct, false, 1;
        serialize_struct_variant(name: &'static str, number: u32, variant: &'static str, len: usize)
            -> SerializeStructVariant, false, 2;
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<X> Bounded<'_, X> {
    fn count<E: Error>(&self) -> Result<(), E> {
        if self.is_list { self.bounds.count_entry().map_err(E::custom) } else { Ok(()) }
    }
}

/// Passes parts on that have no names.
macro_rules! parts {
    ($($of:ident::$name:ident,)*) => {
        $(impl<X: $of> $of for Bounded<'_, X> {
            type Ok = X::Ok;
            type Error = X::Error;

            fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), X::Error> {
                self.count()?;
                let value = self.at(value);
                self.inner.$name(&value)
            }

            fn end(self) -> Result<X::Ok, X::Error> {
                self.inner.end()
            }
        })*
    };
}

parts! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

/// Passes parts on that have names.
macro_rules! named_parts {
    ($($of:ident,)*) => {
        $(impl<X: $of> $of for Bounded<'_, X> {
            type Ok = X::Ok;
            type Error = X::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), X::Error> {
                let value = self.at(value);
                self.inner.serialize_field(name, &value)
            }

            fn skip_field(&mut self, name: &'static str) -> Result<(), X::Error> {
                self.inner.skip_field(name)
            }

            fn end(self) -> Result<X::Ok, X::Error> {
                self.inner.end()
            }
        })*
    };
}

named_parts! {
    SerializeStruct,
    SerializeStructVariant,
}

impl<X: SerializeMap> SerializeMap for Bounded<'_, X> {
    type Ok = X::Ok;
    type Error = X::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), X::Error> {
        self.count()?;
        let key = self.at(key);
        self.inner.serialize_key(&key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), X::Error> {
        let value = self.at(value);
        self.inner.serialize_value(&value)
    }

    fn end(self) -> Result<X::Ok, X::Error> {
        self.inner.end()
    }
}
