//! `Thing` reaches `lath-core` through the facade only.
//!
//! This test crate calls itself `lath` and offers just the names that the macro may use, so it also shows that no
//! others are needed. What the macro accepts and refuses is tested in `lath-core`, in `tests/derive.rs`.

extern crate self as lath;

use lath_derive::Thing;

#[doc(hidden)]
pub mod __private {
    pub mod lath_core {
        pub struct Rows<T>(core::marker::PhantomData<T>);

        pub trait Thing: Default + Sized + 'static {
            type Bits;
            const INDEX_BITS: u32;
            const KIND_BITS: u32 = 0;
            type Storage;
            fn kind(&self) -> u32 {
                0
            }
        }
    }
}

use __private::lath_core::Thing;

#[derive(Thing, Default)]
struct Ship;

#[derive(Thing, Default)]
#[thing(rows, handle(bits = 16, kind = 3))]
struct Item {
    #[thing(kind)]
    sort: i8,
}

#[test]
fn the_facade_finds_every_name_that_it_needs() {
    fn keeps_rows<T: Thing<Bits = B, Storage = __private::lath_core::Rows<T>>, B>() {}
    keeps_rows::<Ship, u64>();
    keeps_rows::<Item, u16>();
    assert_eq!((Ship::INDEX_BITS, Ship::KIND_BITS, Ship.kind()), (32, 0, 0));
    assert_eq!((Item::INDEX_BITS, Item::KIND_BITS, Item { sort: 5 }.kind()), (10, 3, 5));
}
