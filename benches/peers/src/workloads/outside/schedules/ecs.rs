//! bevy_ecs with either executor, shipyard's workloads, evenio's events, hecs' command buffer.

use bevy_ecs::prelude::{
    Commands, Entity, IntoScheduleConfigs, Local, Message, MessageReader, MessageWriter, Query,
    Res, ResMut, Resource, Schedule, World as BevyWorld,
};
use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};
use evenio::prelude::*;
use shipyard::scheduler::SystemModificator;
use shipyard::{Unique, UniqueView, UniqueViewMut};

use super::{MESSAGES, THINGS, Ticking, content, result, value};
use crate::parts::components;

components! {
    struct Value(f32);
    struct Other(f32);
}

#[derive(Resource, Unique)]
struct Flag(bool);

/// What is counted or summed up.
#[derive(Resource, Unique, Component)]
struct Sum(u64);

fn schedule(multi: bool) -> Schedule {
    bevy_tasks::ComputeTaskPool::get_or_init(bevy_tasks::TaskPool::default);
    let mut schedule = Schedule::default();
    if multi {
        schedule.set_executor(MultiThreadedExecutor::new());
    } else {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    schedule
}

pub(super) struct BevyConditions {
    world: BevyWorld,
    schedule: Schedule,
}

impl BevyConditions {
    pub(super) fn new(multi: bool) -> Self {
        fn yes(flag: Res<Flag>) -> bool {
            flag.0
        }
        fn no(flag: Res<Flag>) -> bool {
            !flag.0
        }
        fn count(mut sum: ResMut<Sum>) {
            sum.0 += 1;
        }
        let mut world = BevyWorld::new();
        world.insert_resource(Flag(true));
        world.insert_resource(Sum(0));
        let mut schedule = schedule(multi);
        for _ in 0..50 {
            schedule.add_systems((count.run_if(yes), count.run_if(no)));
        }
        Self { world, schedule }
    }
}

impl Ticking for BevyConditions {
    fn tick(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn result(&mut self) -> u64 {
        self.world.resource::<Sum>().0
    }
}

pub(super) struct ShipyardConditions(shipyard::World);

impl ShipyardConditions {
    pub(super) fn new() -> Self {
        fn yes(flag: UniqueView<Flag>) -> bool {
            flag.0
        }
        fn no(flag: UniqueView<Flag>) -> bool {
            !flag.0
        }
        fn count(mut sum: UniqueViewMut<Sum>) {
            sum.0 += 1;
        }
        let world = shipyard::World::new();
        world.add_unique(Flag(true));
        world.add_unique(Sum(0));
        let all = (0..50).fold(shipyard::Workload::new("conditions"), |workload, _| {
            workload.with_system(count.run_if(yes)).with_system(count.run_if(no))
        });
        all.add_to_world(&world).expect("its name is not taken");
        Self(world)
    }
}

impl Ticking for ShipyardConditions {
    fn tick(&mut self) {
        self.0.run_default_workload().expect("nobody else borrows anything");
    }

    fn result(&mut self) -> u64 {
        self.0.run(|sum: UniqueView<Sum>| sum.0)
    }
}

#[derive(Message)]
struct Said(u64);

pub(super) struct BevyMessages {
    world: BevyWorld,
    schedule: Schedule,
}

impl BevyMessages {
    pub(super) fn new(multi: bool) -> Self {
        fn write(mut messages: MessageWriter<Said>) {
            messages.write_batch((0..MESSAGES).map(|n| Said(content(n))));
        }
        fn read(mut messages: MessageReader<Said>, mut sum: ResMut<Sum>) {
            sum.0 += messages.read().map(|said| said.0).sum::<u64>();
        }
        let mut world = BevyWorld::new();
        world.insert_resource(Sum(0));
        bevy_ecs::message::MessageRegistry::register_message::<Said>(&mut world);
        let mut schedule = schedule(multi);
        let update = bevy_ecs::message::message_update_system;
        schedule.add_systems((update, write, read).chain());
        Self { world, schedule }
    }
}

impl Ticking for BevyMessages {
    fn tick(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn result(&mut self) -> u64 {
        self.world.resource::<Sum>().0
    }
}

#[derive(GlobalEvent)]
struct Tick;

#[derive(GlobalEvent)]
struct Told(u64);

pub(super) struct EvenioMessages {
    world: World,
    sum: EntityId,
}

impl EvenioMessages {
    pub(super) fn new() -> Self {
        let mut world = World::new();
        let sum = world.spawn();
        world.insert(sum, Sum(0));
        world.add_handler(|_: Receiver<Tick>, mut sender: Sender<Told>| {
            (0..MESSAGES).for_each(|n| sender.send(Told(content(n))));
        });
        world.add_handler(|told: Receiver<Told>, Single(sum): Single<&mut Sum>| {
            sum.0 += told.event.0;
        });
        Self { world, sum }
    }
}

impl Ticking for EvenioMessages {
    fn tick(&mut self) {
        self.world.send(Tick);
    }

    fn result(&mut self) -> u64 {
        self.world.get::<Sum>(self.sum).map_or(0, |sum| sum.0)
    }
}

pub(super) struct HecsCommands {
    world: hecs::World,
    buffer: hecs::CommandBuffer,
    tick: u32,
}

impl HecsCommands {
    pub(super) fn new() -> Self {
        Self { world: hecs::World::new(), buffer: hecs::CommandBuffer::new(), tick: 0 }
    }
}

impl Ticking for HecsCommands {
    fn tick(&mut self) {
        let Self { world, buffer, tick } = self;
        let all = world.query_mut::<hecs::Entity>();
        all.into_iter().for_each(|thing| buffer.despawn(thing));
        (0..THINGS).for_each(|n| buffer.spawn((Value(value(*tick, n)), Other(1.0))));
        buffer.run_on(world);
        *tick += 1;
    }

    fn result(&mut self) -> u64 {
        result(self.world.query_mut::<&Value>().into_iter().map(|value| value.0))
    }
}

pub(super) struct BevyCommands {
    world: BevyWorld,
    schedule: Schedule,
}

impl BevyCommands {
    pub(super) fn new(multi: bool) -> Self {
        fn renew(
            all: Query<Entity, bevy_ecs::query::With<Value>>,
            mut commands: Commands,
            mut tick: Local<u32>,
        ) {
            all.iter().for_each(|thing| commands.entity(thing).despawn());
            for n in 0..THINGS {
                commands.spawn((Value(value(*tick, n)), Other(1.0)));
            }
            *tick += 1;
        }
        let mut schedule = schedule(multi);
        schedule.add_systems(renew);
        Self { world: BevyWorld::new(), schedule }
    }
}

impl Ticking for BevyCommands {
    fn tick(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn result(&mut self) -> u64 {
        let world = &mut self.world;
        result(world.query::<&Value>().iter(world).map(|value| value.0))
    }
}

#[derive(GlobalEvent)]
struct Clear;

#[derive(GlobalEvent)]
struct Renew(u32);

#[derive(GlobalEvent)]
struct AskValues<'a>(&'a mut Vec<f32>);

/// By two events: what one handler spawns may not take the places of what it despawns.
pub(super) struct EvenioCommands {
    world: World,
    tick: u32,
}

impl EvenioCommands {
    pub(super) fn new() -> Self {
        let mut world = World::new();
        world.add_handler(
            |_: Receiver<Clear>,
             all: Fetcher<(EntityId, With<&Value>)>,
             mut sender: Sender<Despawn>| {
                all.iter().for_each(|(thing, _)| sender.despawn(thing));
            },
        );
        world.add_handler(
            |renew: Receiver<Renew>, mut sender: Sender<(Spawn, Insert<Value>, Insert<Other>)>| {
                for n in 0..THINGS {
                    let thing = sender.spawn();
                    sender.insert(thing, Value(value(renew.event.0, n)));
                    sender.insert(thing, Other(1.0));
                }
            },
        );
        world.add_handler(|mut asked: ReceiverMut<AskValues>, all: Fetcher<&Value>| {
            asked.event.0.extend(all.iter().map(|value| value.0));
        });
        Self { world, tick: 0 }
    }
}

impl Ticking for EvenioCommands {
    fn tick(&mut self) {
        self.world.send(Clear);
        self.world.send(Renew(self.tick));
        self.tick += 1;
    }

    fn result(&mut self) -> u64 {
        let mut values = Vec::new();
        self.world.send(AskValues(&mut values));
        result(values.into_iter())
    }
}
