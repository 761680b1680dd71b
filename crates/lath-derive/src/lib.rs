//! The derive macros of lath.
//!
//! Nobody depends on this crate by name: `lath` exports [`Thing`], [`View`], [`Params`] and
//! [`Save`]; `lath-core` exports [`CoreThing`] and [`CoreView`], `lath-schedule` exports
//! [`CoreParams`], and `lath-snapshot` exports [`CoreSave`], under the same names. The two of each
//! differ in one thing only, the path by which the code they write finds the other crates.
//!
//! From tokens to code, one file per step:
//!
//! | file | step |
//! |---|---|
//! | `cursor.rs` | walks tokens one at a time |
//! | `parse.rs` | the item that stands under the derive, as plain Rust structs |
//! | `vis.rs`, `generics.rs` | parts of it that the written code repeats elsewhere |
//! | `entry.rs` | what is written in the parentheses of an attribute |
//! | `attr.rs` | what `#[thing(…)]` says |
//! | `bits.rs` | how the bits of a handle are divided |
//! | `case.rs` | `HTTPServer` → `http_server` |
//! | `thing.rs` | the `impl Thing` |
//! | `fields.rs` | the field markers and the `impl`s about them |
//! | `columns.rs` | `ActorRef`, `ActorMut` and how they are made |
//! | `view_attr.rs` | what `#[view(…)]` says |
//! | `view.rs` | the `impl View` |
//! | `params.rs` | the `impl Param` for a struct of parameters |
//! | `save.rs` | the `impl Save` |
//! | `inspect.rs` | the `impl Inspect` |
//! | `root.rs` | from where the crates of lath can be reached |
//! | `template.rs` | Rust code with holes, in place of `quote!` |
//! | `error.rs` | what is wrong and where, as `compile_error!` |
//!
//! There are no dependencies: `docs/decisions/0001-derive-parser.md` has the figures that decided
//! it.

mod attr;
mod bits;
mod case;
mod columns;
mod cursor;
mod entry;
mod error;
mod fields;
mod generics;
mod inspect;
mod params;
mod parse;
mod root;
mod save;
mod template;
mod thing;
mod view;
mod view_attr;
mod view_forms;
mod vis;

use proc_macro::TokenStream;

use root::Root;

#[doc = include_str!("../docs/thing.md")]
#[proc_macro_derive(Thing, attributes(thing))]
pub fn thing(item: TokenStream) -> TokenStream {
    thing::derive(item, Root::Facade)
}

#[doc = include_str!("../docs/thing.md")]
#[proc_macro_derive(CoreThing, attributes(thing))]
pub fn core_thing(item: TokenStream) -> TokenStream {
    thing::derive(item, Root::Core)
}

#[doc = include_str!("../docs/view.md")]
#[proc_macro_derive(View, attributes(view))]
pub fn view(item: TokenStream) -> TokenStream {
    view::derive(item, Root::Facade)
}

#[doc = include_str!("../docs/view.md")]
#[proc_macro_derive(CoreView, attributes(view))]
pub fn core_view(item: TokenStream) -> TokenStream {
    view::derive(item, Root::Core)
}

#[doc = include_str!("../docs/params.md")]
#[proc_macro_derive(Params)]
pub fn params(item: TokenStream) -> TokenStream {
    params::derive(item, Root::Facade)
}

#[doc = include_str!("../docs/params.md")]
#[proc_macro_derive(CoreParams)]
pub fn core_params(item: TokenStream) -> TokenStream {
    params::derive(item, Root::Core)
}

#[doc = include_str!("../docs/save.md")]
#[proc_macro_derive(Save, attributes(thing))]
pub fn save(item: TokenStream) -> TokenStream {
    save::derive(item, Root::Facade)
}

#[doc = include_str!("../docs/save.md")]
#[proc_macro_derive(CoreSave, attributes(thing))]
pub fn core_save(item: TokenStream) -> TokenStream {
    save::derive(item, Root::Core)
}

#[doc = include_str!("../docs/inspect.md")]
#[proc_macro_derive(Inspect, attributes(thing))]
pub fn inspect(item: TokenStream) -> TokenStream {
    inspect::derive(item, Root::Facade)
}

#[doc = include_str!("../docs/inspect.md")]
#[proc_macro_derive(CoreInspect, attributes(thing))]
pub fn core_inspect(item: TokenStream) -> TokenStream {
    inspect::derive(item, Root::Core)
}
