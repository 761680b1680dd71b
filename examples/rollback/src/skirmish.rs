//! A small game: two ships with turrets on them shoot at each other and at drifting rocks. Things
//! come and go all the time, are linked, tagged and named, so that a rollback that forgot anything
//! would be found out.

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Ref, Thing};
use lath_schedule::{Commands, Query, Schedule, World};
use lath_snapshot::{Save, SaveWorld};
use serde::{Deserialize, Serialize};

/// What a player presses: four bits to steer, one to fire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input(pub u8);

bitflags! {
    /// What a body is.
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub struct Tags: u8 {
        /// Steered by a player.
        const SHIP = 1;
        /// Sits on a ship.
        const TURRET = 2;
        /// Goes through others and is gone then.
        const SHOT = 4;
        /// Drifts.
        const ROCK = 8;
    }
}

/// Everything that is in space.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(columns)]
pub struct Body {
    /// What it is.
    #[thing(tags)]
    pub tags: Tags,
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it goes.
    pub vel: [f32; 2],
    /// How much it can take.
    pub hp: i32,
    /// Frames until it is gone; 0 for never.
    pub left: u32,
    /// Who made it.
    pub owner: Handle<Body>,
    /// What it is called.
    #[thing(cold)]
    pub name: String,
}

/// The dice and the score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Game {
    seed: u64,
    frame: u64,
    /// Rocks that were hit by the shots of each player.
    pub hits: [u32; 2],
    inputs: [Input; 2],
    ships: [u64; 2],
}

impl Game {
    fn roll(&mut self, sides: u32) -> u32 {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as u32 % sides
    }
}

/// A world with two ships and some rocks.
#[must_use]
pub fn world(seed: u64) -> World {
    let mut world = World::new();
    world.saves::<Body>();
    world.saves_resource::<Game>();
    let mut game = Game { seed, ..Game::default() };
    for (player, ship) in game.ships.iter_mut().enumerate() {
        let pos = [player as f32 * 100.0, 50.0];
        let hull = world.spawn(Body {
            tags: Tags::SHIP,
            pos,
            hp: 100,
            name: format!("ship {player}"),
            ..Body::default()
        });
        for side in [-1.0, 1.0] {
            let turret = world.spawn(Body {
                tags: Tags::TURRET,
                pos: [pos[0], pos[1] + side],
                hp: 9,
                ..Body::default()
            });
            world
                .pool_mut::<Body>()
                .tree_mut()
                .attach(turret, hull)
                .unwrap_or_else(|error| panic!("{error}"));
        }
        *ship = hull.to_bits();
    }
    for n in 0..60u8 {
        let pos = [game.roll(100) as f32, game.roll(100) as f32];
        let vel = [game.roll(7) as f32 - 3.0, game.roll(7) as f32 - 3.0];
        world.spawn(Body {
            tags: Tags::ROCK,
            pos,
            vel,
            hp: 3,
            name: format!("rock {n}"),
            ..Body::default()
        });
    }
    world.insert(game);
    world
}

/// The systems of a frame.
#[must_use]
pub fn schedule() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add(steer).add(drift).add(age).add(collide).add(refill);
    schedule
}

/// Plays a frame.
pub fn advance(world: &mut World, schedule: &mut Schedule, inputs: [Input; 2]) {
    let game = world.resource_mut::<Game>();
    game.inputs = inputs;
    game.frame += 1;
    schedule.run(world);
}

/// Ships turn and fire as the players say; turrets go along.
fn steer(world: &mut World) {
    let Game { inputs, ships, .. } = world.resource::<Game>().clone();
    let pool = world.pool_mut::<Body>();
    for (Input(keys), ship) in inputs.into_iter().zip(ships.map(Handle::<Body>::from_bits)) {
        let key = |bit: u8| f32::from(keys >> bit & 1);
        let Some(body) = pool.get_mut(ship) else { continue };
        body.vel[0] += (key(0) - key(1)) * 0.25;
        body.vel[1] += (key(2) - key(3)) * 0.25;
        let (pos, vel) = (*body.pos, *body.vel);
        let turrets: Vec<_> = pool.tree().children(ship).collect();
        for (n, turret) in turrets.into_iter().enumerate() {
            if let Some(turret) = pool.get_mut(turret) {
                *turret.pos = [pos[0], pos[1] + n as f32 * 2.0 - 1.0];
            }
            if key(4) > 0.0 {
                let vel = [vel[0] + 4.0, vel[1] + n as f32 - 0.5];
                let shot = Body {
                    tags: Tags::SHOT,
                    pos,
                    vel,
                    hp: 1,
                    left: 40,
                    owner: ship,
                    ..Body::default()
                };
                pool.spawn(shot);
            }
        }
    }
}

/// Everything moves, and comes back on the other side.
fn drift(mut bodies: Query<(Mut<body::pos>, Ref<body::vel>)>) {
    bodies.each(|(mut pos, vel)| {
        for (pos, vel) in pos.iter_mut().zip(*vel) {
            *pos = (*pos + vel * 0.5).rem_euclid(100.0);
        }
    });
}

/// What has a time to live loses some of it.
fn age(mut bodies: Query<(Handle<Body>, Mut<body::left>)>, mut commands: Commands) {
    for (who, mut left) in &mut bodies {
        if *left > 0 {
            *left -= 1;
            if *left == 0 {
                commands.despawn(who);
            }
        }
    }
}

/// Shots hit rocks.
fn collide(world: &mut World) {
    let ships = world.resource::<Game>().ships;
    let pool = world.pool::<Body>();
    let of = |tag: Tags| -> Vec<_> {
        pool.iter()
            .filter(|(_, body)| body.tags.contains(tag))
            .map(|(who, body)| (who, *body.pos, *body.owner))
            .collect()
    };
    let (shots, rocks) = (of(Tags::SHOT), of(Tags::ROCK));
    for (shot, at, owner) in shots {
        let near = |rock: &[f32; 2]| (rock[0] - at[0]).abs() + (rock[1] - at[1]).abs() < 3.0;
        let Some(&(rock, ..)) = rocks.iter().find(|(_, rock, _)| near(rock)) else { continue };
        let pool = world.pool_mut::<Body>();
        pool.despawn(shot);
        let mut gone = false;
        pool.edit(rock, |body| {
            *body.hp -= 1;
            gone = *body.hp <= 0;
        });
        if gone && pool.despawn_after(rock, 3) {
            let player = ships.iter().position(|ship| *ship == owner.to_bits()).unwrap_or(0);
            world.resource_mut::<Game>().hits[player] += 1;
        }
    }
}

/// Rocks that are gone are replaced, one at a time.
fn refill(world: &mut World) {
    let rocks = world.pool::<Body>().count_tagged(Tags::ROCK);
    let game = world.resource_mut::<Game>();
    let rock = (rocks < 60).then(|| {
        let pos = [game.roll(100) as f32, 0.0];
        let vel = [game.roll(7) as f32 - 3.0, game.roll(3) as f32 + 1.0];
        Body {
            tags: Tags::ROCK,
            pos,
            vel,
            hp: 3,
            name: format!("rock of frame {}", game.frame),
            ..Body::default()
        }
    });
    let reap = game.frame % 5 == 0;
    let pool = world.pool_mut::<Body>();
    if reap {
        pool.reap(u64::MAX);
    }
    if let Some(rock) = rock {
        pool.spawn(rock);
    }
}

/// A watcher of the score, for the example.
#[must_use]
pub fn score(world: &World) -> [u32; 2] {
    world.resource::<Game>().hits
}
