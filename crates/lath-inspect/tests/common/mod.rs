//! A world with one of everything that a field can be.
#![allow(dead_code, unreachable_pub)] // not every test uses all of it

#[path = "../../../lath-core/tests/common/dice.rs"]
pub(crate) mod dice;

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Ref, Thing};
use lath_inspect::{Inspect, Inspector, Request, Response};
use lath_schedule::{Query, Schedule, World};
use serde::{Deserialize, Serialize};
use serde_json::Value;

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub struct Tags: u32 { const MOVES = 1; const ITEM = 2; const FROZEN = 4; }
}

#[derive(Clone, Copy, Default, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vec2 {
    pub x: f32,
    pub y: f32,
}

/// Can do nothing.
#[derive(Default)]
pub struct Opaque;

/// Only shows itself.
#[derive(Default, Debug)]
pub enum Mood {
    #[default]
    Calm,
    Angry,
}

#[derive(Thing, Inspect, Default)]
#[thing(columns)]
pub struct Actor {
    #[thing(tags)]
    pub tags: Tags,
    pub pos: Vec2,
    #[thing(hot)]
    pub hp: f32,
    pub seed: u64,
    pub asleep: bool,
    pub mood: Mood,
    pub opaque: Opaque,
    pub target: Handle<Actor>,
    pub home: Handle<House>,
    #[thing(cold)]
    pub name: String,
}

#[derive(Thing, Inspect, Default)]
pub struct House {
    pub rooms: u8,
    pub plan: [[f32; 2]; 2],
}

/// Not shown.
#[derive(Thing, Default)]
pub struct Spark {
    pub heat: f32,
}

pub struct Fixture {
    pub world: World,
    pub schedule: Schedule,
    pub inspector: Inspector,
    pub actors: Vec<Handle<Actor>>,
}

pub fn walk(mut actors: Query<(Mut<actor::pos>, Ref<actor::hp>)>) {
    actors.each(|(mut pos, hp)| pos.x += *hp);
}

pub fn tire(mut actors: Query<Mut<actor::hp>>) {
    actors.each(|mut hp| *hp -= 0.5);
}

impl Fixture {
    /// Ten actors: number 0 has the others below it, number 1 has number 2.
    pub fn new() -> Self {
        let mut world = World::new();
        let house = world.spawn(House { rooms: 3, ..Default::default() });
        world.spawn(Spark { heat: 1.0 });
        let mut actors = Vec::new();
        for number in 0..10u8 {
            let tags = if number % 2 == 0 { Tags::MOVES } else { Tags::ITEM | Tags::FROZEN };
            let name = if number == 9 { String::new() } else { format!("Orc {number}") };
            actors.push(world.spawn(Actor {
                tags,
                pos: Vec2 { x: f32::from(number), y: f32::from(number) * 10.0 },
                hp: 100.0 - f32::from(number),
                seed: u64::MAX - u64::from(number),
                asleep: number == 3,
                mood: if number == 4 { Mood::Angry } else { Mood::Calm },
                home: house,
                name,
                target: actors.last().copied().unwrap_or_default(),
                opaque: Opaque,
            }));
        }
        let mut tree = world.pool_mut::<Actor>().tree_mut();
        for &child in &actors[1..] {
            tree.attach(child, actors[0]).unwrap();
        }
        tree.attach(actors[2], actors[1]).unwrap();
        let mut schedule = Schedule::new();
        schedule.add(walk).add(tire);
        let mut inspector = Inspector::new();
        inspector.pool::<Actor>().pool::<House>();
        Self { world, schedule, inspector, actors }
    }

    pub fn ask(&mut self, request: Request) -> Response {
        self.inspector.handle(&mut self.world, &mut self.schedule, request)
    }

    /// What is asked for, which must be had.
    pub fn get(&mut self, target: &str) -> Value {
        let response = self.ask(Request::get(&format!("/api/v1/{target}")));
        assert_eq!(response.status, 200, "{target}: {}", response.body);
        response.body
    }

    pub fn post(&mut self, path: &str, body: Value) -> Response {
        self.ask(Request::post(&format!("/api/v1/{path}"), body))
    }

    /// What is told, which must be done.
    pub fn tell(&mut self, path: &str, body: Value) -> Value {
        let response = self.post(path, body);
        assert_eq!(response.status, 200, "{path}: {}", response.body);
        response.body
    }

    /// The handle of an actor, as requests have it.
    pub fn id(&self, number: usize) -> String {
        self.actors[number].to_bits().to_string()
    }
}

/// The field of a thing's details.
pub fn field<'a>(thing: &'a Value, name: &str) -> &'a Value {
    let fields = thing["fields"].as_array().unwrap();
    fields
        .iter()
        .find(|field| field["name"] == name)
        .unwrap_or_else(|| panic!("no field {name} in {thing}"))
}

/// The labels of some rows or nodes.
pub fn labels(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["label"].as_str().unwrap_or("gone")).collect()
}
