//! Views on named fields: access, filters, items.
#![deny(warnings)]

use lath_core::bitflags::bitflags;
use lath_core::{Field, Handle, Pool, View};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub struct Tags: u8 {
        const MOVES = 1;
        const ITEM = 2;
        const FROZEN = 4;
    }
}

mod game {
    use super::Tags;

    #[derive(lath_core::Thing, Default)]
    pub struct Actor {
        #[thing(tags)]
        pub tags: Tags,
        pub pos: f32,
        pub vel: f32,
        pub name: String,
        pub r#type: u8,
    }

    #[derive(lath_core::Thing, Default)]
    #[thing(module = renamed)]
    pub struct Other {
        pub a: u8,
    }

    /// Everyone may use it, though not the fields that it is made of.
    #[derive(lath_core::Thing, Default)]
    pub struct Vault {
        gold: u32,
    }

    #[derive(lath_core::View)]
    #[view(Vault)]
    pub struct Robbery<'a> {
        gold: &'a mut u32,
    }

    impl Robbery<'_> {
        pub fn take(self) -> u32 {
            std::mem::take(self.gold)
        }
    }
}

use game::{Actor, actor};

#[derive(View)]
#[view(Actor, with = Tags::MOVES, without = Tags::FROZEN)]
struct Moving<'a> {
    pos: &'a mut f32,
    vel: &'a f32,
    who: Handle<Actor>,
}

/// The path, an operator in a constant, and every spelling of the types.
#[derive(View)]
#[view(game::Actor, without = Tags::MOVES | Tags::FROZEN.union(Tags::empty()), with = { const ITEM: Tags = Tags::ITEM; ITEM })]
struct Lying<'thing> {
    r#type: &'thing u8,
    tags: &'thing Tags,
    name: &'thing mut std::string::String,
    me: lath_core::Handle<game::Actor>,
}

#[derive(View)]
#[view(crate::game::Other, module = crate::game::renamed)]
struct Renamed<'a> {
    a: &'a u8,
}

fn bit<F: Field>() -> u64 {
    1 << F::INDEX
}

fn main() {
    assert_eq!((Moving::READS, Moving::WRITES), (bit::<actor::vel>(), bit::<actor::pos>()));
    assert_eq!((Moving::WITH, Moving::WITHOUT), (1, 4));
    assert_eq!((Lying::READS, Lying::WRITES), (bit::<actor::r#type>() | bit::<actor::tags>(), bit::<actor::name>()));
    assert_eq!((Lying::WITH, Lying::WITHOUT), (2, 1 | 4));
    assert_eq!((Renamed::READS, Renamed::WITH, Renamed::WITHOUT), (1, 0, 0));

    let mut actors = Pool::new();
    let actor = |tags| Actor { tags, vel: 2.0, r#type: 3, ..Default::default() };
    let [a, b, c] = [Tags::MOVES, Tags::MOVES | Tags::FROZEN, Tags::ITEM].map(|tags| actors.spawn(actor(tags)));

    let mut moved = Vec::new();
    actors.view_mut::<Moving>().each(|Moving { pos, vel, who }| {
        *pos += *vel;
        moved.push(who);
    });
    assert_eq!(moved, [a]);
    assert_eq!([a, b, c].map(|actor| actors.read(actor).pos), [2.0, 0.0, 0.0]);

    actors.view_mut::<Lying>().each(|lying| *lying.name = format!("{:?} {} {:?}", lying.tags, lying.r#type, lying.me));
    assert_eq!(actors.read(c).name, format!("Tags(ITEM) 3 {c:?}"));
    assert_eq!(actors.read(a).name, "");

    let mut others = Pool::new();
    others.spawn(game::Other { a: 7 });
    others.view_mut::<Renamed<'_>>().each(|other| assert_eq!(*other.a, 7));

    let mut vaults: Pool<game::Vault> = Pool::new();
    vaults.spawn(Default::default());
    vaults.view_mut::<game::Robbery>().each(|robbery| assert_eq!(robbery.take(), 0));
}
