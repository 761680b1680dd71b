//! Bounds, where clauses, const parameters and defaults.
#![allow(dead_code)]

use lath_core::{Handle, Thing};

#[derive(Thing, Default)]
struct Bounded<X: Default + 'static> {
    value: X,
}

/// A thing exactly when the parameter is `Default` and borrows nothing.
#[derive(Thing, Default)]
struct Unbounded<X> {
    value: X,
}

#[derive(Thing, Default)]
struct Linked<X: Default + 'static> {
    value: X,
    next: Handle<Linked<X>>,
    first: Handle<Self>,
}

#[derive(Thing)]
#[thing(handle(bits = 32, kind = 1))]
struct Grid<X: Copy + Into<u64> = u8, const N: usize = { 2 + 2 }, const LESS: char = '<',>
where
    X: Default,
    [X; N]: Sized,
{
    cells: [X; N],
    #[thing(kind)]
    inside: bool,
}

impl<X: Copy + Into<u64> + Default, const N: usize, const LESS: char> Default for Grid<X, N, LESS> {
    fn default() -> Self {
        Self { cells: [X::default(); N], inside: false }
    }
}

#[derive(Thing, Default)]
struct Wrapped<X, F: Fn(&X) -> Vec<X> = fn(&X) -> Vec<X>>(Option<F>, X)
where
    X: for<'a> PartialEq<&'a str> + Iterator<Item = Vec<u8>>,
    for<'a> &'a X: Sized,;

#[derive(Thing, Default)]
struct Marked<X>
where
    X: ?Sized + 'static,
{
    mark: std::marker::PhantomData<X>,
}

#[derive(Thing, Default)]
struct UnitWhere
where
    Self: Sized;

fn main() {
    fn is_thing<T: Thing>() {}
    is_thing::<Bounded<String>>();
    is_thing::<Unbounded<u8>>();
    is_thing::<Linked<f32>>();
    is_thing::<Grid<u8>>();
    is_thing::<Grid<u32, 9, '>'>>();
    is_thing::<Marked<u8>>();
    is_thing::<UnitWhere>();
    assert_eq!(Grid::<u8> { inside: true, ..Default::default() }.kind(), 1);
}
