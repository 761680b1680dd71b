//! `#[derive(Thing)]`, in rows and in columns: fields are what their markers say.

use std::any::TypeId;
use std::mem::{align_of, offset_of, size_of};

use lath_core::bitflags::bitflags;
use lath_core::{Field, FieldVisitor, Fields, Handle, Mut, Pool, Ref, Thing, View};
use lath_inspect::Inspect;
use lath_schedule::{Local, Params, Query, Res, ResMut, Schedule, World};
use lath_snapshot::Save;
use lath_tricks::{by_spacing, by_turns, prefix, replace_by};

use super::Kind;

/// The facts about every field, as the compiler has them.
struct Facts(Vec<(&'static str, TypeId, usize, usize)>);

impl<T: Fields> FieldVisitor<T> for Facts {
    fn field<F: Field<Thing = T>>(&mut self) {
        let info = T::FIELDS[F::INDEX];
        assert_eq!(info.size, size_of::<F::Value>());
        assert_eq!(info.align, align_of::<F::Value>());
        self.0.push((F::NAME, TypeId::of::<F::Value>(), info.offset, info.size));
    }
}

fn facts<T: Fields>() -> Vec<(&'static str, TypeId, usize, usize)> {
    let mut facts = Facts(Vec::new());
    T::visit(&mut facts);
    facts.0
}

/// `facts` of these fields of a struct, whose types are these.
macro_rules! assert_facts {
    ($thing:ty { $($field:tt: $ty:ty),* $(,)? }) => {
        assert_eq!(
            facts::<$thing>(),
            [$((
                stringify!($field).trim_start_matches("r#"),
                TypeId::of::<$ty>(),
                offset_of!($thing, $field),
                size_of::<$ty>(),
            )),*]
        )
    };
}

#[test]
fn self_in_a_macro_is_the_struct_and_not_its_marker() {
    #[derive(Thing, Save, Default)]
    struct Sly {
        value: kind_of_me!(),
        more: nested!(),
        next: Handle<Self>,
    }
    impl Kind for Sly {
        type Type = u64;
    }
    impl Kind for sly::value {
        type Type = String;
    }
    impl Kind for sly::more {
        type Type = [String; 9];
    }
    assert_facts!(Sly { value: u64, more: Option<u64>, next: Handle<Sly> });

    let mut pool = Pool::new();
    pool.spawn(Sly { value: 7, more: Some(8), next: Handle::NIL });
    pool.view_mut::<(Ref<sly::value>, Ref<sly::more>)>().each(|(value, more)| {
        assert_eq!((*value, *more), (7, Some(8)));
    });
}

#[test]
fn self_in_columns_is_the_struct_and_not_its_references() {
    #[derive(Thing, Default)]
    #[thing(columns)]
    struct Sly {
        value: kind_of_me!(),
        #[thing(hot)]
        more: nested!(),
        #[thing(cold)]
        far: nested!(),
    }
    impl Kind for Sly {
        type Type = u64;
    }
    impl Kind for sly::value {
        type Type = String;
    }
    impl Kind for SlyRef<'_> {
        type Type = [u64; 5];
    }
    impl Kind for SlyMut<'_> {
        type Type = [u64; 7];
    }
    assert_facts!(Sly { value: u64, more: Option<u64>, far: Option<u64> });

    let mut pool = Pool::new();
    let sly = pool.spawn(Sly { value: 7, more: Some(8), far: None });
    let SlyRef { value, more, far } = pool.read(sly);
    assert_eq!((*value, *more, *far), (7, Some(8), None));
    assert!(pool.set::<sly::far>(sly, Some(9)).is_ok());
    let SlyMut { far, .. } = pool.get_mut(sly).unwrap();
    assert_eq!(far.copied(), Some(Some(9)));
}

#[test]
fn a_macro_is_shown_the_tokens_that_are_in_the_struct() {
    #[derive(Thing)]
    struct Sly {
        boxed: two_faced!(Self: Box<[u64; 100]>, [u64; 100]),
        named: two_faced!(Self: String, u64),
        text: two_faced!(Self: for<'a> fn(&'a str) -> &'a str, fn(&'static str) -> &'static str),
    }
    impl Default for Sly {
        fn default() -> Self {
            Self { boxed: Box::new([1; 100]), named: String::new(), text: |text| text }
        }
    }
    assert_facts!(Sly {
        boxed: Box<[u64; 100]>,
        named: String,
        text: for<'a> fn(&'a str) -> &'a str,
    });

    let mut pool = Pool::new();
    pool.spawn(Sly { named: "Ada".into(), ..Sly::default() });
    pool.view_mut::<(Ref<sly::boxed>, Mut<sly::named>)>().each(|(boxed, named)| {
        assert_eq!((boxed[99], named.as_str()), (1, "Ada"));
    });
}

#[test]
fn spaces_between_tokens_are_those_of_the_struct() {
    macro_rules! spaced {
        (>>) => {
            u64
        };
        (> >) => {
            String
        };
    }
    macro_rules! forwarded {
        ($name:ident, $ty:ty, $sign:tt) => {
            #[derive(Thing, Default)]
            struct $name {
                a: by_spacing!($ty),
                b: by_spacing!($sign),
                c: $ty,
            }
        };
    }
    #[derive(Thing, Default)]
    struct Sly {
        joined: spaced!(>>),
        apart: spaced!(> >),
        seen: by_spacing!(Vec<Vec<u8>>),
        alone: by_spacing!(Vec<u8>),
    }
    assert_facts!(Sly {
        joined: u64,
        apart: String,
        seen: by_spacing!(Vec<Vec<u8>>),
        alone: by_spacing!(Vec<u8>),
    });
    forwarded!(Forwarded, Option<Vec<u8>>, +=);
    let all = facts::<Forwarded>();
    assert_eq!(all[2].1, TypeId::of::<Option<Vec<u8>>>());
    assert_eq!(all[0].3, size_of_val(&Forwarded::default().a));
    assert_eq!(all[1].3, size_of_val(&Forwarded::default().b));
}

#[test]
fn raw_identifiers_are_names_like_others() {
    #[derive(Thing, Save, Default)]
    #[thing(columns, module = r#mod)]
    #[allow(non_camel_case_types)]
    struct r#struct {
        r#type: u32,
        r#match: String,
    }
    #[derive(View)]
    #[view(r#struct, module = r#mod)]
    struct Looks<'r#a> {
        r#type: &'r#a mut u32,
        r#match: &'r#a String,
    }
    let mut pool = Pool::new();
    let it = pool.spawn(r#struct { r#type: 1, r#match: "x".into() });
    pool.view_mut::<Looks>().each(|looks| *looks.r#type += looks.r#match.len() as u32);
    assert_eq!((*pool.read(it).r#type, r#struct::NAME), (2, "struct"));
    assert_facts!(r#struct { r#type: u32, r#match: String });
}

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq)]
    struct Flags: u8 { const A = 1; const B = 2; }
}

#[test]
fn fields_and_attributes_that_are_configured_away_are_not_there() {
    #[derive(Thing, Save, Default)]
    #[cfg_attr(all(), thing(columns, handle(bits = 32)), repr(C))]
    struct Actor {
        #[cfg(any())]
        gone: String,
        a: u8,
        #[cfg_attr(all(), thing(tags))]
        flags: Flags,
        #[cfg(not(any()))]
        #[cfg_attr(any(), thing(hot))]
        #[cfg_attr(all(), thing(cold))]
        b: u64,
    }
    assert_facts!(Actor { a: u8, flags: Flags, b: u64 });
    assert_eq!(Actor::FIELDS[2].home, lath_core::Home::Cold);
    assert_eq!(size_of::<Handle<Actor>>(), 4);
    let mut pool = Pool::new();
    let actor = pool.spawn(Actor { flags: Flags::B, b: 3, a: 1 });
    assert!(pool.has(actor, Flags::B));
    assert_eq!((*pool.read(actor).b, *pool.read(actor).a), (3, 1));
}

#[test]
fn a_layout_that_is_asked_for_is_the_one_that_is_described() {
    #[derive(Thing, Default)]
    #[repr(C, align(64))]
    struct Aligned(u8, u64, u16);
    #[derive(Thing, Default)]
    #[prefix(#[repr(C)])]
    struct Later(u8, u64, u16);
    #[derive(Thing, Default)]
    #[repr(transparent)]
    struct Thin((), u64);
    fn offsets<T: Fields>() -> Vec<usize> {
        facts::<T>().iter().map(|fact| fact.2).collect()
    }
    assert_eq!((offsets::<Aligned>(), align_of::<Aligned>()), (vec![0, 8, 16], 64));
    assert_eq!(offsets::<Later>(), [0, 8, 16]);
    assert_eq!(offsets::<Thin>(), [offset_of!(Thin, 0), 0]);
}

#[test]
fn a_struct_that_an_attribute_has_changed_is_described_as_it_is() {
    // The other order, and an alias of something else.
    #[derive(Thing)]
    #[replace_by(
        #[derive(Default)]
        #[repr(C)]
        struct Turned { b: u64, a: u8 }
    )]
    struct Turned {
        a: u8,
        b: u64,
    }
    #[derive(Thing)]
    #[replace_by(
        type Renamed = Another;
        #[derive(Default)]
        #[repr(C)]
        struct Another { b: u64, a: u8 }
    )]
    struct Renamed {
        a: u8,
        b: u64,
    }
    assert_facts!(Turned { a: u8, b: u64 });
    assert_facts!(Renamed { a: u8, b: u64 });
    let mut pool = Pool::new();
    pool.spawn(Turned { a: 1, b: 2 });
    pool.view_mut::<(Ref<turned::a>, Ref<turned::b>)>().each(|(a, b)| assert_eq!((*a, *b), (1, 2)));
}

#[test]
fn generic_parameters_may_be_called_like_what_is_around_them() {
    #[derive(Thing, Save, Default)]
    struct Ship<Value, Type, Thing, Item, const INDEX: usize>
    where
        Value: Default + Clone + lath_snapshot::SavedValue + 'static,
        Type: Default + Clone + lath_snapshot::SavedValue + 'static,
        Thing: Default + Clone + lath_snapshot::SavedValue + 'static,
        Item: Default + Clone + lath_snapshot::SavedValue + 'static,
    {
        value: Value,
        r#type: Type,
        thing: Thing,
        item: Item,
    }
    #[derive(View)]
    #[view(Ship<Base, Thing, Item, Type, 3>)]
    struct Looks<'thing, Base, Thing, Item, Type>
    where
        Base: Default + Clone + lath_snapshot::SavedValue + 'static,
        Thing: Default + Clone + lath_snapshot::SavedValue + 'static,
        Item: Default + Clone + lath_snapshot::SavedValue + 'static,
        Type: Default + Clone + lath_snapshot::SavedValue + 'static,
    {
        value: &'thing mut Base,
        r#type: &'thing Thing,
        thing: &'thing Item,
        item: &'thing Type,
    }
    #[derive(Params)]
    struct Asks<'w, 's, State, Param, Item>
    where
        State: Send + Sync + 'static,
        Param: Send + Sync + 'static,
        Item: Send + Sync + Default + 'static,
    {
        state: Res<'w, State>,
        param: ResMut<'w, Param>,
        item: Local<'s, Item>,
    }
    type Small = Ship<u8, u16, u32, u64, 3>;
    assert_facts!(Small { value: u8, r#type: u16, thing: u32, item: u64 });

    let mut pool = Pool::new();
    pool.spawn(Small { item: 5, ..Default::default() });
    pool.view_mut::<Looks<u8, u16, u32, u64>>().each(|looks| {
        let Looks { value, r#type, thing, item } = looks;
        *value += *item as u8 + *r#type as u8 + *thing as u8;
    });
    pool.view_mut::<Ref<ship::value<u8, u16, u32, u64, 3>>>().each(|value| assert_eq!(*value, 5));

    let mut world = World::new();
    world.insert(3u8);
    world.insert(4u16);
    let mut schedule = Schedule::new();
    schedule.add(|mut asks: Asks<u8, u16, u32>| {
        *asks.item += 1;
        *asks.param += u16::from(*asks.state) + *asks.item as u16;
    });
    schedule.run(&mut world);
    assert_eq!(*world.resource::<u16>(), 8);
}

/// Methods that anything has, under the names of those that generated code calls.
mod everything_has {
    #[allow(dead_code)] // by nobody, which is the point
    pub(crate) trait Methods: Sized {
        fn get<M>(self) -> u8 {
            0
        }
        fn cold<M>(self) -> u8 {
            0
        }
        fn cold_or_default<M>(self) -> u8 {
            0
        }
        fn ask<M>(self) {}
        fn into_inner(self) -> u8 {
            0
        }
        fn clone(self) -> u8 {
            0
        }
        fn default() -> u8 {
            0
        }
        fn field<M>(self) {}
        fn visit<M>(self) {}
        fn raw(&self) {}
        fn relink(&mut self) {}
        fn show(self) {}
        fn json(self) {}
        fn number(self) {}
        fn flags(self) {}
        fn link(self) {}
    }
    impl<T> Methods for T {}
}

#[test]
fn methods_that_anything_has_are_not_called() {
    #[allow(unused_imports)] // nobody finds them, which is the point
    use everything_has::Methods as _;

    #[derive(Thing, Save, Inspect, Default)]
    #[thing(columns)]
    struct Actor {
        pos: f32,
        #[thing(cold)]
        name: String,
        next: Handle<Self>,
    }
    #[derive(View)]
    #[view(Actor)]
    struct Looks<'a> {
        pos: &'a mut f32,
        name: Option<&'a String>,
    }
    #[derive(Params)]
    struct Moves<'w> {
        looks: Query<'w, Looks<'w>>,
        wind: Res<'w, f32>,
    }
    let mut world = World::new();
    world.insert(2.0f32);
    let actor = world.spawn(Actor { pos: 1.0, name: "Ada".into(), next: Handle::NIL });
    let mut schedule = Schedule::new();
    schedule.add(|mut moves: Moves| {
        let wind = *moves.wind;
        moves.looks.each(|looks| *looks.pos += wind + looks.name.map_or(0.0, |_| 0.5));
    });
    schedule.run(&mut world);
    let ActorRef { pos, name, next } = world.read(actor);
    assert_eq!((*pos, name.as_str(), *next), (3.5, "Ada", Handle::NIL));
}

/// Names of our own, and of the prelude, for things of the user's.
#[test]
fn names_of_fields_modules_and_types_do_not_matter() {
    #[derive(Default, Clone, PartialEq, Debug)]
    struct String(u8);
    #[derive(Default, Clone, PartialEq, Debug)]
    struct Option(u16);
    #[derive(Default, Clone, PartialEq, Debug)]
    struct Exactly(u32);
    type Box = u64;
    type Self_ = u8;
    #[derive(Thing, Default)]
    #[thing(columns)]
    struct Actor {
        actor: String,
        lath_core: Option,
        #[thing(cold)]
        core: Exactly,
        derive: Box,
        __0: Self_,
    }
    assert_facts!(Actor { actor: String, lath_core: Option, core: Exactly, derive: u64, __0: u8 });
    let mut pool = Pool::new();
    let actor = pool.spawn(Actor { core: Exactly(3), derive: 4, ..Default::default() });
    assert_eq!((pool.read(actor).core, *pool.read(actor).derive), (&Exactly(3), 4));
}

/// A field is expanded in the struct and in one `impl`, where it is compared with the struct; if
/// anything else did so again, it would be told something else here.
#[test]
fn the_type_of_a_field_is_asked_for_once() {
    #[derive(Thing, Save, Inspect)]
    struct Row<X: Default + Clone + lath_snapshot::SavedValue + Send + Sync + 'static> {
        text: by_turns!(row: String; String; u64; u64; u64; u64; u64; u64),
        other: X,
    }
    // The compiler's own derive refuses such a struct.
    impl<X: Default + Clone + lath_snapshot::SavedValue + Send + Sync + 'static> Default for Row<X> {
        fn default() -> Self {
            Self { text: String::new(), other: X::default() }
        }
    }
    #[derive(Thing, Save, Inspect, Default)]
    #[thing(columns)]
    struct Column {
        text: by_turns!(column: String; String; u64; u64; u64; u64; u64; u64),
        #[thing(hot)]
        hot: by_turns!(hot: String; String; u64; u64; u64; u64; u64; u64),
        #[thing(cold)]
        cold: by_turns!(cold: String; String; u64; u64; u64; u64; u64; u64),
    }
    assert_facts!(Row<u8> { text: String, other: u8 });
    assert_facts!(Column { text: String, hot: String, cold: String });
    let mut pool = Pool::new();
    let column = pool.spawn(Column { text: "a".into(), hot: "b".into(), cold: "c".into() });
    let plain = pool.spawn(Column::default());
    let ColumnRef { text, hot, cold } = pool.read(column);
    assert_eq!([text, hot, cold], ["a", "b", "c"]);
    assert_eq!(pool.read(plain).cold, "");
    assert!(pool.get_mut(plain).unwrap().cold.is_none());
}
