//! How the code that the derive writes finds out what a field's type can do, without asking for it.
//!
//! A method is called through one reference more or less than the traits below are implemented for;
//! the compiler takes the first that fits. In generic code, where nothing is known, the last one
//! does. The methods have names that no other trait has, which would be found as well.

use std::marker::PhantomData;

use bytemuck::Pod;
use lath_core::bitflags::{Flags, parser};
use lath_core::strips::Snap;
use lath_core::{Field, Handle, Thing};

use crate::relink::{Linked, Relink};
use crate::save::Raw;

pub use std::string::String;

/// Asks whether the values of a field are plain bytes: `(&&Plain::<F>::NEW).lath_raw()`.
pub struct Plain<F>(PhantomData<F>);

impl<F> Plain<F> {
    /// The question.
    pub const NEW: Self = Self(PhantomData);
}

/// First: handles, which are bytes, but not any bytes.
pub trait AsHandles<F: Field<Thing: Snap>> {
    /// How they are written.
    fn lath_raw(&self) -> Option<Raw<F>>;
}

impl<U: Thing, F: Field<Thing: Snap, Value = Handle<U>>> AsHandles<F> for &Plain<F> {
    fn lath_raw(&self) -> Option<Raw<F>> {
        Some(Raw {
            all: |image, write| image.each_bytes::<F>(write),
            write: bytemuck::bytes_of,
            read: |bytes| {
                let mut bits = [0; 8];
                if cfg!(target_endian = "big") {
                    bits[8 - bytes.len()..].copy_from_slice(bytes);
                } else {
                    bits[..bytes.len()].copy_from_slice(bytes);
                }
                Handle::from_bits(u64::from_ne_bytes(bits))
            },
        })
    }
}

/// Second: types that any bytes of the right number are a value of.
pub trait AsPlain<F: Field<Thing: Snap>> {
    /// How they are written.
    fn lath_raw(&self) -> Option<Raw<F>>;
}

impl<F: Field<Thing: Snap, Value: Pod>> AsPlain<F> for &&Plain<F> {
    fn lath_raw(&self) -> Option<Raw<F>> {
        (size_of::<F::Value>() > 0).then_some(Raw {
            all: |image, write| image.each_bytes::<F>(write),
            write: bytemuck::bytes_of,
            read: bytemuck::pod_read_unaligned,
        })
    }
}

/// Last: all others, which serde has to write.
pub trait NotPlain<F: Field<Thing: Snap>> {
    /// They are not plain.
    fn lath_raw(&self) -> Option<Raw<F>> {
        None
    }
}

impl<F: Field<Thing: Snap>> NotPlain<F> for Plain<F> {}

/// Asks whether there are handles in a value: `(&mut Handles(value)).lath_relink(links)`.
pub struct Handles<'a, V>(pub &'a mut V);

/// First: there may be.
pub trait WithHandles {
    /// Replaces them.
    fn lath_relink(&mut self, links: &mut Relink<'_>);
}

impl<V: Linked> WithHandles for Handles<'_, V> {
    fn lath_relink(&mut self, links: &mut Relink<'_>) {
        self.0.relink(links);
    }
}

/// Last: there are none.
pub trait WithoutHandles {
    /// Does nothing.
    fn lath_relink(&mut self, _: &mut Relink<'_>) {}
}

impl<V> WithoutHandles for &mut Handles<'_, V> {}

/// The names of tags.
pub fn write_tags<T: Flags<Bits: parser::WriteHex>>(tags: &T) -> String {
    let mut text = String::new();
    let Ok(()) = parser::to_writer(tags, &mut text) else {
        unreachable!("a string takes any text")
    };
    text
}

/// The tags with these names.
pub fn read_tags<T: Flags<Bits: parser::ParseHex>>(text: &str) -> Option<T> {
    parser::from_str(text).ok()
}
