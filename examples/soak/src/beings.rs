//! A small world in which everything happens: births, deaths, new parents, tags, strings, events.
//! All chance is in the world, so that it goes the same way whenever it starts from the same state.

use lath::inspect::Inspect;
use lath::prelude::*;
use serde::{Deserialize, Serialize};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub(crate) struct Tags: u8 { const YOUNG = 1; const OLD = 2; const LOUD = 4; }
}

/// Kept in columns.
#[derive(Thing, Save, Inspect, Clone, Default, Debug)]
#[thing(columns)]
pub(crate) struct Being {
    #[thing(tags)]
    tags: Tags,
    #[thing(hot)]
    age: u32,
    luck: u64,
    friend: Handle<Being>,
    #[thing(cold)]
    name: String,
}

/// Kept in rows; one for most births, until its being is gone.
#[derive(Thing, Save, Inspect, Clone, Default, Debug)]
pub(crate) struct Letter {
    to: Handle<Being>,
    text: String,
}

/// The books: what came and what went, by those who saw it.
#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Books {
    pub(crate) tick: u64,
    born: u64,
    died: u64,
    written: u64,
    burned: u64,
    heard: u64,
}

struct Born(Handle<Being>);

/// Fewer than this are not born, more than this do not stay.
const FEW: usize = 2000;
const MANY: usize = 6000;

fn next(luck: u64) -> u64 {
    luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

/// A world with its books kept by hooks, and nobody in it.
pub(crate) fn empty() -> World {
    let mut world = World::new();
    world.saves::<Being>();
    world.saves::<Letter>();
    world.saves_resource::<Books>();
    world.insert(Books::default());
    world.on_spawn::<Being>(|world, _| world.resource_mut::<Books>().born += 1);
    world.on_despawn::<Being>(|world, _, _| world.resource_mut::<Books>().died += 1);
    world.on_spawn::<Letter>(|world, _| world.resource_mut::<Books>().written += 1);
    world.on_despawn::<Letter>(|world, _, _| world.resource_mut::<Books>().burned += 1);
    world
}

pub(crate) fn populated(seed: u64) -> World {
    let mut world = empty();
    for n in 0..FEW as u64 {
        world.spawn(Being { tags: Tags::YOUNG, luck: next(seed ^ next(n)), ..Being::default() });
    }
    world
}

/// What was spawned and not despawned is there, and the pools are whole.
pub(crate) fn check(world: &World) -> Result<(), String> {
    let books = world.resource::<Books>();
    let (beings, letters) =
        (world.pool::<Being>(), world.try_pool::<Letter>().map_or(0, |letters| letters.len()));
    if books.born - books.died != beings.len() as u64
        || books.written - books.burned != letters as u64
    {
        return Err(format!(
            "{} beings and {letters} letters, but the books say {books:?}",
            beings.len()
        ));
    }
    beings.check_invariants()?;
    beings.tree().check().map_err(str::to_string)
}

pub(crate) fn schedule() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add((roll, mingle, divide, write));
    schedule.barrier();
    schedule.add((hear, burn));
    schedule
}

fn roll(mut beings: Query<(Mut<being::luck>, Mut<being::age>)>, mut books: ResMut<Books>) {
    books.tick += 1;
    beings.par_each(|(mut luck, mut age)| {
        *luck = next(*luck);
        *age += 1;
    });
}

/// Whoever is lucky enough goes to live with a friend, or leaves.
fn mingle(
    mut tree: TreeMut<Being>,
    beings: Query<(Handle<Being>, Ref<being::friend>, Ref<being::luck>)>,
) {
    for (me, friend, luck) in &beings {
        match *luck >> 58 {
            20 => _ = tree.attach(me, *friend), // not below itself, and not below the dead
            21 => _ = tree.attach_first(me, *friend),
            22 => _ = tree.detach(me),
            _ => {}
        }
    }
}

/// Births and deaths, as many as there is room for, from a loop on several threads.
fn divide(
    mut beings: Query<(Handle<Being>, Ref<being::luck>, Ref<being::age>)>,
    crowd: Query<Handle<Being>>,
    mut commands: Commands,
) {
    let crowd = crowd.count();
    let (births, deaths) = if crowd < FEW {
        (6, 0)
    } else if crowd > MANY {
        (0, 8)
    } else {
        (3, 3)
    };
    commands.par_each(&mut beings, |(me, luck, age), commands| {
        let lot = *luck >> 58;
        if lot < births {
            let tags = if *age > 40 { Tags::OLD } else { Tags::YOUNG };
            let name = if *luck % 5 == 0 { format!("child of {me:?}") } else { String::new() };
            let child = commands.spawn(Being {
                tags,
                luck: luck.rotate_left(9),
                friend: me,
                name,
                ..Being::default()
            });
            if *luck % 2 == 0 {
                commands.attach(child, me);
            }
            commands.send(Born(child));
        } else if lot < births + deaths {
            commands.despawn(me);
        } else if lot == 40 {
            commands.insert_tags(me, Tags::LOUD);
        } else if lot == 41 {
            commands.remove_tags(me, Tags::LOUD | Tags::YOUNG);
        }
    });
}

fn write(beings: Query<(Handle<Being>, Ref<being::luck>)>, mut commands: Commands) {
    for (me, luck) in &beings {
        if *luck >> 57 == 99 {
            commands.spawn(Letter { to: me, text: format!("to {me:?}, of luck {}", *luck % 100) });
        }
    }
}

fn hear(mut births: EventReader<Born>, beings: Query<Ref<being::age>>, mut books: ResMut<Books>) {
    let there = births.read().filter(|born| beings.contains(born.0)).count();
    books.heard += there as u64;
}

/// Letters whose being is gone are burned.
fn burn(
    letters: Query<(Handle<Letter>, Ref<letter::to>)>,
    beings: Query<Ref<being::age>>,
    mut commands: Commands,
) {
    for (me, to) in &letters {
        if !beings.contains(*to) {
            commands.despawn(me);
        }
    }
}
