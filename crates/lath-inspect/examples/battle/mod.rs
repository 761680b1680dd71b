//! Two warbands on a field: the world that the example and the test of the page look at.
#![allow(missing_docs, dead_code, unreachable_pub, reason = "part of an example")]

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Ref, Thing, View};
use lath_inspect::Inspect;
use lath_schedule::{Commands, Query, Res, ResMut, Schedule, Time, World};
use serde::{Deserialize, Serialize};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub struct Tags: u32 { const MOVES = 1; const ORC = 2; const ELF = 4; const FROZEN = 8; const ITEM = 16; }
}

#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

#[derive(Thing, Inspect, Default)]
#[thing(columns)]
pub struct Actor {
    #[thing(tags)]
    pub tags: Tags,
    pub pos: Vec2,
    pub vel: Vec2,
    pub hp: f32,
    pub kills: u32,
    pub leader: Handle<Actor>,
    pub name: String,
}

#[derive(Thing, Inspect, Default)]
pub struct Camp {
    pub pos: Vec2,
    pub food: f32,
    pub banner: String,
}

/// Not named to the inspector: it shows how many there are.
#[derive(Thing, Default)]
pub struct Spark {
    pub heat: f32,
}

/// Random numbers that live in the world.
pub struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}

#[derive(View)]
#[view(Actor, with = Tags::MOVES, without = Tags::FROZEN)]
struct Moving<'a> {
    pos: &'a mut Vec2,
    vel: &'a mut Vec2,
}

/// Leaders stand still, and nobody dares to hit them.
#[derive(View)]
#[view(Actor, with = Tags::MOVES)]
struct Fighter<'a> {
    hp: &'a mut f32,
    kills: &'a mut u32,
}

/// The edge of the field, from its middle.
const EDGE: f32 = 100.0;

fn walk(mut actors: Query<Moving>, time: Res<Time>) {
    actors.each(|Moving { pos, vel }| {
        pos.x += vel.x * time.dt;
        pos.y += vel.y * time.dt;
        if pos.x.abs() > EDGE {
            vel.x = -pos.x.signum() * vel.x.abs();
        }
        if pos.y.abs() > EDGE {
            vel.y = -pos.y.signum() * vel.y.abs();
        }
    });
}

fn hunger(mut camps: Query<Mut<camp::food>>, actors: Query<Ref<actor::hp>>, time: Res<Time>) {
    let mouths = actors.into_iter().count() as f32;
    camps.each(|mut food| *food = (*food - mouths * time.dt * 0.001).max(0.0));
}

fn harvest(mut camps: Query<Mut<camp::food>>, mut dice: ResMut<Dice>) {
    if dice.roll() < 0.02 {
        camps.each(|mut food| *food += 10.0);
    }
}

fn heal(mut actors: Query<Mut<actor::hp>>, time: Res<Time>) {
    actors.each(|mut hp| *hp = (*hp + time.dt).min(100.0));
}

fn fight(mut actors: Query<Fighter>, mut dice: ResMut<Dice>) {
    let chance = dice.roll();
    let mut number = 0u32;
    actors.each(|Fighter { hp, kills }| {
        number = number.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let luck = (number >> 8) as f32 / (1u32 << 24) as f32;
        if (luck - chance).abs() < 0.0005 {
            *hp -= 60.0;
            *kills += 1;
        }
    });
}

fn bury(
    actors: Query<(Handle<Actor>, Ref<actor::hp>, Ref<actor::tags>)>,
    mut dice: ResMut<Dice>,
    mut commands: Commands,
) {
    for (who, hp, tags) in &actors {
        if *hp <= 0.0 && !tags.contains(Tags::ITEM) {
            commands.despawn(who);
            commands.spawn(recruit(&mut dice));
            commands.spawn(Spark { heat: 1.0 });
        }
    }
}

fn cool(sparks: Query<Handle<Spark>>, mut commands: Commands) {
    for spark in sparks.into_iter().skip(20) {
        commands.despawn(spark);
    }
}

fn recruit(dice: &mut Dice) -> Actor {
    let is_orc = dice.roll() < 0.5;
    let tags = if is_orc { Tags::ORC } else { Tags::ELF };
    let side = if is_orc { -1.0 } else { 1.0 };
    let pos = Vec2 { x: side * (dice.roll() * 80.0 + 10.0), y: (dice.roll() - 0.5) * 180.0 };
    let vel = Vec2 { x: (dice.roll() - 0.5) * 20.0, y: (dice.roll() - 0.5) * 20.0 };
    let number = (dice.roll() * 10_000.0) as u32;
    let name = if is_orc { format!("orc {number}") } else { format!("elf {number}") };
    Actor {
        tags: tags | Tags::MOVES,
        pos,
        vel,
        hp: 20.0 + dice.roll() * 80.0,
        name,
        ..Default::default()
    }
}

/// Two warbands: a leader, captains below it, soldiers below those, and what they carry.
pub fn populate(world: &mut World, actors: usize) {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut leaders = Vec::new();
    for (banner, tags, x) in [("Red Hand", Tags::ORC, -60.0), ("Silver Leaf", Tags::ELF, 60.0)] {
        world.spawn(Camp { pos: Vec2 { x, y: 0.0 }, food: 500.0, banner: banner.to_owned() });
        let name = format!("leader of the {banner}");
        let leader = Actor { tags, name, hp: 100.0, pos: Vec2 { x, y: 0.0 }, ..Default::default() };
        leaders.push(world.spawn(leader));
    }
    for number in 0..actors {
        let mut actor = recruit(&mut dice);
        let side = usize::from(actor.tags.contains(Tags::ELF));
        actor.leader = leaders[side];
        let who = world.spawn(actor);
        // The first of each hundred are captains; the tree below them has what is easy to look at.
        if number < 400 {
            let parent = if number % 20 == 0 { leaders[side] } else { leaders[number % 2] };
            let pool = world.pool_mut::<Actor>();
            let parent =
                pool.tree().last_child(parent).filter(|_| number % 20 != 0).unwrap_or(parent);
            pool.tree_mut().attach(who, parent).expect("both are there, and one of them is new");
        }
        if number < 400 && number % 8 == 0 {
            let sword = Actor {
                tags: Tags::ITEM,
                name: format!("sword {number}"),
                hp: 1.0,
                ..Default::default()
            };
            let sword = world.spawn(sword);
            world
                .pool_mut::<Actor>()
                .tree_mut()
                .attach(sword, who)
                .expect("both are there, and one of them is new");
        }
    }
    world.spawn(Spark { heat: 1.0 });
    world.insert(dice);
    world.insert(Time { dt: 1.0 / 60.0 });
}

/// What happens in a tick.
pub fn systems() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add((walk, hunger, harvest, heal, fight, bury, cool));
    schedule
}
