//! Named and unnamed fields, one lifetime or both, every kind of parameter, structs within structs.
use lath_core::{Handle, Mut, Ref, Thing, View};
use lath_schedule::{
    Commands, EventReader, EventWriter, Local, Params, PoolRef, Query, Res, ResMut, Schedule, Tree, TreeMut, World,
};

#[derive(Thing, Default)]
pub struct Actor {
    pos: f32,
    vel: f32,
}

#[derive(View)]
#[view(Actor)]
struct Moving<'a> {
    pos: &'a mut f32,
    vel: &'a f32,
}

struct Time(f32);
struct Score(u32);
struct Bang;

/// Public, although the types of its fields are not.
#[derive(Params)]
pub struct Motion<'w> {
    movers: Query<'w, Moving<'w>>,
    time: Res<'w, Time>,
}

#[derive(Params)]
pub(crate) struct Counts<'s>(Local<'s, u32>);

#[derive(Params)]
struct Everything<'w, 's> {
    motion: Motion<'w>,
    counts: Counts<'s>,
    score: Option<ResMut<'w, Score>>,
    commands: Commands<'w>,
    sent: EventWriter<'w, Bang>,
    tree: TreeMut<'w, Actor>,
    pair: (Local<'s, u8>, Res<'w, u16>),
    r#type: Res<'w, u64>,
}

/// The lifetimes in the other order.
#[derive(Params)]
struct Reader<'s, 'w> {
    bangs: EventReader<'w, Bang>,
    tree: Tree<'w, Actor>,
    actors: PoolRef<'w, Actor>,
    last: Local<'s, Handle<Actor>>,
}

#[derive(Params)]
struct Tuple<'w>(Query<'w, (Ref<'w, actor::pos>, Handle<Actor>)>, pub Res<'w, Time>);

#[derive(Params)]
struct Whole<'w> {
    world: &'w mut World,
}

#[derive(Params)]
struct Generic<'w, 's, T: Send + Sync + 'static, const N: usize>
where
    [T; N]: Send + Sync,
{
    array: Res<'w, [T; N]>,
    sums: Local<'s, Vec<T>>,
}

fn act(mut all: Everything) {
    for mover in &mut all.motion.movers {
        *mover.pos += *mover.vel * all.motion.time.0;
    }
    *all.counts.0 += 1;
    if let Some(score) = &mut all.score {
        score.0 += *all.counts.0 + u32::from(*all.pair.1) + *all.r#type as u32;
    }
    all.sent.send(Bang);
    let new = all.commands.spawn(Actor::default());
    all.commands.despawn(new);
    all.tree.detach(Handle::NIL).ok();
    *all.pair.0 += 1;
}

fn hear(mut reader: Reader<'_, '_>) {
    assert_eq!(reader.bangs.read().count(), 1);
    let first = reader.actors.handles().next().unwrap();
    assert_eq!(reader.tree.parent(first), None);
    *reader.last = first;
}

fn look(Tuple(actors, time): Tuple) {
    for (pos, _) in &actors {
        assert_eq!(*pos, 2.0 * time.0);
    }
}

fn generic(mut generic: Generic<u8, 2>) {
    let array = *generic.array;
    generic.sums.extend(array);
}

fn main() {
    let mut world = World::new();
    world.insert(Time(0.5));
    world.insert(Score(0));
    world.insert(3u16);
    world.insert(4u64);
    world.insert([1u8, 2]);
    world.spawn(Actor { pos: 0.0, vel: 2.0 });
    let mut schedule = Schedule::new();
    schedule.add((act, hear, look, generic, Mut::<actor::pos>::check));
    schedule.add(|whole: Whole| assert_eq!(whole.world.resource::<Score>().0, 8));
    schedule.run(&mut world);
}

/// Parameters among others.
trait Check {
    fn check(tuple: Tuple, counts: Counts, score: Res<Score>);
}

impl Check for Mut<'_, actor::pos> {
    fn check(tuple: Tuple, mut counts: Counts, score: Res<Score>) {
        *counts.0 += 1;
        assert_eq!((tuple.0.count(), *counts.0, score.0), (1, 1, 8));
    }
}
