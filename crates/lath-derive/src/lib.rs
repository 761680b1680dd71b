//! The derive macros of lath.
//!
//! Nobody depends on this crate by name: `lath` exports [`Thing`] and `lath-core` exports [`CoreThing`] as its own
//! `Thing`. The two differ in one thing only, the path by which the code they write finds `lath-core`.
//!
//! From tokens to code, one file per step:
//!
//! | file | step |
//! |---|---|
//! | `cursor.rs` | walks tokens one at a time |
//! | `parse.rs` | the item that stands under the derive, as plain Rust structs |
//! | `attr.rs` | what is written in `#[thing(…)]` |
//! | `bits.rs` | how the bits of a handle are divided |
//! | `thing.rs` | the `impl Thing` |
//! | `template.rs` | Rust code with holes, in place of `quote!` |
//! | `error.rs` | what is wrong and where, as `compile_error!` |
//!
//! There are no dependencies: `docs/decisions/0001-derive-parser.md` has the figures that decided it.

mod attr;
mod bits;
mod cursor;
mod error;
mod parse;
mod template;
mod thing;

use proc_macro::TokenStream;

#[doc = include_str!("../docs/thing.md")]
#[proc_macro_derive(Thing, attributes(thing))]
pub fn thing(item: TokenStream) -> TokenStream {
    thing::derive(item, thing::Root::Facade)
}

#[doc = include_str!("../docs/thing.md")]
#[proc_macro_derive(CoreThing, attributes(thing))]
pub fn core_thing(item: TokenStream) -> TokenStream {
    thing::derive(item, thing::Root::Core)
}
