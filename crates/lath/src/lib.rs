//! lath: a LArge array of THings.

#![no_std]
#![forbid(unsafe_code)]

pub use lath_core::*;
pub use lath_derive::Thing;

#[doc(hidden)]
pub mod __private {
    pub use lath_core;
}

/// What most programs import: `use lath::prelude::*`.
pub mod prelude {
    pub use crate::{Handle, HandleRange, Pool, Thing};
}
