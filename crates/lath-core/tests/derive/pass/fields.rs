//! A marker for each field, seen exactly as far as the field, and the true facts about it.
#![allow(dead_code)]

use std::mem::{align_of, offset_of, size_of};

use lath_core::{Field, FieldInfo, FieldVisitor, Fields, Handle, Home, Thing};

#[derive(Thing, Default)]
struct Actor {
    pos: [f32; 2],
    #[thing(hot)]
    hp: u8,
    #[thing(cold)]
    name: String,
    next: Handle<Self>,
    r#type: u16,
    nothing: (),
}

#[derive(Thing, Default)]
struct Pair(u8, pub (f64, f32));

#[derive(Thing, Default)]
struct HTTPServer {
    port: u16,
}

#[derive(Thing, Default)]
struct Crate {
    mass: f32,
}

#[derive(Thing, Default)]
struct Type {
    r#fn: u8,
}

#[derive(Thing, Default)]
#[thing(module = other_name)]
struct Renamed {
    a: u8,
}

#[derive(Thing, Default)]
struct Unit;

/// The same module twice: once beside a function's own struct.
mod actor_in_function {
    use super::*;

    pub fn name() -> &'static str {
        #[derive(Thing, Default)]
        struct Actor {
            inner: Inner,
        }
        #[derive(Default)]
        struct Inner;
        <actor::inner as Field>::NAME
    }
}

mod game {
    pub mod actors {
        use lath_core::Thing;

        /// Seen by nobody outside: neither are the markers.
        #[derive(Default, Debug)]
        struct Secret;

        #[derive(Thing, Default)]
        pub struct Guard {
            secret: Secret,
            pub(self) own: Secret,
            pub(super) above: u8,
            pub(in super::super) far_above: u8,
            pub(in crate::game) by_path: u8,
            pub(crate) everywhere_here: u8,
            pub everywhere: u8,
        }

        /// Fields that say they can be seen further than their struct.
        #[derive(Thing, Default)]
        struct Modest {
            pub a: u8,
            pub(crate) b: u8,
            pub(super) c: u8,
            pub(in crate::game) d: u8,
            e: Secret,
        }

        #[derive(Thing, Default)]
        pub(super) struct Lower {
            pub a: u8,
            pub(crate) b: u8,
            pub(super) c: u8,
            pub(in crate::game) d: u8,
            e: Secret,
        }

        #[derive(Thing, Default)]
        pub(in crate::game) struct ByPath {
            pub a: u8,
            pub(crate) b: u8,
            pub(super) c: u8,
            pub(in crate::game::actors) d: Secret,
        }
    }

    pub fn index_above() -> usize {
        <actors::guard::above as lath_core::Field>::INDEX + <actors::lower::a as lath_core::Field>::INDEX
    }
}

struct Names(Vec<(usize, &'static str)>);

impl<T: Fields> FieldVisitor<T> for Names {
    fn field<F: Field<Thing = T>>(&mut self) {
        let info = T::FIELDS[F::INDEX];
        assert_eq!((info.size, info.align), (size_of::<F::Value>(), align_of::<F::Value>()));
        assert_eq!(info.name, F::NAME);
        self.0.push((F::INDEX, F::NAME));
    }
}

fn names<T: Fields>() -> Vec<(usize, &'static str)> {
    let mut names = Names(Vec::new());
    T::visit(&mut names);
    assert_eq!(names.0.len(), T::FIELDS.len());
    names.0
}

fn value_is<F: Field<Thing = T, Value = V>, T, V>() {}

fn main() {
    let fields = [(0, "pos"), (1, "hp"), (2, "name"), (3, "next"), (4, "type"), (5, "nothing")];
    assert_eq!(names::<Actor>(), fields);
    assert_eq!(names::<Pair>(), [(0, "0"), (1, "1")]);
    assert_eq!(names::<Unit>(), []);
    assert_eq!(names::<Type>(), [(0, "fn")]);

    value_is::<actor::pos, Actor, [f32; 2]>();
    value_is::<actor::next, Actor, Handle<Actor>>();
    value_is::<actor::r#type, Actor, u16>();
    value_is::<pair::_1, Pair, (f64, f32)>();
    value_is::<http_server::port, HTTPServer, u16>();
    value_is::<crate_::mass, Crate, f32>();
    value_is::<r#type::r#fn, Type, u8>();
    value_is::<other_name::a, Renamed, u8>();

    assert_eq!(
        Actor::FIELDS[1],
        FieldInfo { name: "hp", offset: offset_of!(Actor, hp), size: 1, align: 1, home: Home::Hot }
    );
    assert_eq!(Actor::FIELDS[2].home, Home::Cold);
    assert_eq!(Actor::FIELDS[0].home, Home::Column);
    assert_eq!(Pair::FIELDS[1].offset, offset_of!(Pair, 1));

    assert_eq!(actor_in_function::name(), "inner");
    assert_eq!(game::index_above(), 2);
    assert_eq!(<game::actors::guard::far_above as Field>::NAME, "far_above");
    assert_eq!(<game::actors::guard::everywhere_here as Field>::NAME, "everywhere_here");
}
