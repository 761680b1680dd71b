//! What `#[derive(Params)]` adds to a struct, and where the compiler points when it cannot.
//!
//! To write the messages anew after a change:
//! `TRYBUILD=overwrite cargo test -p lath-schedule --test derive`, then read the difference.

use lath_core::{Mut, Ref, Thing};
use lath_schedule::{
    Commands, EventReader, EventWriter, Local, Params, PlanError, PoolMut, Query, Res, ResMut,
    RunError, Schedule, World,
};

#[test]
fn structs_of_parameters_are_parameters() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/derive/pass/*.rs");
    cases.compile_fail("tests/derive/fail/*.rs");
}

#[derive(Thing, Default)]
struct Actor {
    hp: f32,
    mana: f32,
}

struct Wind(f32);

struct Gust;

#[derive(Params)]
struct Weather<'w> {
    wind: ResMut<'w, Wind>,
}

#[derive(Params)]
#[expect(dead_code, reason = "only what it touches matters")]
struct Twice<'w> {
    weather: Weather<'w>,
    again: Res<'w, Wind>,
}

/// The two types of parameters that an error blames, without their paths.
fn blamed(error: &PlanError) -> [&'static str; 2] {
    let PlanError::Conflict { conflict, .. } = error else { panic!("{error}") };
    [conflict.first, conflict.second].map(|name| {
        let end = name.find('<').unwrap_or(name.len());
        name[..end].rsplit("::").next().unwrap_or(name)
    })
}

#[test]
fn parts_that_get_in_each_others_way_are_named() {
    let within = Schedule::new().try_add(|_: Twice| ()).err().unwrap();
    assert_eq!(blamed(&within), ["ResMut", "Res"]);
    assert!(
        within.to_string().contains("both use resource `Wind`, and one of them mutably"),
        "{within}"
    );
}

#[test]
fn a_part_and_another_parameter_that_get_in_each_others_way_are_named() {
    let beside = Schedule::new().try_add(|_: Weather, _: Res<Wind>| ()).err().unwrap();
    assert_eq!(blamed(&beside), ["ResMut", "Res"]);

    #[derive(Params)]
    struct Sick<'w> {
        #[expect(dead_code, reason = "as above")]
        hp: Query<'w, (Mut<'w, actor::hp>, Ref<'w, actor::mana>)>,
    }
    let fields = Schedule::new().try_add(|_: Query<Ref<actor::hp>>, _: Sick| ()).err().unwrap();
    assert!(fields.to_string().contains("both use field `hp` of `Actor`"), "{fields}");
    assert!(Schedule::new().try_add(|_: Query<Ref<actor::mana>>, _: Sick| ()).is_ok());

    #[derive(Params)]
    struct Structure<'w>(#[expect(dead_code, reason = "as above")] PoolMut<'w, Actor>);
    let structure = Schedule::new().try_add(|_: Commands, _: Structure| ()).err().unwrap();
    assert!(structure.to_string().contains("the free slots of the pool"), "{structure}");
}

#[test]
fn systems_wait_for_what_the_parts_touch() {
    fn blow(weather: Weather) {
        let Weather { mut wind } = weather;
        wind.0 += 1.0;
    }
    fn sail(wind: Res<Wind>) {
        assert_eq!(wind.0, 1.0);
    }
    let mut schedule = Schedule::new();
    schedule.add((blow, sail));
    assert!(schedule.explain_pair("blow", "sail").unwrap().contains("waits for"));
}

#[test]
fn what_a_part_misses_is_missed_by_the_system() {
    let mut schedule = Schedule::new();
    schedule.add(|_: Weather| ());
    let error = schedule.try_run(&mut World::new()).unwrap_err();
    assert!(matches!(error, RunError::Missing { .. }), "{error}");
    assert!(error.to_string().contains("Wind"), "{error}");
}

#[test]
fn every_system_has_a_state_of_its_own() {
    #[derive(Params)]
    struct Counting<'w, 's> {
        runs: Local<'s, u32>,
        sum: ResMut<'w, u32>,
        gusts: EventReader<'w, Gust>,
    }
    fn count(mut counting: Counting) {
        *counting.runs += 1 + counting.gusts.read().count() as u32;
        *counting.sum += *counting.runs;
    }
    fn count_too(counting: Counting) {
        count(counting);
    }
    let mut world = World::new();
    world.insert(0u32);
    let mut schedule = Schedule::new();
    schedule.add(|mut gusts: EventWriter<Gust>| gusts.send(Gust));
    schedule.add((count, count_too));
    schedule.run(&mut world);
    assert_eq!(*world.resource::<u32>(), 4);
    schedule.run(&mut world);
    assert_eq!(*world.resource::<u32>(), 12);
}
