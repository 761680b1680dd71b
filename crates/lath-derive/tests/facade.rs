//! `Thing` reaches `lath-core` through the facade only.
//!
//! This test crate calls itself `lath` and offers just the names that the macro may use, so it also shows that no
//! others are needed. What the macro accepts and refuses is tested in `lath-core`, in `tests/derive.rs`.

#![expect(unsafe_code, reason = "declares the unsafe traits that the macro implements; holds no unsafe block")]

extern crate self as lath;

use lath_derive::Thing;

#[doc(hidden)]
pub mod __private {
    pub mod lath_core {
        pub struct Rows<T>(core::marker::PhantomData<T>);
        pub struct NoTags;

        pub trait Thing: Default + Sized + 'static {
            type Bits;
            const INDEX_BITS: u32;
            const KIND_BITS: u32 = 0;
            type Storage;
            type Tags;
            fn tags(&self) -> Self::Tags {
                unreachable!()
            }
            fn put_tags(&mut self, _: Self::Tags) {}
            fn kind(&self) -> u32 {
                0
            }
        }

        pub unsafe trait Field {
            type Thing;
            type Value;
            const INDEX: usize;
        }

        pub struct FieldInfo {
            pub name: &'static str,
            pub offset: usize,
            pub size: usize,
            pub align: usize,
            pub home: Home,
        }

        pub enum Home {
            Column,
            Hot,
            Cold,
        }

        pub unsafe trait Fields: Thing {
            const FIELDS: &'static [FieldInfo];
            const TAGS_FIELD: Option<usize> = None;
            fn visit<V: FieldVisitor<Self>>(visitor: &mut V);
        }

        pub trait FieldVisitor<T: Fields> {
            fn field<F: Field<Thing = T>>(&mut self);
        }
    }
}

use __private::lath_core::{Field, FieldVisitor, Fields, Home, Thing};

#[derive(Thing, Default)]
struct Ship;

#[derive(Thing, Default)]
#[thing(rows, handle(bits = 16, kind = 3))]
struct Item {
    #[thing(kind)]
    sort: i8,
    #[thing(cold)]
    name: String,
}

struct Count(usize);

impl<T: Fields> FieldVisitor<T> for Count {
    fn field<F: Field<Thing = T>>(&mut self) {
        self.0 += 1;
    }
}

#[test]
fn the_facade_finds_every_name_that_it_needs() {
    fn keeps_rows<T: Thing<Bits = B, Storage = __private::lath_core::Rows<T>>, B>() {}
    keeps_rows::<Ship, u64>();
    keeps_rows::<Item, u16>();
    assert_eq!((Ship::INDEX_BITS, Ship::KIND_BITS, Ship.kind()), (32, 0, 0));
    assert_eq!((Item::INDEX_BITS, Item::KIND_BITS, Item { sort: 5, ..Default::default() }.kind()), (10, 3, 5));

    let mut count = Count(0);
    Item::visit(&mut count);
    Ship::visit(&mut count);
    assert_eq!((count.0, <item::name as Field>::INDEX), (2, 1));
    assert!(matches!(Item::FIELDS[1].home, Home::Cold));
}
