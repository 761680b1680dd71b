//! What the type of a field can do, asked of the compiler by the code that the derive writes.
//!
//! A method call looks for `&self` methods first on the type as written, then on what it refers to.
//! `(&&&probe).lath_show()` thus finds the trait for `&&Probe` if its bounds hold, else the one for
//! `&Probe`, else the one for `Probe`, which has none. The methods have names that no other trait
//! has, which would be found as well.

use std::any::{TypeId, type_name};
use std::fmt::{Debug, Display};
use std::marker::PhantomData;

use lath_core::bitflags::Flags;
use lath_core::{Handle, TagSet, Thing};
use serde::{Deserialize, Serialize};

use crate::how::{FlagsHow, Json, LinkHow, Number, NumberHow, Show};

/// Stands for a type that questions are asked about.
pub struct Probe<V>(PhantomData<fn() -> V>);

impl<V> Probe<V> {
    /// There is but one.
    pub const NEW: Self = Self(PhantomData);
}

/// All the questions, so that their methods are found. Without names: types of fields may have the
/// same ones.
pub mod prelude {
    pub use super::{
        FlagsAny as _, FlagsNone as _, JsonBoth as _, JsonNone as _, JsonRead as _, LinkAny as _,
    };
    pub use super::{
        LinkNone as _, NumberAny as _, NumberNone as _, ShowDebug as _, ShowDisplay as _,
        ShowName as _,
    };
}

/// The type has `Display`.
pub trait ShowDisplay<V> {
    /// How it is shown.
    fn lath_show(&self) -> Show<V>;
}

impl<V: Display> ShowDisplay<V> for &&Probe<V> {
    fn lath_show(&self) -> Show<V> {
        Show::new(|value, out| write!(out, "{value}"))
    }
}

/// The type has `Debug`.
pub trait ShowDebug<V> {
    /// How it is shown.
    fn lath_show(&self) -> Show<V>;
}

impl<V: Debug> ShowDebug<V> for &Probe<V> {
    fn lath_show(&self) -> Show<V> {
        Show::new(|value, out| write!(out, "{value:?}"))
    }
}

/// Any type.
pub trait ShowName<V> {
    /// How it is shown.
    fn lath_show(&self) -> Show<V>;
}

impl<V> ShowName<V> for Probe<V> {
    fn lath_show(&self) -> Show<V> {
        Show::new(|_, out| write!(out, "({})", crate::how::short(type_name::<V>())))
    }
}

/// The type has `Serialize` and `Deserialize`. Not `DeserializeOwned`, whose "for any lifetime" the
/// compiler leaves out when it looks for a method: a field with a borrowed text would be taken here
/// and then refused.
pub trait JsonBoth<V> {
    /// How it is read and written.
    fn lath_json(&self) -> Json<V>;
}

impl<V: Serialize + Deserialize<'static>> JsonBoth<V> for &&Probe<V> {
    fn lath_json(&self) -> Json<V> {
        Json {
            read: Some(|value| serde_json::to_value(value).ok()),
            text: Some(|value| serde_json::to_string(value).ok()),
            write: Some(|json| V::deserialize(json).map_err(|error| error.to_string())),
        }
    }
}

/// The type has `Serialize`.
pub trait JsonRead<V> {
    /// How it is read.
    fn lath_json(&self) -> Json<V>;
}

impl<V: Serialize> JsonRead<V> for &Probe<V> {
    fn lath_json(&self) -> Json<V> {
        Json {
            read: Some(|value| serde_json::to_value(value).ok()),
            text: Some(|value| serde_json::to_string(value).ok()),
            write: None,
        }
    }
}

/// Any type.
pub trait JsonNone<V> {
    /// Not at all.
    fn lath_json(&self) -> Json<V>;
}

impl<V> JsonNone<V> for Probe<V> {
    fn lath_json(&self) -> Json<V> {
        Json { read: None, text: None, write: None }
    }
}

/// The type is a number.
pub trait NumberAny<V> {
    /// How it becomes a number that all others can be compared with.
    fn lath_number(&self) -> Option<NumberHow<V>>;
}

impl<V: Number> NumberAny<V> for &Probe<V> {
    fn lath_number(&self) -> Option<NumberHow<V>> {
        Some(NumberHow { get: V::as_f64, is_bool: V::IS_BOOL })
    }
}

/// Any type.
pub trait NumberNone<V> {
    /// Not at all.
    fn lath_number(&self) -> Option<NumberHow<V>>;
}

impl<V> NumberNone<V> for Probe<V> {
    fn lath_number(&self) -> Option<NumberHow<V>> {
        None
    }
}

/// The type was made by `bitflags!`.
pub trait FlagsAny<V> {
    /// Its flags.
    fn lath_flags(&self) -> Option<FlagsHow<V>>;
}

impl<V: Flags + TagSet> FlagsAny<V> for &Probe<V> {
    fn lath_flags(&self) -> Option<FlagsHow<V>> {
        let named = V::FLAGS.iter().filter(|flag| !flag.name().is_empty());
        Some(FlagsHow {
            names: named
                .map(|flag| (flag.name(), TagSet::widen(V::from_bits_retain(flag.value().bits()))))
                .collect(),
            widen: |value| TagSet::widen(*value),
            narrow: TagSet::narrow,
        })
    }
}

/// Any type.
pub trait FlagsNone<V> {
    /// None.
    fn lath_flags(&self) -> Option<FlagsHow<V>>;
}

impl<V> FlagsNone<V> for Probe<V> {
    fn lath_flags(&self) -> Option<FlagsHow<V>> {
        None
    }
}

/// The type is a handle.
pub trait LinkAny<V> {
    /// What it leads to.
    fn lath_link(&self) -> Option<LinkHow<V>>;
}

impl<T: Thing> LinkAny<Handle<T>> for &Probe<Handle<T>> {
    fn lath_link(&self) -> Option<LinkHow<Handle<T>>> {
        Some(LinkHow {
            thing: TypeId::of::<T>(),
            bits: |handle| handle.to_bits(),
            from_bits: |bits| {
                let handle = Handle::from_bits(bits);
                (handle.to_bits() == bits).then_some(handle)
            },
        })
    }
}

/// Any type.
pub trait LinkNone<V> {
    /// Nothing.
    fn lath_link(&self) -> Option<LinkHow<V>>;
}

impl<V> LinkNone<V> for Probe<V> {
    fn lath_link(&self) -> Option<LinkHow<V>> {
        None
    }
}
