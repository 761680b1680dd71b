//! Named, tuple and unit structs, with everything around the fields that is not for us.
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types)]

use lath_core::Thing;

/// A doc comment, with `#[thing(nonsense)]` in it.
#[derive(Default, Thing)]
#[must_use]
#[rustfmt::skip]
pub struct Ship {
    /// Another one.
    #[allow(unused)]
    pub hull: f32,
    pub(crate) name: String,
    pub(self) cargo: Vec<(u8, [u16; 4])>,
    crew: std::collections::BTreeMap<String, Vec<Option<u8>>>,
    aim: Option<fn(&str, u8) -> Vec<u8>>,
    captain: Option<Box<dyn for<'a> Fn(&'a str) -> &'a str + Send>>,
    home: <Vec<u8> as IntoIterator>::IntoIter,
}

#[derive(Thing, Default)]
#[thing()]
struct Empty {}

#[derive(Thing, Default)]
#[thing(rows,)]
struct Unit;

#[derive(Thing, Default)]
struct Nothing();

#[derive(Thing, Default)]
struct Pair(pub (f32, f32), pub(crate) (u8,), #[allow(unused)] pub(self) Option<Vec<u8>>);

#[derive(Thing, Default)]
#[thing(module = type_fields)]
struct r#type {
    r#fn: u8,
    r#thing: u8,
}

pub mod inner {
    #[derive(lath_core::Thing, Default)]
    pub(super) struct Hidden {
        pub(super) a: u8,
        pub(in crate::inner) b: u8,
    }
}

fn main() {
    fn is_plain<T: Thing<Bits = u64>>() {
        assert_eq!((T::INDEX_BITS, T::KIND_BITS, T::default().kind()), (32, 0, 0));
    }
    is_plain::<Ship>();
    is_plain::<Empty>();
    is_plain::<Unit>();
    is_plain::<Nothing>();
    is_plain::<Pair>();
    is_plain::<r#type>();
    is_plain::<inner::Hidden>();
}
