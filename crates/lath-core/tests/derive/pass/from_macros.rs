//! Structs that a `macro_rules!` wrote: what its variables stood for arrives wrapped in invisible
//! groups.
#![allow(dead_code)]

use lath_core::Thing;

macro_rules! thing {
    ($(#[$meta:meta])* $vis:vis struct $name:ident<$param:ident: $bound:path> { $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $ty:ty),* }) => {
        #[derive(Thing, Default)]
        $(#[$meta])*
        $vis struct $name<$param: $bound> { $($(#[$field_meta])* $field_vis $field: $ty),* }
    };
    (tuple $(#[$meta:meta])* $vis:vis $name:ident, $bits:literal, $index:expr, $kind:literal, $($field_vis:vis $ty:ty),*) => {
        $(#[$meta])*
        #[derive(Thing, Default)]
        #[thing(handle(bits = $bits, index = $index, kind = $kind))]
        $vis struct $name($($field_vis $ty,)* #[thing(kind)] u8);
    };
    ($item:item) => {
        #[derive(Thing, Default)]
        $item
    };
}

thing! {
    #[thing(handle(bits = 32, kind = 2))]
    pub struct Wrapped<X: Default> {
        #[thing(kind)]
        kind: u8,
        pub inner: Vec<(u8, X)>,
        pub(crate) other: [u8; 3]
    }
}

thing!(tuple #[allow(unused)] Tuple, 32, 12, 3, Vec<u8>, pub (f32, f32), pub(crate) Option<u8>);

thing!(
    #[thing(handle(bits = 16))]
    pub(crate) struct Whole { a: u8, b: Vec<u8> }
);

fn main() {
    assert_eq!(Wrapped::<u8> { kind: 3, ..Default::default() }.kind(), 3);
    assert_eq!((Wrapped::<u8>::INDEX_BITS, Wrapped::<u8>::KIND_BITS), (20, 2));
    assert_eq!(Tuple(vec![], (0.0, 0.0), None, 6).kind(), 6);
    assert_eq!((Tuple::INDEX_BITS, Tuple::KIND_BITS), (12, 3));
    assert_eq!(Whole::INDEX_BITS, 10);
}
