//! Every way to divide a handle, and what is assumed when nothing is said.
#![deny(warnings)]

use lath_core::{Handle, Thing};

macro_rules! thing {
    ($name:ident, $($handle:tt)*) => {
        #[derive(Thing, Default)]
        #[thing($($handle)*)]
        struct $name {}
    };
}

thing!(Plain,);
thing!(Said, handle(bits = 64, index = 32, kind = 0));
thing!(Empty, handle());
thing!(Middle, handle(bits = 32));
thing!(Little, handle(bits = 16,));
thing!(Most, handle(index = 3_1, bits = 32));
thing!(Least, handle(index = 1, bits = 64));

#[derive(Thing, Default)]
#[thing(rows)]
#[thing(handle(bits = 16, index = 8, kind = 7))]
struct Full {
    #[thing(kind)]
    kind: u8,
}

fn bits<T: Thing>() -> (usize, u32, u32) {
    (size_of::<Handle<T>>() * 8, T::INDEX_BITS, T::KIND_BITS)
}

fn main() {
    assert_eq!(bits::<Plain>(), (64, 32, 0));
    assert_eq!(bits::<Said>(), (64, 32, 0));
    assert_eq!(bits::<Empty>(), (64, 32, 0));
    assert_eq!(bits::<Middle>(), (32, 20, 0));
    assert_eq!(bits::<Little>(), (16, 10, 0));
    assert_eq!(bits::<Most>(), (32, 31, 0));
    assert_eq!(bits::<Least>(), (64, 1, 0));
    assert_eq!(bits::<Full>(), (16, 8, 7));
    assert_eq!(Full { kind: 100 }.kind(), 100);
}
