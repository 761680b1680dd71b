//! Beings in components. hecs, sparsey and shipyard call the systems one after the other, sparsey
//! with groups for what is walked together; bevy_ecs has them in a schedule on one thread; evenio
//! calls them as handlers of one event.

use bevy_ecs::prelude::{Query, ResMut, Resource, Schedule, World as BevyWorld};
use bevy_ecs::schedule::SingleThreadedExecutor;
use evenio::prelude::*;
use shipyard::{IntoIter, View, ViewMut};

use super::{
    Being, Damage, Data, Frame, Health, Pair, Player, Seen, World as Beings, choose, fight, go,
    heal, reckon, turn,
};
use crate::parts::components;

components! {
    struct At(Pair);
    struct Speed(Pair);
    struct Datum(Data);
    struct Who(Player);
    struct Life(Health);
    struct Harm(Damage);
    struct Sprite(u32);
}

fn sum_of(sum: u64, seen: &impl Seen) -> u64 {
    sum.wrapping_add(seen.seen())
}

pub(super) struct Hecs {
    world: hecs::World,
    frame: Frame,
    systems: usize,
}

impl Beings for Hecs {
    fn new(systems: usize) -> Self {
        Self { world: hecs::World::new(), frame: Frame::new(), systems }
    }

    fn add(&mut self, being: Being) {
        let mut builder = hecs::EntityBuilder::new();
        builder.add(At(being.position));
        if let Some(velocity) = being.velocity {
            builder.add(Speed(velocity));
        }
        if let Some(data) = being.data {
            builder.add(Datum(data));
        }
        if let Some(sprite) = being.sprite {
            builder.add(Sprite(sprite));
        }
        if let Some((player, health, damage)) = being.fighter {
            builder.add(Who(player)).add(Life(health)).add(Harm(damage));
        }
        self.world.spawn(builder.build());
    }

    fn update(&mut self) {
        let Self { world, frame, systems } = self;
        let moving = world.query_mut::<(&mut At, &Speed)>();
        moving.into_iter().for_each(|(at, speed)| go(&mut at.0, &speed.0));
        world.query_mut::<&mut Datum>().into_iter().for_each(|data| reckon(&mut data.0));
        if *systems < 3 {
            return;
        }
        let turning = world.query_mut::<(&At, &mut Speed, &mut Datum)>();
        turning.into_iter().for_each(|(at, speed, data)| turn(&at.0, &mut speed.0, &mut data.0));
        if *systems < 7 {
            return;
        }
        world.query_mut::<&mut Life>().into_iter().for_each(|life| heal(&mut life.0));
        let fighting = world.query_mut::<(&mut Life, &Harm)>();
        fighting.into_iter().for_each(|(life, harm)| fight(&mut life.0, &harm.0));
        let changing = world.query_mut::<(&mut Sprite, &Who, &Life)>();
        changing.into_iter().for_each(|(sprite, who, life)| choose(&mut sprite.0, &who.0, &life.0));
        let shown = world.query_mut::<(&At, &Sprite)>();
        shown.into_iter().for_each(|(at, sprite)| frame.draw(&at.0, sprite.0));
    }

    fn sum(&mut self) -> u64 {
        let world = &mut self.world;
        let sum = self.frame.sum();
        let sum = world.query_mut::<&At>().into_iter().fold(sum, |sum, at| sum_of(sum, &at.0));
        let data = world.query_mut::<&Datum>().into_iter();
        let sum = data.fold(sum, |sum, data| sum_of(sum, &data.0));
        world.query_mut::<&Life>().into_iter().fold(sum, |sum, life| sum_of(sum, &life.0))
    }
}

#[derive(Resource)]
struct Screen(Frame);

fn go_all(mut all: Query<(&mut At, &Speed)>) {
    all.iter_mut().for_each(|(mut at, speed)| go(&mut at.0, &speed.0));
}

fn reckon_all(mut all: Query<&mut Datum>) {
    all.iter_mut().for_each(|mut data| reckon(&mut data.0));
}

fn turn_all(mut all: Query<(&At, &mut Speed, &mut Datum)>) {
    let all = all.iter_mut();
    all.for_each(|(at, mut speed, mut data)| turn(&at.0, &mut speed.0, &mut data.0));
}

fn heal_all(mut all: Query<&mut Life>) {
    all.iter_mut().for_each(|mut life| heal(&mut life.0));
}

fn fight_all(mut all: Query<(&mut Life, &Harm)>) {
    all.iter_mut().for_each(|(mut life, harm)| fight(&mut life.0, &harm.0));
}

fn choose_all(mut all: Query<(&mut Sprite, &Who, &Life)>) {
    all.iter_mut().for_each(|(mut sprite, who, life)| choose(&mut sprite.0, &who.0, &life.0));
}

fn draw_all(all: Query<(&At, &Sprite)>, mut screen: ResMut<Screen>) {
    all.iter().for_each(|(at, sprite)| screen.0.draw(&at.0, sprite.0));
}

pub(super) struct Bevy {
    world: BevyWorld,
    schedule: Schedule,
}

impl Beings for Bevy {
    fn new(systems: usize) -> Self {
        let mut world = BevyWorld::new();
        world.insert_resource(Screen(Frame::new()));
        let mut schedule = Schedule::default();
        schedule.set_executor(SingleThreadedExecutor::new());
        // In this order: where they conflict, the order of addition is not one.
        use bevy_ecs::schedule::IntoScheduleConfigs;
        match systems {
            2 => schedule.add_systems((go_all, reckon_all).chain()),
            3 => schedule.add_systems((go_all, reckon_all, turn_all).chain()),
            _ => {
                let first = (go_all, reckon_all, turn_all, heal_all).chain();
                let last = (fight_all, choose_all, draw_all).chain();
                schedule.add_systems((first, last).chain())
            }
        };
        Self { world, schedule }
    }

    fn add(&mut self, being: Being) {
        let mut entity = self.world.spawn(At(being.position));
        if let Some(velocity) = being.velocity {
            entity.insert(Speed(velocity));
        }
        if let Some(data) = being.data {
            entity.insert(Datum(data));
        }
        if let Some((player, health, damage)) = being.fighter {
            entity.insert((Who(player), Life(health), Harm(damage)));
        }
        if let Some(sprite) = being.sprite {
            entity.insert(Sprite(sprite));
        }
    }

    fn update(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn sum(&mut self) -> u64 {
        let world = &mut self.world;
        let sum = world.resource::<Screen>().0.sum();
        let sum = world.query::<&At>().iter(world).fold(sum, |sum, at| sum_of(sum, &at.0));
        let sum = world.query::<&Datum>().iter(world).fold(sum, |sum, data| sum_of(sum, &data.0));
        world.query::<&Life>().iter(world).fold(sum, |sum, life| sum_of(sum, &life.0))
    }
}

#[derive(GlobalEvent)]
struct Tick;

#[derive(GlobalEvent)]
struct Sum<'a>(&'a mut u64);

#[derive(Component)]
struct Canvas(Frame);

pub(super) struct Evenio(World);

impl Beings for Evenio {
    fn new(systems: usize) -> Self {
        let mut world = World::new();
        let canvas = world.spawn();
        world.insert(canvas, Canvas(Frame::new()));
        world.add_handler(|_: Receiver<Tick>, all: Fetcher<(&mut At, &Speed)>| {
            all.into_iter().for_each(|(at, speed)| go(&mut at.0, &speed.0));
        });
        world.add_handler(|_: Receiver<Tick>, all: Fetcher<&mut Datum>| {
            all.into_iter().for_each(|data| reckon(&mut data.0));
        });
        if systems >= 3 {
            world.add_handler(|_: Receiver<Tick>, all: Fetcher<(&At, &mut Speed, &mut Datum)>| {
                let all = all.into_iter();
                all.for_each(|(at, speed, data)| turn(&at.0, &mut speed.0, &mut data.0));
            });
        }
        if systems >= 7 {
            world.add_handler(|_: Receiver<Tick>, all: Fetcher<&mut Life>| {
                all.into_iter().for_each(|life| heal(&mut life.0));
            });
            world.add_handler(|_: Receiver<Tick>, all: Fetcher<(&mut Life, &Harm)>| {
                all.into_iter().for_each(|(life, harm)| fight(&mut life.0, &harm.0));
            });
            world.add_handler(|_: Receiver<Tick>, all: Fetcher<(&mut Sprite, &Who, &Life)>| {
                let all = all.into_iter();
                all.for_each(|(sprite, who, life)| choose(&mut sprite.0, &who.0, &life.0));
            });
            world.add_handler(
                |_: Receiver<Tick>,
                 all: Fetcher<(&At, &Sprite)>,
                 Single(canvas): Single<&mut Canvas>| {
                    all.into_iter().for_each(|(at, sprite)| canvas.0.draw(&at.0, sprite.0));
                },
            );
        }
        world.add_handler(
            |mut sum: ReceiverMut<Sum>,
             at: Fetcher<&At>,
             data: Fetcher<&Datum>,
             life: Fetcher<&Life>,
             Single(canvas): Single<&Canvas>| {
                let all = at.iter().fold(canvas.0.sum(), |sum, at| sum_of(sum, &at.0));
                let all = data.iter().fold(all, |sum, data| sum_of(sum, &data.0));
                *sum.event.0 = life.iter().fold(all, |sum, life| sum_of(sum, &life.0));
            },
        );
        Self(world)
    }

    fn add(&mut self, being: Being) {
        let entity = self.0.spawn();
        self.0.insert(entity, At(being.position));
        if let Some(velocity) = being.velocity {
            self.0.insert(entity, Speed(velocity));
        }
        if let Some(data) = being.data {
            self.0.insert(entity, Datum(data));
        }
        if let Some((player, health, damage)) = being.fighter {
            self.0.insert(entity, Who(player));
            self.0.insert(entity, Life(health));
            self.0.insert(entity, Harm(damage));
        }
        if let Some(sprite) = being.sprite {
            self.0.insert(entity, Sprite(sprite));
        }
    }

    fn update(&mut self) {
        self.0.send(Tick);
    }

    fn sum(&mut self) -> u64 {
        let mut sum = 0;
        self.0.send(Sum(&mut sum));
        sum
    }
}

pub(super) struct Sparsey {
    world: sparsey::World,
    frame: Frame,
    systems: usize,
}

impl Beings for Sparsey {
    fn new(systems: usize) -> Self {
        let mut builder = sparsey::World::builder();
        builder.add_group::<(At, Speed)>().add_group::<(At, Speed, Datum)>();
        builder.add_group::<(Life, Harm, Who)>().add_group::<(Life, Harm, Who, Sprite)>();
        Self { world: builder.build(), frame: Frame::new(), systems }
    }

    fn add(&mut self, being: Being) {
        let entity = self.world.create((At(being.position),));
        if let Some(velocity) = being.velocity {
            self.world.insert(entity, (Speed(velocity),));
        }
        if let Some(data) = being.data {
            self.world.insert(entity, (Datum(data),));
        }
        if let Some((player, health, damage)) = being.fighter {
            self.world.insert(entity, (Who(player), Life(health), Harm(damage)));
        }
        if let Some(sprite) = being.sprite {
            self.world.insert(entity, (Sprite(sprite),));
        }
    }

    fn update(&mut self) {
        let Self { world, frame, systems } = self;
        let mut moving = world.query_all::<(&mut At, &Speed)>();
        let (at, speeds) = moving.slice().expect("a group");
        at.iter_mut().zip(speeds).for_each(|(at, speed)| go(&mut at.0, &speed.0));
        drop(moving);
        let mut data = world.borrow_mut::<Datum>();
        data.as_mut_slice().iter_mut().for_each(|data| reckon(&mut data.0));
        drop(data);
        if *systems < 3 {
            return;
        }
        let mut turning = world.query_all::<(&At, &mut Speed, &mut Datum)>();
        let (at, speeds, data) = turning.slice().expect("a group");
        let all = at.iter().zip(speeds).zip(data);
        all.for_each(|((at, speed), data)| turn(&at.0, &mut speed.0, &mut data.0));
        drop(turning);
        if *systems < 7 {
            return;
        }
        let mut lives = world.borrow_mut::<Life>();
        lives.as_mut_slice().iter_mut().for_each(|life| heal(&mut life.0));
        drop(lives);
        let mut fighting = world.query_all::<(&mut Life, &Harm)>();
        fighting.for_each(|(life, harm)| fight(&mut life.0, &harm.0));
        drop(fighting);
        let mut changing = world.query_all::<(&mut Sprite, &Who, &Life)>();
        changing.for_each(|(sprite, who, life)| choose(&mut sprite.0, &who.0, &life.0));
        drop(changing);
        let mut shown = world.query_all::<(&At, &Sprite)>();
        shown.for_each(|(at, sprite)| frame.draw(&at.0, sprite.0));
    }

    fn sum(&mut self) -> u64 {
        let world = &self.world;
        let at = world.borrow::<At>();
        let sum = at.as_slice().iter().fold(self.frame.sum(), |sum, at| sum_of(sum, &at.0));
        let data = world.borrow::<Datum>();
        let sum = data.as_slice().iter().fold(sum, |sum, data| sum_of(sum, &data.0));
        let lives = world.borrow::<Life>();
        lives.as_slice().iter().fold(sum, |sum, life| sum_of(sum, &life.0))
    }
}

pub(super) struct Shipyard {
    world: shipyard::World,
    frame: Frame,
    systems: usize,
}

impl Beings for Shipyard {
    fn new(systems: usize) -> Self {
        Self { world: shipyard::World::new(), frame: Frame::new(), systems }
    }

    fn add(&mut self, being: Being) {
        let entity = self.world.add_entity(At(being.position));
        if let Some(velocity) = being.velocity {
            self.world.add_component(entity, Speed(velocity));
        }
        if let Some(data) = being.data {
            self.world.add_component(entity, Datum(data));
        }
        if let Some((player, health, damage)) = being.fighter {
            self.world.add_component(entity, (Who(player), Life(health), Harm(damage)));
        }
        if let Some(sprite) = being.sprite {
            self.world.add_component(entity, Sprite(sprite));
        }
    }

    fn update(&mut self) {
        let Self { world, frame, systems } = self;
        world.run(|mut at: ViewMut<At>, speeds: View<Speed>| {
            (&mut at, &speeds).iter().for_each(|(at, speed)| go(&mut at.0, &speed.0));
        });
        world.run(|mut data: ViewMut<Datum>| {
            (&mut data).iter().for_each(|data| reckon(&mut data.0));
        });
        if *systems < 3 {
            return;
        }
        world.run(|at: View<At>, mut speeds: ViewMut<Speed>, mut data: ViewMut<Datum>| {
            let all = (&at, &mut speeds, &mut data).iter();
            all.for_each(|(at, speed, data)| turn(&at.0, &mut speed.0, &mut data.0));
        });
        if *systems < 7 {
            return;
        }
        world.run(|mut lives: ViewMut<Life>| {
            (&mut lives).iter().for_each(|life| heal(&mut life.0));
        });
        world.run(|mut lives: ViewMut<Life>, harms: View<Harm>| {
            (&mut lives, &harms).iter().for_each(|(life, harm)| fight(&mut life.0, &harm.0));
        });
        world.run(|mut sprites: ViewMut<Sprite>, who: View<Who>, lives: View<Life>| {
            let all = (&mut sprites, &who, &lives).iter();
            all.for_each(|(sprite, who, life)| choose(&mut sprite.0, &who.0, &life.0));
        });
        world.run(|at: View<At>, sprites: View<Sprite>| {
            (&at, &sprites).iter().for_each(|(at, sprite)| frame.draw(&at.0, sprite.0));
        });
    }

    fn sum(&mut self) -> u64 {
        let frame = self.frame.sum();
        self.world.run(|at: View<At>, data: View<Datum>, lives: View<Life>| {
            let sum = at.iter().fold(frame, |sum, at| sum_of(sum, &at.0));
            let sum = data.iter().fold(sum, |sum, data| sum_of(sum, &data.0));
            lives.iter().fold(sum, |sum, life| sum_of(sum, &life.0))
        })
    }
}
