//! `ActorRef` and `ActorMut` for structs of every shape.
#![deny(warnings)]
#![allow(dead_code)]

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Pool, Thing, View};
use lath_soa::{CloneFields, Columnar, Columns};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub struct Tags: u16 {
        const A = 1;
        const B = 2;
    }
}

#[derive(Thing, Default, Clone)]
#[thing(columns, handle(kind = 2))]
pub struct Actor {
    #[thing(tags)]
    tags: Tags,
    #[thing(kind)]
    sort: u8,
    #[thing(hot)]
    pub hp: f32,
    pub name: String,
    next: Handle<Self>,
    hook: Option<for<'a> fn(&'a str) -> &'a str>,
    r#type: (),
}

#[derive(Thing, Default)]
#[thing(columns)]
struct Pair(u8, pub Vec<u8>);

#[derive(Thing, Default)]
#[thing(columns)]
struct Unit;

#[derive(Thing, Default)]
#[thing(columns)]
struct Empty {}

#[derive(Thing, Default)]
#[thing(columns)]
struct EmptyTuple();

#[derive(Thing, Default)]
#[thing(columns)]
struct Grid<X, const N: usize>
where
    X: Copy + Default + 'static,
    [X; N]: Default,
{
    cells: [X; N],
    next: Handle<Self>,
}

/// Not a thing for every parameter, and to be cloned for some only.
#[derive(Thing, Default, Clone)]
#[thing(columns)]
struct Cell<V> {
    value: V,
}

/// Nothing that could be cloned, which is no error.
#[derive(Thing, Default)]
#[thing(columns)]
struct Unique {
    file: Option<std::fs::File>,
}

mod inner {
    #[derive(lath_core::Thing, Default)]
    #[thing(columns)]
    pub(crate) struct Guarded {
        pub(super) above: u8,
        private: u8,
    }

    impl GuardedRef<'_> {
        pub(crate) fn private(&self) -> u8 {
            *self.private
        }
    }
}

#[derive(View)]
#[view(Actor, with = Tags::A)]
struct Hurt<'a> {
    hp: &'a mut f32,
    name: &'a String,
    who: Handle<Actor>,
}

/// The references outlive the struct of them.
fn longest_lived<'a>(actor: ActorRef<'a>) -> &'a str {
    actor.name
}

fn is_columns<T: Columnar + Thing<Storage = Columns<T>>>() {}
fn can_be_cloned<T: CloneFields>() {}

fn main() {
    is_columns::<Actor>();
    is_columns::<Grid<u8, 3>>();
    is_columns::<Cell<String>>();
    is_columns::<Unique>();
    can_be_cloned::<Actor>();
    can_be_cloned::<Cell<Vec<u8>>>();

    let mut actors = Pool::new();
    let ada = actors.spawn(Actor { tags: Tags::A, sort: 1, hp: 3.0, name: "Ada".into(), ..Default::default() });
    let lin = actors.spawn(Actor { name: "Lin".into(), ..Default::default() });
    let look = actors.get(ada).unwrap();
    let copy = look;
    assert_eq!((look.hp, copy.tags, look.sort, longest_lived(copy)), (&3.0, &Tags::A, &1, "Ada"));

    let ActorMut { tags, sort, hp, name, next, hook: _, r#type } = actors.get_mut(ada).unwrap();
    let _: (&Tags, &u8, &mut ()) = (tags, sort, r#type);
    *hp += 1.0;
    name.push('!');
    *next = lin;
    let look = actors.read(ada);
    assert_eq!((*look.hp, look.name.as_str(), *look.next), (4.0, "Ada!", lin));

    let mut seen = Vec::new();
    actors.view_mut::<Hurt>().each(|Hurt { hp, name, who }| {
        *hp -= 1.0;
        seen.push((name.clone(), who));
    });
    assert_eq!(seen, [("Ada!".to_string(), ada)]);
    assert_eq!(*actors.read(ada).hp, 3.0);

    let mut pairs = Pool::new();
    let pair = pairs.spawn(Pair(1, vec![2]));
    pairs.get_mut(pair).unwrap().1.push(3);
    let PairRef(a, b) = pairs.get(pair).unwrap();
    assert_eq!((*a, &b[..]), (1, &[2, 3][..]));

    let mut units = Pool::new();
    let unit = units.spawn(Unit);
    assert!(units.get(unit).is_some() && units.get_mut(unit).is_some());

    let mut grids = Pool::new();
    let grid = grids.spawn(Grid { cells: [1, 2], next: Handle::NIL });
    grids.get_mut(grid).unwrap().cells[1] = 5;
    assert_eq!(grids.read(grid).cells, &[1, 5]);

    let mut guarded = Pool::new();
    let one = guarded.spawn(inner::Guarded::default());
    assert_eq!((guarded.read(one).private(), guarded.read(one).above), (0, &0));

    let clone = actors.clone();
    assert_eq!(clone.read(ada).name, actors.read(ada).name);
}
