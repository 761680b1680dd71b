//! Two towers hold a road against a wave: runners, and a wagon whose riders jump off when it
//! breaks.
//!
//! Shows: a whole small game in one pool. Tags instead of types, targets that go stale and are
//! noticed, shots spawned by commands, hits as events, riders in a tree of their own, and the same
//! battle on one thread and on several.
//!
//! Run: `cargo run --example tower_defence`

use lath::prelude::*;
use std::time::Duration;

const RANGE: f32 = 12.0;
const GATE: f32 = 40.0;

bitflags! {
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Tags: u8 {
        const CREEP = 1;
        const TOWER = 2;
        const SHOT = 4;
        const RIDING = 8;
    }
}

/// Everything on the board. Creeps walk, towers aim, shots fly; what they do not need stays at its
/// default.
#[derive(Thing, Clone, Debug, Default)]
struct Piece {
    #[thing(tags)]
    tags: Tags,
    name: &'static str,
    at: f32,
    speed: f32,
    hp: u32,
    loading: u32,
    target: Handle<Piece>,
}

/// Who rides on a wagon is left on the road when the wagon is gone.
struct Rides;

impl Relation for Rides {
    const ORPHANS: Orphans = Orphans::Detach;
}

/// Whoever is on the road. A view with nothing but a handle is a filter, for use in tuples.
#[derive(View)]
#[view(Piece, with = Tags::CREEP, without = Tags::RIDING)]
struct Creep {
    who: Handle<Piece>,
}

#[derive(View)]
#[view(Piece, with = Tags::RIDING)]
struct Rider<'a> {
    who: Handle<Piece>,
    at: &'a mut f32,
}

#[derive(View)]
#[view(Piece, with = Tags::TOWER)]
struct Tower<'a> {
    at: &'a f32,
    loading: &'a mut u32,
    target: &'a mut Handle<Piece>,
}

#[derive(View)]
#[view(Piece, with = Tags::SHOT)]
struct Shot<'a> {
    who: Handle<Piece>,
    at: &'a mut f32,
    speed: &'a f32,
    target: &'a Handle<Piece>,
}

/// An event: a shot has arrived at this piece.
struct Hit(Handle<Piece>);

/// A resource: a value of which there is one.
#[derive(Default)]
struct Game {
    tick: u32,
    lost_shots: u32,
    log: String,
}

fn main() {
    let game = battle(1);
    print!("{}", game.log);
    println!("{} shots lost their target", game.lost_shots);
    assert_eq!((game.log.matches("falls").count(), game.log.matches("is through").count()), (4, 2));
    assert!([2, 4].iter().all(|threads| battle(*threads).log == game.log));
    println!("on 1, 2 and 4 threads: the same battle");
}

/// Plays until the road is empty.
fn battle(threads: usize) -> Game {
    let mut world = World::new();
    world.insert(Game::default());
    for at in [10.0, 25.0] {
        world.spawn(Piece { tags: Tags::TOWER, at, ..default() });
    }

    let mut schedule = Schedule::new();
    schedule.threads(threads).parallel_from(Duration::ZERO); // small as it is, use the threads
    schedule.add((send_wave, walk, ride, aim));
    schedule.barrier(); // the shots are there from here on
    schedule.add((fly, hurt, clear));

    loop {
        schedule.run(&mut world);
        if world.pool::<Piece>().count_tagged(Tags::CREEP) == 0 {
            return world.remove().unwrap();
        }
    }
}

/// Runners first; then a wagon, which is linked to its riders before any of them is there.
fn send_wave(mut game: ResMut<Game>, mut commands: Commands) {
    game.tick += 1;
    match game.tick {
        1 | 3 | 5 => _ = commands.spawn(creep("runner", 2.5, 3)),
        6 => {
            let wagon = commands.spawn(creep("wagon", 1.0, 6));
            for name in ["rider", "postilion"] {
                let rider = commands
                    .spawn(Piece { tags: Tags::CREEP | Tags::RIDING, ..creep(name, 2.0, 2) });
                commands.attach_in::<Rides, _>(rider, wagon);
            }
        }
        _ => {}
    }
}

fn walk(mut creeps: Query<(Creep, Mut<piece::at>, Ref<piece::speed>)>) {
    creeps.each(|(_, mut at, speed)| *at += *speed);
}

/// Riders are where the wagon is. Without a wagon they walk.
fn ride(mut riders: Query<Rider>, seats: Tree<Piece, Rides>, mut commands: Commands) {
    riders.each_with_rest(|rider, rest| match seats.parent(rider.who) {
        Some(wagon) => *rider.at = rest.get::<Ref<piece::at>>(wagon).map_or(0.0, |at| *at),
        None => commands.remove_tags(rider.who, Tags::RIDING),
    });
}

/// A tower keeps its target until it is gone or out of range. Nobody tells it; its handle knows.
fn aim(mut towers: Query<Tower>, creeps: Query<(Creep, Ref<piece::at>)>, mut commands: Commands) {
    for tower in &mut towers {
        let in_range = |at: f32| (at - *tower.at).abs() <= RANGE;
        if !creeps.get(*tower.target).is_some_and(|(_, at)| in_range(*at)) {
            let first =
                creeps.iter().filter(|(_, at)| in_range(**at)).max_by(|a, b| a.1.total_cmp(&b.1));
            *tower.target = first.map_or(Handle::NIL, |(creep, _)| creep.who);
        }
        *tower.loading = tower.loading.saturating_sub(1);
        if *tower.loading == 0 && !tower.target.is_nil() {
            *tower.loading = 3;
            commands.spawn(Piece {
                tags: Tags::SHOT,
                at: *tower.at,
                speed: 4.0,
                target: *tower.target,
                ..default()
            });
        }
    }
}

/// Shots follow their targets. They write `at` and read that of others, so they take turns: one,
/// beside a look at the rest.
fn fly(
    mut shots: Query<Shot>,
    mut game: ResMut<Game>,
    mut hits: EventWriter<Hit>,
    mut commands: Commands,
) {
    shots.each_with_rest(|shot, rest| {
        let Some(goal) = rest.get::<Ref<piece::at>>(*shot.target) else {
            game.lost_shots += 1;
            commands.despawn(shot.who);
            return;
        };
        let way = *goal - *shot.at;
        *shot.at += way.clamp(-*shot.speed, *shot.speed);
        if *shot.at == *goal {
            hits.send(Hit(*shot.target));
            commands.despawn(shot.who);
        }
    });
}

fn hurt(mut hits: EventReader<Hit>, mut hps: Query<Mut<piece::hp>>) {
    for Hit(creep) in hits.read() {
        if let Some(mut hp) = hps.get_mut(*creep) {
            *hp = hp.saturating_sub(1);
        }
    }
}

/// Takes off the road who has fallen and who is through. In rows a query can also ask for whole
/// things.
fn clear(creeps: Query<(Creep, &Piece)>, mut game: ResMut<Game>, mut commands: Commands) {
    let game = &mut *game; // so that its fields can be borrowed one by one
    for (creep, piece) in &creeps {
        if piece.hp > 0 && piece.at < GATE {
            continue;
        }
        let end = if piece.hp == 0 { "falls" } else { "is through" };
        game.log += &format!("tick {}: the {} {end}\n", game.tick, piece.name);
        commands.despawn(creep.who);
    }
}

fn creep(name: &'static str, speed: f32, hp: u32) -> Piece {
    Piece { tags: Tags::CREEP, name, speed, hp, ..default() }
}

// Expected output:
//
// tick 8: the runner falls
// tick 15: the runner falls
// tick 21: the runner is through
// tick 26: the wagon falls
// tick 31: the postilion falls
// tick 37: the rider is through
// 3 shots lost their target
// on 1, 2 and 4 threads: the same battle
