//! What cannot be is refused, with words that name the system and what is wrong, before anything
//! has run where that can be known.

mod common;

use common::on_threads;
use lath_core::{Handle, Mut, Pool, Ref, Thing};
use lath_schedule::{
    Commands, EventReader, EventWriter, Events, FixedTime, IntoSystem, Missing, PinnedMut,
    PinnedRes, PlanError, PoolMut, PoolRef, Query, Res, ResMut, RunError, Schedule, Sweep, Time,
    Timer, Tree, TreeMut, World,
};

#[derive(Thing, Default, Debug)]
struct Ship {
    hull: f32,
    speed: f32,
}

#[derive(Thing, Default, Debug)]
struct Ships {}

#[derive(Debug, Default)]
struct Wind(f32);
#[derive(Default)]
struct Log(Vec<&'static str>);
struct Bang;

fn world() -> World {
    let mut world = World::new();
    world.insert(Log::default());
    world
}

/// Adds a system that must not have run when something is found before the run.
fn watched(threads: usize) -> Schedule {
    let mut schedule = on_threads(threads);
    schedule.add((|mut log: ResMut<Log>| log.0.push("first")).named("first"));
    schedule
}

#[track_caller]
fn assert_says(text: impl ToString, parts: &[&str]) {
    let text = text.to_string();
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in {text:?}");
    }
}

/// The error of a run in which nothing has happened.
#[track_caller]
fn nothing_ran(schedule: &mut Schedule, world: &mut World) -> RunError {
    let error = schedule.try_run(world).unwrap_err();
    assert!(world.resource::<Log>().0.is_empty(), "something ran before {error}");
    error
}

// What is missing.

#[test]
fn a_missing_resource_is_named_with_the_system_what_there_is_and_what_was_meant() {
    #[derive(Default)]
    struct Winds;
    for threads in [1, 3] {
        let (mut schedule, mut world) = (watched(threads), world());
        world.insert(Winds);
        schedule.add((|_: Res<Wind>| ()).named("sail"));
        let error = nothing_ran(&mut schedule, &mut world);
        let parts = [
            "system `sail` (added at ",
            "bad_input.rs:",
            "no resource `",
            "::Wind`",
            "was `",
            "Winds` meant?",
            "`Log`",
        ];
        assert_says(&error, &parts);
        assert!(matches!(error, RunError::Missing { .. }));
        world.insert(Wind(1.0));
        schedule.run(&mut world);
        assert_eq!(world.resource::<Log>().0, ["first"]);
    }
}

#[test]
fn a_missing_pool_is_named_with_the_system_whichever_parameter_wants_it() {
    fn missing<M>(system: impl IntoSystem<M>) -> RunError {
        let (mut schedule, mut world) = (watched(2), world());
        world.pool_mut::<Ships>();
        schedule.add(system.named("sail"));
        nothing_ran(&mut schedule, &mut world)
    }
    for error in [
        missing(|_: Query<Ref<ship::hull>>| ()),
        missing(|_: PoolRef<Ship>| ()),
        missing(|_: PoolMut<Ship>| ()),
        missing(|_: Tree<Ship>| ()),
        missing(|_: TreeMut<Ship>| ()),
    ] {
        assert_says(
            &error,
            &[
                "system `sail`",
                "no pool of `",
                "::Ship`",
                "its pools: `Ships`",
                "Ships` meant?",
                "add_pool",
            ],
        );
    }
}

#[test]
fn what_a_condition_needs_is_looked_for_before_the_run_too() {
    let (mut schedule, mut world) = (watched(2), world());
    schedule.add((|| ()).named("sail").run_if(|wind: Res<Wind>| wind.0 > 0.0));
    assert_says(nothing_ran(&mut schedule, &mut world), &["system `sail`", "Wind"]);

    let mut schedule = watched(2);
    schedule.add((|| ()).named("sail").in_set("sea"));
    schedule.set("sea").run_if(|wind: Res<Wind>| wind.0 > 0.0);
    assert_says(nothing_ran(&mut schedule, &mut world), &["condition of set sea", "Wind"]);
}

#[test]
fn what_is_behind_a_condition_need_not_be_there_until_the_condition_holds() {
    for threads in [1, 3] {
        let (mut schedule, mut world) = (watched(threads), world());
        struct Ready(bool);
        world.insert(Ready(false));
        schedule.add(
            (|_: Res<Wind>, mut log: ResMut<Log>| log.0.push("sail"))
                .named("sail")
                .run_if(|ready: Res<Ready>| ready.0),
        );
        schedule.run(&mut world);
        world.insert(Ready(true));
        let error = schedule.try_run(&mut world).unwrap_err();
        assert_says(&error, &["system `sail`", "Wind"]);
        world.insert(Wind(1.0));
        schedule.run(&mut world);
        assert_eq!(world.resource::<Log>().0, ["first", "first", "first", "sail"]);
    }
}

#[test]
fn what_fixed_steps_need_is_looked_for_before_the_run() {
    let (mut schedule, mut world) = (watched(2), world());
    schedule.fixed(10.0, |steps| {
        steps.add((|_: Res<Time>, _: Res<FixedTime>| ()).named("fine"));
        steps.add((|_: Res<Wind>| ()).named("step"));
    });
    assert_says(nothing_ran(&mut schedule, &mut world), &["system `step`", "Wind"]);
    world.insert(Wind(1.0));
    schedule.run(&mut world);
}

#[test]
fn the_world_itself_says_what_is_missing() {
    let mut world = world();
    let missing: Missing = world.try_resource::<Wind>().unwrap_err();
    assert_says(
        missing,
        &["no resource", "Wind", "its resources: `Log`", "world.insert(Wind { … })"],
    );
    assert_says(world.try_resource_mut::<Wind>().unwrap_err(), &["no resource", "Wind"]);
    assert_says(
        world.try_pool::<Ship>().unwrap_err(),
        &["no pool of", "Ship", "it has no pools at all"],
    );
    assert_says(
        world.pinned::<Wind>().unwrap_err(),
        &["no pinned resource", "Wind", "insert_pinned"],
    );
    // Nothing panics that is asked about things that there are none of.
    let stranger = Pool::new().spawn(Ship::default());
    assert!(
        world.get(stranger).is_none()
            && !world.despawn(stranger)
            && !world.set_tags(stranger, Default::default())
    );
    assert!(world.remove_pool::<Ship>().is_none() && world.remove::<Wind>().is_none());
}

// Parameters that cannot be had together.

#[test]
fn parameters_in_each_others_way_are_refused_when_the_system_is_added_and_both_are_named() {
    #[track_caller]
    fn refused<M>(system: impl IntoSystem<M>, parts: &[&str]) {
        let mut schedule = Schedule::new();
        let error = schedule.try_add(system.named("torn")).err().expect("refused");
        assert_says(&error, &["system `torn` (added at ", "bad_input.rs:"]);
        assert_says(&error, parts);
        assert!(matches!(error, PlanError::Conflict { .. }));
        assert!(schedule.order().unwrap().is_empty(), "it was added nevertheless");
    }
    refused(|_: Res<Wind>, _: ResMut<Wind>| (), &["Res<", "ResMut<", "resource `Wind`"]);
    let hulls = [
        "`Query<Mut<ship::hull>>` and `Query<Ref<ship::hull>>`",
        "field `hull` of `Ship`",
        "`Query::each_with_rest`",
    ];
    refused(|_: Query<Mut<ship::hull>>, _: Query<Ref<ship::hull>>| (), &hulls);
    refused(|_: ResMut<Wind>, _: ResMut<Wind>| (), &["resource `Wind`"]);
    refused(|_: Option<Res<Wind>>, _: ResMut<Wind>| (), &["Option<", "resource `Wind`"]);
    refused(|_: (ResMut<Wind>, (Commands, Res<Wind>))| (), &["resource `Wind`"]);
    refused(
        |_: Query<Mut<ship::hull>>, _: Query<(Ref<ship::speed>, Ref<ship::hull>)>| (),
        &["field `hull` of `Ship`"],
    );
    refused(
        |_: Query<&mut Ship>, _: Query<(Ref<ship::speed>, Ref<ship::hull>)>| (),
        &["fields `hull`, `speed` of `Ship`"],
    );
    refused(
        |_: Query<Mut<ship::hull>>, _: PoolRef<Ship>| (),
        &["PoolRef<", "field `hull` of `Ship`"],
    );
    refused(|_: Query<Ref<ship::hull>>, _: PoolMut<Ship>| (), &["PoolMut<", "the pool of `Ship`"]);
    refused(|_: PoolMut<Ship>, _: Query<Handle<Ship>>| (), &["PoolMut<", "the pool of `Ship`"]);
    refused(|_: PoolMut<Ship>, _: Tree<Ship>| (), &["the pool of `Ship`"]);
    refused(|_: PoolMut<Ship>, _: PoolMut<Ship>| (), &["the pool of `Ship`"]);
    refused(|_: TreeMut<Ship>, _: Tree<Ship>| (), &["the tree of `Ship`"]);
    refused(
        |_: Sweep<Ref<ship::hull>, Mut<ship::speed>>, _: Query<Mut<ship::hull>>| (),
        &["Sweep<", "field `hull` of `Ship`"],
    );
    refused(
        |_: Sweep<Ref<ship::hull>, Mut<ship::speed>>, _: Query<Ref<ship::speed>>| (),
        &["Sweep<", "field `speed` of `Ship`"],
    );
    refused(
        |_: Sweep<Ref<ship::hull>, Mut<ship::speed>>, _: Tree<Ship>| (),
        &["Sweep<", "the tree of `Ship`"],
    );
    refused(
        |_: PinnedMut<Wind>, _: PinnedRes<Wind>| (),
        &["PinnedMut<", "PinnedRes<", "pinned resource `Wind`"],
    );
    refused(|_: PinnedMut<Wind>, _: PinnedMut<Wind>| (), &["pinned resource `Wind`"]);
    refused(|_: PoolMut<Ship>, _: Commands| (), &["Commands", "PoolMut<", "free slots"]);
    refused(|_: Commands, _: PoolMut<Ship>| (), &["Commands", "PoolMut<", "free slots"]);
    refused(|_: Commands, _: Commands| (), &["the commands of"]);
    refused(|_: EventReader<Bang>, _: EventWriter<Bang>| (), &["events of type `Bang`"]);
    refused(|_: ResMut<Events<Bang>>, _: EventReader<Bang>| (), &["events of type `Bang`"]);
    refused(|_: &mut World, _: &mut World| (), &["the whole world"]);
    refused(|_: &mut World, _: Res<Wind>| (), &["the whole world", "Res<"]);
    refused(|_: Res<Wind>, _: &mut World| (), &["the whole world", "Res<"]);
    refused(|_: Commands, _: &mut World| (), &["the whole world", "Commands"]);
    refused(|_: &mut World, _: Commands| (), &["the whole world", "Commands"]);
    refused(|_: PoolMut<Ship>, _: &mut World| (), &["the whole world", "PoolMut<"]);
}

#[test]
fn parameters_that_have_nothing_in_common_are_accepted() {
    let mut schedule = Schedule::new();
    schedule.add(
        |_: Query<Mut<ship::hull>>, _: Query<Mut<ship::speed>>, _: Tree<Ship>, _: Commands| (),
    );
    schedule.add(|_: PoolMut<Ship>, _: PoolMut<Ships>, _: ResMut<Wind>| ());
    schedule.add(|_: Res<Wind>, _: Res<Wind>, _: EventReader<Bang>, _: EventReader<Bang>| ());
    schedule.add(|_: TreeMut<Ship>, _: PoolRef<Ship>| ());
}

#[test]
#[should_panic(expected = "both use resource `Wind`")]
fn a_condition_whose_parameters_are_in_each_others_way_is_refused() {
    (|| ()).run_if(|_: ResMut<Wind>, _: ResMut<Wind>| true);
}

#[test]
#[should_panic(expected = "both use resource `Wind`")]
fn so_is_that_of_a_set() {
    Schedule::new().set("sea").run_if(|_: ResMut<Wind>, _: Res<Wind>| true);
}

#[test]
#[should_panic(expected = "a condition may only look")]
fn a_condition_that_gives_commands_is_refused() {
    (|| ()).run_if(|_: Commands| true);
}

#[test]
fn a_pool_is_not_a_resource() {
    // Were it the same place, this would be a pool that is changed while a query looks at it.
    let (mut schedule, mut world) = (Schedule::new(), world());
    world.spawn(Ship::default());
    schedule.add((|_: ResMut<Pool<Ship>>, _: Query<Ref<ship::hull>>| ()).named("sly"));
    assert_says(nothing_ran(&mut schedule, &mut world), &["system `sly`", "no resource", "Pool<"]);
    world.insert(Pool::<Ship>::new());
    let mut schedule = Schedule::new();
    schedule.add(|mut other: ResMut<Pool<Ship>>, ships: Query<Ref<ship::hull>>| {
        other.spawn(Ship::default());
        assert_eq!(ships.count(), 1);
    });
    schedule.run(&mut world);
    assert!(world.remove::<Pool<Ship>>().is_some());
    assert_eq!(world.pool::<Ship>().len(), 1);
}

// The order.

#[test]
fn a_circle_is_an_error_that_names_its_members_and_their_places_and_nobody_else() {
    fn egg() {}
    fn hen() {}
    fn fox() {}
    fn farmer() {}
    let (mut schedule, mut world) = (watched(2), world());
    schedule.add(farmer).add(egg.after(hen)).add(hen.after(fox)).add(fox.after(egg));
    let line = line!() - 1;
    let error = nothing_ran(&mut schedule, &mut world);
    assert_says(
        &error,
        &[
            "`egg` (added at ",
            "`hen` (added at ",
            "`fox` (added at ",
            &format!("bad_input.rs:{line}"),
        ],
    );
    assert!(!error.to_string().contains("farmer"));
    assert!(matches!(schedule.build(), Err(PlanError::Cycle { systems }) if systems.len() == 3));
    assert!(matches!(schedule.order(), Err(PlanError::Cycle { .. })));

    let mut schedule = Schedule::new();
    schedule.add(egg.after(hen));
    schedule.barrier();
    schedule.add(hen);
    assert_says(schedule.build().unwrap_err(), &["`egg`", "`barrier`", "`hen`", "move a barrier"]);

    let mut schedule = Schedule::new();
    schedule.add((egg.in_set("birds"), hen.in_set("birds"), fox.before("birds").after(hen)));
    assert_says(schedule.build().unwrap_err(), &["`fox`", "`hen`"]);
}

#[test]
fn unknown_names_are_errors_with_a_suggestion() {
    fn integrate() {}
    fn collide() {}
    let mut schedule = Schedule::new();
    schedule.add((integrate, collide.after("integrat")));
    assert_says(
        schedule.build().unwrap_err(),
        &["system `collide` (added at ", "`integrat`", "was `integrate` meant?"],
    );
    let mut schedule = Schedule::new();
    schedule.add(collide.before(integrate));
    assert_says(
        schedule.build().unwrap_err(),
        &["`collide`", "`integrate`", "add it, or correct the name"],
    );
    let mut schedule = Schedule::new();
    schedule.add((integrate.in_set("physics"), collide.unordered_with("physic")));
    assert_says(schedule.build().unwrap_err(), &["`collide`", "was `physics` meant?"]);
    // A set that is known to have no members is no mistake.
    let mut schedule = Schedule::new();
    schedule.set("sound");
    schedule.add(collide.after("sound"));
    assert!(schedule.build().is_ok());
}

// Numbers.

#[test]
fn no_threads_is_an_error_of_the_next_run_and_can_be_corrected() {
    let (mut schedule, mut world) = (watched(2), world());
    schedule.threads(0);
    assert!(matches!(schedule.build(), Err(PlanError::Threads(_))));
    assert_says(nothing_ran(&mut schedule, &mut world), &["0 threads", "`threads(1)`"]);
    schedule.threads(1).run(&mut world);
}

#[test]
fn rates_that_are_no_rates_are_refused_before_the_run() {
    for hz in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e-310] {
        let (mut schedule, mut world) = (watched(2), world());
        schedule.fixed(hz, |steps| {
            steps.add(|mut log: ResMut<Log>| log.0.push("step"));
        });
        let error = nothing_ran(&mut schedule, &mut world);
        assert_says(&error, &["bad_input.rs:", "must be a positive number"]);
        assert!(matches!(error, RunError::Plan(PlanError::BadRate { .. })), "{hz}");
    }
}

#[test]
fn times_that_are_no_times_are_refused_before_the_run() {
    for dt in [f32::NAN, f32::INFINITY, -0.001, f32::NEG_INFINITY] {
        let (mut schedule, mut world) = (watched(2), world());
        world.insert(Time { dt });
        let error = nothing_ran(&mut schedule, &mut world);
        assert_says(&error, &["`Time::dt`", &dt.to_string(), "Nothing has run"]);
        assert!(matches!(error, RunError::BadTime { .. }));
        world.insert(Time { dt: 0.0 });
        schedule.run(&mut world);
    }
}

#[test]
fn timers_refuse_times_that_are_none() {
    for seconds in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(std::panic::catch_unwind(|| Timer::once(seconds)).is_err());
        assert!(std::panic::catch_unwind(|| Timer::repeating(seconds)).is_err());
        assert!(std::panic::catch_unwind(|| lath_schedule::Cooldown::new(seconds)).is_err());
    }
    assert!(std::panic::catch_unwind(|| Timer::repeating(0.0)).is_err());
}

// What goes away during a run.

#[test]
fn a_pool_or_a_resource_that_a_command_takes_away_is_missed_by_name_and_later_systems_do_not_run() {
    fn runs<M: 'static>(
        threads: usize,
        take_away: fn(&mut Commands),
        system: impl IntoSystem<M>,
    ) -> (World, RunError) {
        let mut schedule = watched(threads);
        schedule.add((move |mut commands: Commands| take_away(&mut commands)).named("thief"));
        schedule.barrier();
        schedule.add(system.named("victim"));
        schedule.add(|mut log: ResMut<Log>| log.0.push("bystander"));
        schedule.barrier();
        schedule.add(|mut log: ResMut<Log>| log.0.push("later"));
        let mut world = world();
        world.insert(Wind(1.0));
        world.spawn(Ship::default());
        world.insert(Time::default());
        let error = schedule.try_run(&mut world).unwrap_err();
        (world, error)
    }
    for threads in [1, 3] {
        let no_wind: fn(&mut Commands) = |commands| commands.remove::<Wind>();
        let no_ships: fn(&mut Commands) =
            |commands| commands.run(|world| drop(world.remove_pool::<Ship>()));
        let no_events: fn(&mut Commands) = |commands| commands.remove::<Events<Bang>>();
        for (world, error) in [
            runs(threads, no_wind, |_: Res<Wind>| ()),
            runs(threads, no_wind, |_: ResMut<Wind>| ()),
            runs(threads, no_wind, (|| ()).run_if(|_: Res<Wind>| true)),
            runs(threads, no_ships, |_: Query<Ref<ship::hull>>| ()),
            runs(threads, no_ships, |_: TreeMut<Ship>| ()),
            runs(threads, no_ships, |_: PoolMut<Ship>| ()),
            runs(threads, no_events, |_: EventReader<Bang>| ()),
            runs(threads, no_events, |_: EventWriter<Bang>| ()),
        ] {
            assert_says(&error, &["system `victim` (added at ", "the world has no "]);
            assert_eq!(world.resource::<Log>().0, ["first"], "{error}");
        }
    }
}

#[test]
fn a_pool_that_is_replaced_during_the_run_is_used_from_then_on() {
    let mut schedule = on_threads(3);
    schedule.add(|mut commands: Commands| {
        commands.spawn(Ship::default());
        commands.run(|world| {
            let mut fresh = Pool::new();
            let [a, b] = [(); 2].map(|()| fresh.spawn(Ship::default()));
            fresh.tree_mut().attach(b, a).unwrap();
            world.add_pool(fresh);
        });
    });
    schedule.barrier();
    schedule.add(|ships: Query<Handle<Ship>>| assert_eq!(ships.count(), 2));
    schedule.add(|mut ships: PoolMut<Ship>| *ships = Pool::new());
    schedule.add(|ships: Query<Handle<Ship>>, mut commands: Commands| {
        assert_eq!(ships.count(), 0);
        commands.spawn(Ship::default());
    });
    let mut world = world();
    world.pool_mut::<Ship>();
    for _ in 0..2 {
        schedule.run(&mut world);
        assert_eq!(world.pool::<Ship>().len(), 1);
        assert_eq!(world.pool::<Ship>().check_invariants(), Ok(()));
    }
}

#[test]
fn a_world_that_is_replaced_by_another_in_the_middle_of_a_run_is_an_error_and_not_a_mix_up() {
    for threads in [1, 3] {
        let mut schedule = on_threads(threads);
        schedule.add(
            (|world: &mut World| {
                let mut other = World::new();
                other.insert(Log::default());
                other.insert(Wind(7.0));
                other.spawn(Ships {});
                *world = other;
            })
            .named("usurp"),
        );
        schedule.add(
            (|wind: Res<Wind>, _: Query<Ref<ship::hull>>, _: EventReader<Bang>| {
                assert_eq!(wind.0, 7.0)
            })
            .named("next"),
        );
        let mut world = world();
        world.insert(Wind(1.0));
        world.spawn(Ship::default());
        let error = schedule.try_run(&mut world).unwrap_err();
        assert_says(&error, &["system `next`"]);
        // And with its own things the new world works.
        let mut schedule = Schedule::new();
        schedule.add(|wind: Res<Wind>, _: Query<Handle<Ships>>| assert_eq!(wind.0, 7.0));
        schedule.run(&mut world);
    }
}

#[test]
fn one_schedule_runs_in_several_worlds_and_one_world_in_several_schedules() {
    let mut schedule = on_threads(2);
    schedule.add(|mut wind: ResMut<Wind>, ships: Query<Ref<ship::hull>>| {
        wind.0 += ships.iter().map(|hull| *hull).sum::<f32>()
    });
    let mut worlds: Vec<_> = (0..3)
        .map(|number| {
            let mut world = World::new();
            for _ in 0..number {
                world.insert(Log::default()); // so that places differ
                world.pool_mut::<Ships>();
            }
            world.spawn(Ship { hull: number as f32, ..Ship::default() });
            world.insert(Wind(0.0));
            world
        })
        .collect();
    for _ in 0..3 {
        worlds.iter_mut().for_each(|world| schedule.run(world));
    }
    for (number, world) in (0u8..).zip(&worlds) {
        assert_eq!(world.resource::<Wind>().0, 3.0 * f32::from(number));
    }
    let mut other = Schedule::new();
    other.add(|mut wind: ResMut<Wind>| wind.0 = -1.0);
    other.run(&mut worlds[0]);
    schedule.run(&mut worlds[0]);
    assert_eq!(worlds[0].resource::<Wind>().0, -1.0);
}

#[test]
fn a_schedule_can_be_run_inside_another_ones_run() {
    let mut inner = Schedule::new();
    inner.add(|mut log: ResMut<Log>, mut commands: Commands| {
        log.0.push("inner");
        commands.spawn(Ship::default());
    });
    let mut outer = on_threads(3);
    outer.add(|mut commands: Commands| {
        commands.spawn(Ship::default());
    });
    outer.add(move |world: &mut World| inner.run(world));
    let mut world = world();
    outer.run(&mut world);
    outer.run(&mut world);
    assert_eq!(world.pool::<Ship>().len(), 4);
    assert_eq!(world.command_counts().missed, 0);
}
