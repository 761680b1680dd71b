//! Views of plain references are views for `slices`: generic ones, from macros, with private fields;
//! and others may be written all the same.
#![deny(warnings)]
#![forbid(unsafe_code)]

use lath_core::bitflags::bitflags;
use lath_core::{Mut, Pool, Ref, Thing, View};

bitflags! {
    #[derive(Clone, Copy, Default)]
    pub struct Tags: u8 {
        const MOVES = 1;
    }
}

#[derive(Thing, Default)]
#[thing(columns)]
pub struct Actor<X> {
    #[thing(tags)]
    tags: Tags,
    pos: f32,
    vel: f32,
    load: X,
    name: String,
}

macro_rules! reads {
    ($($view:ident $field:ident: $ty:ty,)*) => {$(
        #[derive(View)]
        #[view(Actor<u8>, with = Tags::MOVES)]
        pub struct $view<'a> {
            $field: &'a $ty,
        }
    )*};
}

reads! { Vel vel: f32, Load load: u8, Name name: String, }

#[derive(View)]
#[view(Actor<X>, without = Tags::MOVES)]
struct Generic<'x, X: Default + 'static> {
    load: &'x X,
    vel: &'x f32,
}

mod deep {
    #[derive(Clone, Copy, Default, PartialEq, Debug)]
    struct Secret(u8);

    #[derive(lath_core::Thing, Default)]
    #[thing(columns)]
    pub struct Safe {
        secret: Secret,
        pub(super) open: (u16, [u8; 2]),
        pub all: bool,
    }

    /// Private fields of private types, and others.
    #[derive(lath_core::View)]
    #[view(Safe)]
    pub struct Look<'look> {
        secret: &'look mut Secret,
        pub(super) open: &'look (u16, [u8; 2]),
        pub all: &'look mut bool,
    }

    pub fn change(pool: &mut lath_core::Pool<Safe>) {
        pool.view_mut::<Look>().slices(|look| look.secret.fill(Secret(3)));
        pool.view_mut::<Look>().each(|look| assert_eq!(*look.secret, Secret(3)));
    }
}

/// More fields than the largest tuple.
#[derive(Thing, Default)]
#[thing(columns)]
struct Wide { a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8 }

#[derive(View)]
#[view(Wide)]
struct WideView<'a> {
    a: &'a mut u8, b: &'a u8, c: &'a u8, d: &'a u8, e: &'a u8, f: &'a u8, g: &'a u8, h: &'a u8, i: &'a u8, j: &'a mut u8,
}

fn main() {
    let mut safes = Pool::new();
    safes.spawn(deep::Safe::default());
    deep::change(&mut safes);
    safes.view_mut::<deep::Look>().slices(|look| look.all.fill(look.open.len() == 1));
    safes.view_mut::<deep::Look>().each(|look| assert!(*look.all && look.open.0 == 0));

    let mut wides = Pool::new();
    wides.spawn(Wide { i: 7, ..Default::default() });
    wides.view_mut::<WideView>().slices(|wide| {
        wide.a.copy_from_slice(wide.i);
        wide.j.copy_from_slice(wide.i);
        assert_eq!([wide.b, wide.c, wide.d, wide.e, wide.f, wide.g, wide.h], [[0]; 7]);
    });
    wides.view_mut::<WideView>().each(|wide| assert_eq!((*wide.a, *wide.j, *wide.i, *wide.b), (7, 7, 7, 0)));

    let mut pool = Pool::new();
    let [ball, wall] = [Tags::MOVES, Tags::empty()].map(|tags| {
        pool.spawn(Actor { tags, pos: 0.0, vel: 1.0, load: 2_u8, name: "x".into() })
    });
    pool.view_mut::<(Mut<actor::pos<u8>>, Vel)>().each(|(mut pos, view)| *pos += view.vel);
    pool.view_mut::<(Mut<actor::pos<u8>>, Generic<u8>)>().each(|(mut pos, view)| *pos += f32::from(*view.load) * *view.vel);
    assert_eq!((*pool.read(ball).pos, *pool.read(wall).pos), (1.0, 2.0));
    pool.view_mut::<Name>().each(|view| assert_eq!(view.name, "x"));
    let mut seen = Vec::new();
    pool.view_mut::<Name>().slices(|view| seen.extend_from_slice(view.name));
    pool.view_mut::<(Load, Ref<actor::vel<u8>>)>().slices(|(view, vel)| assert_eq!((view.load, vel), (&[2][..], &[1.0][..])));
    pool.view_mut::<Generic<u8>>().slices(|view| assert_eq!(view.load.len(), view.vel.len()));
    assert_eq!(seen, ["x"]);
}
