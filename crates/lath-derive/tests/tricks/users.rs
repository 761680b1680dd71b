//! The derives of those who use things: `View`, `Params` and `Save`.

use lath_core::{Fields, Thing};
use lath_core::{Pool, View};
use lath_schedule::{Params, PlanError, Res, ResMut, Schedule, World};
use lath_snapshot::{Save, SaveWorld as _, Snapshot};
use lath_tricks::by_turns;

use super::Kind;

struct Wind(u32);

/// Whether a system can have two of these, and what else is in their way.
fn assert_alone<M>(twice: impl lath_schedule::IntoSystem<M>) {
    let error = Schedule::new().try_add(twice).err().expect("two parameters change one resource");
    assert!(matches!(error, PlanError::Conflict { .. }), "{error}");
    assert!(error.to_string().contains("resource `Wind`"), "{error}");
}

#[test]
fn a_macro_cannot_make_parameters_ask_for_less_than_they_get() {
    // Exclusive in the struct; a look, if that, for whoever writes the struct's name or another
    // lifetime.
    macro_rules! by_name {
        (Self) => { ResMut<'w, Wind> };
        ($name:ident::<$of:lifetime,>) => { by_lifetime!($of) };
    }
    macro_rules! by_lifetime {
        ('w) => { ResMut<'w, Wind> };
        ('static) => { lath_schedule::Local<'static, u8> };
        ($of:lifetime) => { ResMut<$of, Wind> };
    }
    macro_rules! look_by_name {
        (Self) => { ResMut<'w, Wind> };
        ($name:ident::<$of:lifetime,>) => { look_by_lifetime!($of) };
    }
    #[allow(unused_macros)]
    macro_rules! look_by_lifetime {
        ('w) => { Option<Res<'w, Wind>> };
        ($of:lifetime) => { ResMut<$of, Wind> };
    }
    #[derive(Params)]
    struct ByName<'w> {
        wind: by_name!(Self),
    }
    #[derive(Params)]
    struct ByLifetime<'w> {
        wind: by_lifetime!('w),
    }
    #[derive(Params)]
    struct Look<'w> {
        wind: look_by_name!(Self),
    }
    assert_alone(|mut a: ByName, mut b: ByName| std::mem::swap(&mut a.wind.0, &mut b.wind.0));
    assert_alone(|mut a: ByLifetime, b: Res<Wind>| a.wind.0 = b.0);
    assert_alone(|mut a: Look, mut b: Look| std::mem::swap(&mut a.wind.0, &mut b.wind.0));
    fn look(_: Res<Wind>) {}
    fn change(mut look: Look) {
        look.wind.0 += 1;
    }
    let mut schedule = Schedule::new();
    schedule.add((change, look));
    assert!(schedule.explain_pair("change", "look").unwrap().contains("waits for"));
}

#[test]
fn self_in_parameters_is_the_struct() {
    macro_rules! of_me {
        () => { ResMut<'w, <Self as Kind>::Type> };
    }
    #[derive(Params)]
    struct Sly<'w> {
        wind: of_me!(),
        again: (Option<Res<'w, <Self as Kind>::Type>>,),
    }
    impl Kind for Sly<'_> {
        type Type = Wind;
    }
    assert_alone(|sly: Sly| assert!(sly.again.0.is_some() || sly.wind.0 == 0));
}

#[test]
fn a_view_with_markers_of_other_names_uses_what_they_stand_for() {
    #[derive(View)]
    #[view(outer::Actor, module = outer::crossed)]
    struct Crossed<'x> {
        a: &'x mut String,
        b: &'x String,
    }
    let mut pool = Pool::new();
    let actor = pool.spawn(outer::Actor { a: "a".into(), b: "b".into() });
    pool.view_mut::<Crossed>().each(|crossed| {
        assert_eq!((crossed.a.as_str(), crossed.b.as_str()), ("b", "a"));
        crossed.a.push('!');
    });
    assert_eq!(pool.get(actor).unwrap().b, "b!");
    assert_eq!((Crossed::READS, Crossed::WRITES), (1 << 0, 1 << 1));
}

mod outer {
    #[derive(lath_core::Thing, Default)]
    pub(crate) struct Actor {
        pub(crate) a: String,
        pub(crate) b: String,
    }
    pub(crate) mod crossed {
        pub(crate) use super::actor::{a as b, b as a};
    }
}

mod picks {
    use super::by_turns_or_not::{Actor, actor};

    pub(crate) struct A;
    pub(crate) struct B;
    pub(crate) trait Pick {
        type Thing;
        type Field;
    }
    impl Pick for A {
        type Thing = Actor;
        type Field = actor::a;
    }
    impl Pick for B {
        type Thing = Actor;
        type Field = actor::b;
    }
    pub(crate) type Either<X> = <X as Pick>::Thing;
    #[allow(non_camel_case_types)]
    pub(crate) type field<X> = <X as Pick>::Field;
}

mod by_turns_or_not {
    #[derive(lath_core::Thing, Default)]
    pub(crate) struct Actor {
        pub(crate) a: u64,
        pub(crate) b: u64,
    }
}

#[test]
fn a_view_that_is_another_each_time_writes_what_it_says() {
    use by_turns_or_not::Actor;

    #[derive(View)]
    #[view(picks::Either<by_turns!(one: picks::A; picks::B)>, module = picks)]
    struct Picked<'x> {
        field: Option<&'x mut u64>,
    }
    // Asked once more in between, so that the turns are the others.
    #[derive(View)]
    #[view(picks::Either<by_turns!(two: picks::A; picks::B; picks::A)>, module = picks)]
    struct PickedAgain<'x> {
        field: Option<&'x mut u64>,
    }
    let mut pool = Pool::new();
    let actor = pool.spawn(Actor::default());
    pool.view_mut::<Picked>().each(|picked| *picked.field.unwrap() += 1);
    let Actor { a, b } = *pool.get(actor).unwrap();
    assert_eq!((Picked::READS, Picked::WRITES), (0, a | b << 1));
    pool.view_mut::<PickedAgain>().each(|picked| *picked.field.unwrap() += 4);
    let Actor { a, b } = *pool.get(actor).unwrap();
    assert_eq!((PickedAgain::READS, PickedAgain::WRITES), (0, a >> 2 | b >> 2 << 1));
}

#[test]
fn a_copy_is_made_of_the_types_that_the_fields_have() {
    #[derive(Thing, Save, Default)]
    struct Sly {
        plain: two_faced!(Self: u64, String),
        heap: two_faced!(Self: String, u64),
        mine: kind_of_me!(),
    }
    impl Kind for Sly {
        type Type = Vec<u8>;
    }
    impl Kind for sly::mine {
        type Type = u8;
    }
    assert_eq!(<Sly as lath_core::strips::Snap>::PLAIN, 1);
    let mut world = World::new();
    let sly = world.spawn(Sly { plain: 1, heap: "Ada".into(), mine: vec![2] });
    world.saves::<Sly>();
    let snapshot = Snapshot::take(&world).unwrap();
    *world.get_mut(sly).unwrap() = Sly::default();
    snapshot.restore(&mut world).unwrap();
    let sly = world.read(sly);
    assert_eq!((sly.plain, sly.heap.as_str(), sly.mine.as_slice()), (1, "Ada", &[2][..]));
}

#[test]
fn self_with_two_colons_is_the_struct() {
    macro_rules! as_many {
        () => {
            [u8; Self::MANY]
        };
    }
    #[derive(Thing, Save)]
    struct Sly {
        direct: [u8; Self::MANY],
        hidden: as_many!(),
    }
    impl Sly {
        const MANY: usize = 3;
    }
    impl sly::hidden {
        #[allow(dead_code)] // by nobody, which is the point
        const MANY: usize = 9;
    }
    impl Default for Sly {
        fn default() -> Self {
            Self { direct: [1; 3], hidden: [2; 3] }
        }
    }
    let sizes: Vec<_> = Sly::FIELDS.iter().map(|field| field.size).collect();
    assert_eq!(sizes, [3, 3]);
    let mut pool = Pool::new();
    let sly = pool.spawn(Sly::default());
    assert_eq!(pool.read(sly).hidden, [2; 3]);
}

#[test]
fn fields_of_views_and_parameters_may_be_raw_or_configured_away() {
    #[derive(Thing, Default)]
    #[thing(columns)]
    struct Actor {
        r#fn: u64,
        other: String,
    }
    #[derive(View)]
    #[cfg_attr(all(), view(Actor))]
    struct Looks<'a> {
        #[cfg(any())]
        gone: &'a u8,
        r#fn: &'a mut u64,
        #[cfg_attr(any(), doc = "nothing")]
        other: &'a String,
    }
    #[derive(Params)]
    struct Asks<'w, 's> {
        #[cfg(any())]
        gone: ResMut<'w, Wind>,
        r#type: Res<'w, Wind>,
        #[cfg_attr(all(), allow(dead_code))]
        r#match: lath_schedule::Local<'s, u8>,
        looks: lath_schedule::Query<'w, Looks<'w>>,
    }
    assert_eq!((Looks::READS, Looks::WRITES), (1 << 1, 1 << 0));
    let mut world = World::new();
    world.insert(Wind(4));
    let actor = world.spawn(Actor { r#fn: 1, other: "Ada".into() });
    let mut schedule = Schedule::new();
    // What is configured away is not asked for.
    schedule.add(|mut asks: Asks, _: Res<Wind>| {
        let wind = u64::from(asks.r#type.0);
        asks.looks.each(|looks| *looks.r#fn += wind + looks.other.len() as u64);
    });
    schedule.run(&mut world);
    assert_eq!(*world.read(actor).r#fn, 8);
}

#[test]
fn prelude_names_mean_what_they_mean_where_views_and_parameters_are_written() {
    #[derive(Default)]
    #[allow(dead_code)] // nobody uses them, which is the point
    struct Some(u8);
    #[allow(dead_code)]
    struct Ok(u8);
    #[allow(dead_code)]
    trait Send {}
    #[allow(dead_code)]
    trait Sized {}
    #[allow(dead_code)]
    trait Iterator {}
    #[allow(dead_code, non_camel_case_types)]
    struct usize;
    #[allow(dead_code, non_camel_case_types)]
    struct u64;
    #[derive(Thing, Default)]
    struct Actor {
        some: Some,
        none: u8,
    }
    #[derive(View)]
    #[view(Actor)]
    struct Looks<'a> {
        some: &'a Some,
        none: &'a mut u8,
    }
    #[derive(Params)]
    struct Asks<'w> {
        some: Res<'w, Wind>,
        none: ::std::option::Option<ResMut<'w, Ok>>,
    }
    let mut world = World::new();
    world.insert(Wind(2));
    let actor = world.spawn(Actor { some: Some(1), none: 0 });
    world.pool_mut::<Actor>().view_mut::<Looks>().each(|looks| *looks.none += looks.some.0);
    let mut schedule = Schedule::new();
    schedule.add(|asks: Asks| assert!(asks.none.is_none() && asks.some.0 == 2));
    schedule.run(&mut world);
    assert_eq!(world.read(actor).none, 1);
}
