//! A busy town of actors and their parts, in which everything happens that a schedule can do: for
//! the test of determinism.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Orphans, Pool, Ref, Relation, Thing, View};
use lath_schedule::{
    Commands, EventReader, EventWriter, IntoSystem, Local, PoolMut, PoolRef, Query, Res, ResMut,
    Schedule, State, Time, Tree, TreeMut, World,
};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub(crate) struct Tags: u32 {
        const MOVES = 1;
        const FROZEN = 2;
        const RICH = 4;
    }
}

#[derive(Thing, Clone, Default)]
#[thing(columns)]
pub(crate) struct Actor {
    #[thing(tags)]
    tags: Tags,
    pos: [f32; 2],
    vel: [f32; 2],
    hp: i32,
    luck: u64,
    target: Handle<Actor>,
    #[thing(cold)]
    name: String,
}

#[derive(Thing, Clone, Default)]
pub(crate) struct Part {
    #[thing(tags)]
    tags: Tags,
    weight: f32,
    wear: u32,
    luck: u64,
    owner: Handle<Actor>,
    near: Handle<Part>,
}

/// What is left of a part.
#[derive(Thing, Clone, Default)]
pub(crate) struct Debris {
    of: Handle<Part>,
    ticks: u32,
}

/// Who carries whom. What was carried falls down.
enum Carried {}

impl Relation for Carried {
    const ORPHANS: Orphans = Orphans::Detach;
}

#[derive(View)]
#[view(Actor, with = Tags::MOVES, without = Tags::FROZEN)]
struct Moving<'a> {
    pos: &'a mut [f32; 2],
    vel: &'a [f32; 2],
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Day,
    Night,
}

struct Tick(u64);
struct Born(Handle<Actor>);
struct Died(Handle<Actor>, u64);
#[derive(Default)]
struct Heard(u64);
#[derive(Default)]
struct Chronicle(u64);
#[derive(Default)]
struct Sum(u64);
#[derive(Default)]
struct Walked(u64);
#[derive(Default)]
struct Steps(u64);
struct Population {
    actors: usize,
    parts: usize,
}

fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// Whether something that happens to one in `one_in` happens to a thing of such luck, at this time.
fn strikes(luck: u64, tick: &Tick, salt: u64, one_in: u64) -> bool {
    mix(luck ^ tick.0 << 8 ^ salt) % one_in == 0
}

fn new_actor(luck: u64) -> Actor {
    let tags = Tags::from_bits_truncate(mix(luck) as u32 & 7);
    let name = if luck % 16 == 0 { format!("actor {luck}") } else { String::new() };
    let vel = [(luck % 7) as f32 - 3.0, (luck % 5) as f32 - 2.0];
    Actor { tags, vel, hp: 20 + (luck % 100) as i32, luck, name, ..Actor::default() }
}

fn new_part(luck: u64, owner: Handle<Actor>, near: Handle<Part>) -> Part {
    let tags = Tags::from_bits_truncate(luck as u32 >> 3 & 7);
    Part { tags, weight: (luck % 100) as f32, luck, owner, near, wear: 0 }
}

/// A town of so many things.
pub(crate) fn world(things: usize) -> World {
    let mut world = World::new();
    let (mut actor, mut part) = (Handle::NIL, Handle::NIL);
    for luck in 0..things as u64 {
        if luck % 2 == 0 {
            actor = world.spawn(Actor { target: actor, ..new_actor(mix(luck)) });
        } else {
            let new = world.spawn(new_part(mix(luck), actor, part));
            if luck % 3 == 0 {
                world.pool_mut::<Part>().tree_mut().attach(new, part).ok();
            }
            part = new;
        }
    }
    world.add_pool(Pool::<Debris>::fixed(things).unwrap());
    world.insert(Time { dt: 0.021 });
    world.insert(Tick(0));
    world.insert(State::new(Mode::Day));
    world.insert(Heard::default());
    world.insert(Chronicle::default());
    world.insert(Sum::default());
    world.insert(Walked::default());
    world.insert(Steps::default());
    world.insert(Population { actors: things / 2, parts: things / 2 });
    world.on_spawn::<Actor>(|world, who| {
        world.send(Born(who));
        let chronicle = world.resource_mut::<Chronicle>();
        chronicle.0 = hash((chronicle.0, "born", who.to_bits()));
    });
    world.on_despawn::<Part>(|world, part, was| {
        // Straight into the pool, which must leave alone what was promised to others.
        let debris =
            world.try_spawn(Debris { of: part, ticks: 0 }).map_or(0, |debris| debris.to_bits());
        let chronicle = world.resource_mut::<Chronicle>();
        chronicle.0 = hash((chronicle.0, "broken", part.to_bits(), was.luck, debris));
    });
    world.on_tags::<Actor>(|world, who, before, after| {
        let chronicle = world.resource_mut::<Chronicle>();
        chronicle.0 = hash((chronicle.0, "tags", who.to_bits(), before.bits(), after.bits()));
    });
    world
}

// Systems.

fn count(mut tick: ResMut<Tick>, mut mode: ResMut<State<Mode>>) {
    tick.0 += 1;
    match tick.0 % 7 {
        0 => mode.set(Mode::Night),
        3 => mode.set(Mode::Day),
        _ => {}
    }
}

fn walk(mut moving: Query<Moving>, time: Res<Time>) {
    moving.par_each(|m| {
        m.pos[0] += m.vel[0] * time.dt;
        m.pos[1] += m.vel[1] * time.dt;
    });
}

fn weaken(mut actors: Query<(Mut<actor::hp>, Ref<actor::luck>)>, tick: Res<Tick>) {
    actors.each(|(mut hp, luck)| *hp -= i32::from(strikes(*luck, &tick, 1, 4)));
}

fn fray(mut parts: Query<(Mut<part::wear>, Ref<part::weight>)>) {
    parts.par_each(|(mut wear, weight)| *wear += 1 + u32::from(*weight > 50.0));
}

fn lighten(mut parts: Query<Mut<part::weight>>) {
    parts.each(|mut weight| *weight *= 0.999);
}

fn rename(mut names: Query<Option<Mut<actor::name>>>) {
    for name in names.iter_mut().flatten().step_by(37) {
        let mut name = name;
        let letters = name.len();
        if letters < 30 { name.push('!') } else { name.truncate(10) }
    }
}

fn baptize(
    actors: Query<(Handle<Actor>, Ref<actor::luck>)>,
    tick: Res<Tick>,
    mut commands: Commands,
) {
    for (who, luck) in &actors {
        if strikes(*luck, &tick, 2, 500) {
            commands
                .set::<actor::name>(who, if *luck % 2 == 0 { "Ada".into() } else { String::new() });
        }
    }
}

/// Those who have no strength left die; some leave two others behind. On several threads.
fn bury(
    mut actors: Query<(Handle<Actor>, Ref<actor::hp>, Ref<actor::luck>)>,
    tick: Res<Tick>,
    mut commands: Commands,
    population: Res<Population>,
    all: PoolRef<Actor>,
) {
    let few = all.len() < population.actors;
    commands.par_each(&mut actors, |(who, hp, luck), commands| {
        if *hp <= 0 || strikes(*luck, &tick, 3, 200) {
            commands.despawn(who);
            commands.send(Died(who, *luck));
            for child in 0..if few { 2 } else { 1 } {
                let new = commands.spawn(new_actor(mix(*luck ^ child ^ tick.0)));
                commands.set::<actor::target>(new, who);
            }
        }
    });
}

/// Draws handles from the same pool, in the same stage.
fn settle(
    actors: Query<(Handle<Actor>, Ref<actor::luck>)>,
    tick: Res<Tick>,
    mut commands: Commands,
) {
    let mut last = Handle::NIL;
    for (who, luck) in &actors {
        if strikes(*luck, &tick, 4, 1000) {
            let new = commands.spawn(Actor { target: last, ..new_actor(*luck ^ tick.0) });
            commands.attach(new, who);
            last = new;
        }
    }
}

fn make_parts(
    mut actors: Query<(Handle<Actor>, Ref<actor::luck>)>,
    parts: PoolRef<Part>,
    population: Res<Population>,
    tick: Res<Tick>,
    mut commands: Commands,
) {
    let few = parts.len() < population.parts;
    commands.par_each(&mut actors, |(who, luck), commands| {
        if strikes(*luck, &tick, 5, if few { 50 } else { 400 }) {
            let one = commands.spawn(new_part(mix(*luck), who, Handle::NIL));
            let other = commands.spawn(new_part(mix(*luck ^ 1), who, one));
            commands.attach(other, one);
            commands.attach_in::<Carried, _>(one, other);
        }
    });
}

fn break_parts(
    mut parts: Query<(Handle<Part>, Ref<part::wear>, Ref<part::luck>)>,
    mut commands: Commands,
) {
    commands.par_each(&mut parts, |(part, wear, luck), commands| {
        if u64::from(*wear) > 20 + *luck % 200 {
            commands.despawn(part);
        }
    });
}

fn relink(
    mut tree: TreeMut<Part>,
    parts: Query<(Handle<Part>, Ref<part::luck>, Ref<part::near>)>,
    tick: Res<Tick>,
) {
    for (part, luck, near) in &parts {
        match mix(*luck ^ tick.0) % 128 {
            0 => tree.attach(part, *near).unwrap_or_default(),
            1 => drop(tree.detach(part)),
            2 => tree.attach_first(*near, part).unwrap_or_default(),
            _ => {}
        }
    }
}

/// In another relation, at the same time as `relink`.
fn carry(
    mut tree: TreeMut<Part, Carried>,
    parts: Query<(Handle<Part>, Ref<part::near>)>,
    tick: Res<Tick>,
) {
    for (part, near) in &parts {
        if mix(part.to_bits() ^ tick.0) % 100 == 0 {
            tree.attach(*near, part).ok();
        }
    }
}

fn relink_later(
    parts: Query<(Handle<Part>, Ref<part::near>)>,
    tick: Res<Tick>,
    mut commands: Commands,
) {
    for (part, near) in &parts {
        match mix(part.to_bits() ^ tick.0 << 20) % 300 {
            0 => commands.attach(part, *near),
            1 => commands.detach(part),
            2 => commands.attach_first(part, *near),
            3 => commands.detach_in::<Carried, _>(part),
            _ => {}
        }
    }
}

fn meet(tree: Tree<Part>, mut parts: Query<(Handle<Part>, Mut<part::near>)>, tick: Res<Tick>) {
    parts.each(|(me, mut near)| {
        if mix(me.to_bits() ^ tick.0 << 3) % 50 == 0 {
            *near = tree.parent(me).or(tree.next_sibling(me)).unwrap_or(*near);
        }
    });
}

fn chase(mut actors: Query<(Mut<actor::vel>, Ref<actor::pos>, Ref<actor::target>)>) {
    actors.each_with_rest(|(mut vel, pos, target), others| {
        if let Some(there) = others.get::<Ref<actor::pos>>(*target) {
            vel[0] = vel[0] * 0.9 + (there[0] - pos[0]) * 0.01;
        }
    });
}

fn retag(
    mut actors: Query<(Handle<Actor>, Ref<actor::luck>)>,
    tick: Res<Tick>,
    mut commands: Commands,
) {
    commands.par_each(&mut actors, |(who, luck), commands| match mix(*luck ^ tick.0 << 5) % 100 {
        0 => commands.insert_tags(who, Tags::MOVES),
        1 => commands.remove_tags(who, Tags::FROZEN),
        2 => commands.set_tags(who, Tags::FROZEN | Tags::RICH),
        _ => {}
    });
}

fn announce(mut dead: EventWriter<Died>, tick: Res<Tick>) {
    dead.send(Died(Handle::NIL, tick.0));
}

fn mourn(mut dead: EventReader<Died>, mut heard: ResMut<Heard>) {
    for Died(who, luck) in dead.read() {
        heard.0 = hash((heard.0, who.to_bits(), luck));
    }
}

fn celebrate(mut born: EventReader<Born>, mut walked: ResMut<Walked>, mut last: Local<u64>) {
    for Born(who) in born.read() {
        *last = hash((*last, who.to_bits()));
    }
    walked.0 = walked.0.wrapping_add(*last);
}

/// Reads in fixed steps only: the events wait for it.
fn bells(
    mut dead: EventReader<Died>,
    mut steps: ResMut<Steps>,
    mut commands: Commands,
    time: Res<Time>,
) {
    for Died(who, luck) in dead.read() {
        steps.0 = hash((steps.0, who.to_bits(), time.dt.to_bits()));
        if luck % 11 == 0 {
            commands.spawn(Debris::default());
        }
    }
}

fn rot(mut debris: Query<(Handle<Debris>, Mut<debris::ticks>)>, mut commands: Commands) {
    commands.par_each(&mut debris, |(one, mut ticks), commands| {
        *ticks += 1;
        if *ticks > 10 {
            commands.despawn(one);
        }
    });
}

fn cull(mut parts: PoolMut<Part>, population: Res<Population>) {
    let too_many = parts.len().saturating_sub(population.parts * 5 / 4);
    let victims: Vec<_> = parts.handles().take(too_many).collect();
    for part in victims {
        parts.despawn(part);
    }
}

/// Everything at once, alone.
fn govern(world: &mut World) {
    let tick = world.resource::<Tick>().0;
    if tick % 3 == 0 {
        let actors: Vec<_> =
            world.pool::<Actor>().handles().skip(tick as usize % 100).step_by(997).collect();
        for who in actors {
            world.despawn(who);
        }
        world.spawn(new_actor(mix(tick)));
    }
}

/// A command that spawns at once, among promised handles.
fn immigrate(tick: Res<Tick>, mut commands: Commands) {
    let luck = mix(tick.0);
    let guest = commands.spawn(new_actor(luck));
    commands.run(move |world| {
        let host = world.spawn(Actor { target: guest, ..new_actor(luck ^ 1) });
        world.pool_mut::<Actor>().tree_mut().attach(host, guest).ok();
    });
    commands.spawn(Actor { target: guest, ..new_actor(luck ^ 2) });
}

fn sum_hp(actors: Query<Ref<actor::hp>>, mut sum: ResMut<Sum>) {
    for hp in &actors {
        sum.0 = sum.0.wrapping_add(*hp as u64);
    }
}

/// In any order with the one before: sums do not care.
fn sum_wear(parts: Query<Ref<part::wear>>, mut sum: ResMut<Sum>) {
    for wear in &parts {
        sum.0 = sum.0.wrapping_add(u64::from(*wear));
    }
}

/// All that goes on in the town.
pub(crate) fn schedule() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add(count).transitions::<Mode>();
    schedule.add((walk, weaken, fray, lighten, rename, baptize, announce));
    schedule.add((chase.after(walk), sum_hp, sum_wear.unordered_with(sum_hp)));
    schedule.add((bury, settle, make_parts, break_parts, immigrate));
    schedule.add((relink, carry, meet, relink_later));
    schedule.add(retag.while_in(Mode::Day));
    schedule.add(mourn.in_set("evening").before("party"));
    schedule.barrier();
    schedule.add(celebrate.named("party"));
    schedule.fixed(50.0, |steps| {
        steps.add((bells, rot, sum_wear));
    });
    schedule.add((cull, govern.run_if(|tick: Res<Tick>| tick.0 % 2 == 1)));
    schedule.add((|mut sum: ResMut<Sum>| sum.0 = mix(sum.0)).on_enter(Mode::Night));
    schedule.set("evening").run_if(|tick: Res<Tick>| tick.0 % 5 != 0);
    schedule
}

/// All that can be seen of the town, handles included.
pub(crate) fn checksum(world: &mut World) -> u64 {
    let mut sum = DefaultHasher::new();
    for (handle, actor) in world.pool::<Actor>().iter() {
        handle.to_bits().hash(&mut sum);
        (actor.pos.map(f32::to_bits), actor.vel.map(f32::to_bits), *actor.hp, *actor.luck)
            .hash(&mut sum);
        (actor.target.to_bits(), actor.name, world.pool::<Actor>().tags(handle).bits())
            .hash(&mut sum);
        let tree = world.pool::<Actor>().tree();
        (tree.parent(handle), tree.first_child(handle), tree.next_sibling(handle)).hash(&mut sum);
    }
    let parts = world.pool::<Part>();
    for (handle, part) in parts.iter() {
        handle.to_bits().hash(&mut sum);
        (part.weight.to_bits(), part.wear, part.luck, part.owner.to_bits(), part.near.to_bits())
            .hash(&mut sum);
        parts.tags(handle).bits().hash(&mut sum);
        for tree in [parts.tree(), parts.tree_of::<Carried>()] {
            (tree.parent(handle), tree.first_child(handle), tree.next_sibling(handle))
                .hash(&mut sum);
        }
    }
    for (handle, debris) in world.pool::<Debris>().iter() {
        (handle.to_bits(), debris.of.to_bits(), debris.ticks).hash(&mut sum);
    }
    (world.resource::<Heard>().0, world.resource::<Chronicle>().0, world.resource::<Sum>().0)
        .hash(&mut sum);
    (world.resource::<Walked>().0, world.resource::<Steps>().0).hash(&mut sum);
    let counts = world.command_counts();
    (counts.applied, counts.missed).hash(&mut sum);
    (world.events_mut::<Died>().len(), world.events_mut::<Born>().len()).hash(&mut sum);
    // What is free, and in which order it will be taken.
    let spare = [(); 100].map(|()| world.pool_mut::<Part>().spawn(Part::default()));
    for part in spare {
        part.to_bits().hash(&mut sum);
        world.pool_mut::<Part>().despawn(part);
    }
    sum.finish()
}

/// The pools are as they should be, and there was something to do.
pub(crate) fn check(world: &World, things: usize) {
    assert_eq!(world.pool::<Actor>().check_invariants(), Ok(()));
    assert_eq!(world.pool::<Part>().check_invariants(), Ok(()));
    assert_eq!(world.pool::<Debris>().check_invariants(), Ok(()));
    let (actors, parts, counts) =
        (world.pool::<Actor>(), world.pool::<Part>(), world.command_counts());
    assert!(
        actors.len() > things / 3 && parts.len() > things / 3,
        "{} and {}",
        actors.len(),
        parts.len()
    );
    assert!(parts.tree().roots().count() > 10 && parts.tree_of::<Carried>().roots().count() > 10);
    // Handles that are dealt ahead of time leave slots free in between, but not more and more of
    // them.
    let slots = actors.stats().capacity.max(parts.stats().capacity);
    assert!((slots as usize) < 20_000 + 6 * things, "{slots} slots for {things} things");
    assert!(counts.applied > things as u64 / 10 && counts.missed > 0, "{counts:?}");
}
