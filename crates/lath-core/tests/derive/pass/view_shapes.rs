//! Views of generic things, with many fields, in functions and from macros.
#![deny(warnings)]

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Pool, Thing, View};

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u64 {
        const LAST = 1 << 63;
    }
}

#[derive(Thing, Default)]
struct Cell<X, const N: usize> {
    value: X,
    #[thing(tags)]
    tags: Tags,
}

#[derive(View)]
#[view(Cell<X, N>, with = Tags::LAST)]
struct Generic<'a, X: Default + 'static, const N: usize> {
    value: &'a mut X,
    tags: &'a Tags,
    who: Handle<Cell<X, N>>,
}

#[derive(View)]
#[view(Cell::<Vec<u8>, { 1 + 2 }>)]
struct Concrete<'a>
where
    Self: Sized,
{
    value: &'a Vec<u8>,
}

/// Nothing but a handle: a filter, which borrows nothing.
#[derive(View)]
#[view(Cell<X, N>, with = Tags::LAST)]
struct Last<X: Default + 'static, const N: usize> {
    who: Handle<Cell<X, N>>,
}

/// Bounds of every kind.
#[derive(View)]
#[view(Cell<X, 1>)]
struct Bounded<'a, X = u8>
where
    X: 'a + PartialEq<Y<X>>,
    Y<X>: Copy,
{
    value: &'a X,
}

#[derive(Clone, Copy)]
struct Y<X>(X);

impl PartialEq<Y<u8>> for u8 {
    fn eq(&self, other: &Y<u8>) -> bool {
        *self == other.0
    }
}

macro_rules! wide {
    ($thing:ident $view:ident $($field:ident)*) => {
        #[derive(Thing, Clone)]
        pub struct $thing {
            $(pub $field: u8,)*
        }

        impl Default for $thing {
            fn default() -> Self {
                Self { $($field: 1),* }
            }
        }

        #[derive(View)]
        #[view($thing)]
        pub struct $view<'a> {
            $(pub $field: &'a u8,)*
            pub who: Handle<$thing>,
        }

        impl $view<'_> {
            fn sum(&self) -> u32 {
                0 $(+ u32::from(*self.$field))*
            }
        }
    };
}

wide!(One OneView a);
wide!(Seven SevenView a b c d e f g);
wide!(Eight EightView a b c d e f g h);
wide!(Sixty SixtyView
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 aa ab ac ad ae af b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 ba bb bc bd be bf
    c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 ca cb cc cd ce cf d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 da db dc dd de df);

macro_rules! typed {
    ($view:ident, $thing:path, $value:ty, $with:expr) => {
        #[derive(View)]
        #[view($thing, with = $with)]
        struct $view<'a> {
            value: &'a mut $value,
        }
    };
}

typed!(Typed, Cell<u16, 2>, u16, Tags::LAST);

fn main() {
    let mut cells = Pool::new();
    let cell = cells.spawn(Cell::<_, 4> { value: 3, tags: Tags::LAST });
    cells.spawn(Cell { value: 3, tags: Tags::empty() });
    let mut seen = 0;
    cells.view_mut::<Generic<i32, 4>>().each(|Generic { value, tags, who }| {
        assert_eq!((who, tags.bits()), (cell, 1 << 63));
        *value += 1;
        seen += 1;
    });
    assert_eq!((cells.read(cell).value, seen), (4, 1));

    cells.view_mut::<(Last<i32, 4>, Mut<cell::value<i32, 4>>)>().each(|(last, mut value)| {
        assert_eq!(last.who, cell);
        *value += 1;
    });
    assert_eq!((cells.read(cell).value, cells.view::<Last<i32, 4>>().count()), (5, 1));

    let mut cells = Pool::new();
    cells.spawn(Cell { value: vec![1], tags: Tags::empty() });
    cells.view_mut::<Concrete>().each(|cell| assert_eq!(*cell.value, [1]));

    let mut cells = Pool::new();
    cells.spawn(Cell { value: 8_u8, tags: Tags::empty() });
    cells.view_mut::<Bounded>().each(|cell| assert!(*cell.value == Y(8)));

    let mut cells = Pool::new();
    let cell = cells.spawn(Cell { value: 8_u16, tags: Tags::LAST });
    cells.view_mut::<Typed>().each(|cell| *cell.value += 1);
    assert_eq!(cells.read(cell).value, 9);

    macro_rules! check {
        ($thing:ident $view:ident $sum:literal) => {
            let mut pool = Pool::new();
            let only = pool.spawn($thing::default());
            pool.view_mut::<$view>().each(|view| assert_eq!((view.sum(), view.who), ($sum, only)));
            assert_eq!($view::READS.count_ones(), $sum);
        };
    }
    check!(One OneView 1);
    check!(Seven SevenView 7);
    check!(Eight EightView 8);
    check!(Sixty SixtyView 64);

    #[derive(Thing, Default)]
    struct Local {
        a: u8,
    }

    #[derive(View)]
    #[view(Local)]
    struct LocalView<'a> {
        a: &'a mut u8,
    }

    let mut pool = Pool::new();
    let local = pool.spawn(Local::default());
    pool.view_mut::<LocalView>().each(|local| *local.a = 1);
    assert_eq!(pool.read(local).a, 1);
}
