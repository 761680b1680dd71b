#![expect(unsafe_code, reason = "bytemuck's traits are unsafe to implement")]
//! Handles as bytes, through bytemuck.
//!
//! A handle can be zeroed (that is nil) and looked at as bytes. It cannot be made out of any bytes
//! at all, since H1 would not hold: for that there is [`Handle::from_bits`].

use bytemuck::{NoUninit, Zeroable};

use crate::handle::Handle;
use crate::thing::Thing;

// SAFETY: all zero bits are `Handle::NIL`, a valid handle.
unsafe impl<T: Thing> Zeroable for Handle<T> {}

// SAFETY: `repr(transparent)` over `u64`, `u32` or `u16` (the trait behind `T::Bits` is sealed),
// which have no padding; `Copy` and `'static`.
unsafe impl<T: Thing> NoUninit for Handle<T> {}
