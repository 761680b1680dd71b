//! lath: `run_if`, events, `Commands`.

use lath_core::{Handle, Pool, Ref, Thing};
use lath_schedule::{
    Commands, EventReader, EventWriter, IntoSystem, Local, Query, Res, ResMut, Schedule, World,
};

use super::{MESSAGES, THINGS, Ticking, content, result, value};

/// A world and a schedule, on one thread or as many as there are.
struct Ticks {
    world: World,
    schedule: Schedule,
    serial: bool,
}

impl Ticks {
    fn tick(&mut self) {
        match self.serial {
            true => self.schedule.run_serial(&mut self.world),
            false => self.schedule.run(&mut self.world),
        }
    }
}

struct Flag(bool);

/// What is counted or summed up.
struct Sum(u64);

pub(super) struct Conditions(Ticks);

impl Conditions {
    pub(super) fn new(serial: bool) -> Self {
        fn yes(flag: Res<Flag>) -> bool {
            flag.0
        }
        fn no(flag: Res<Flag>) -> bool {
            !flag.0
        }
        fn count(mut sum: ResMut<Sum>) {
            sum.0 += 1;
        }
        let mut world = World::new();
        world.insert(Flag(true));
        world.insert(Sum(0));
        let mut schedule = Schedule::new();
        for _ in 0..50 {
            schedule.add(count.run_if(yes)).add(count.run_if(no));
        }
        Self(Ticks { world, schedule, serial })
    }
}

impl Ticking for Conditions {
    fn tick(&mut self) {
        self.0.tick();
    }

    fn result(&mut self) -> u64 {
        self.0.world.resource::<Sum>().0
    }
}

struct Message(u64);

pub(super) struct Messages(Ticks);

impl Messages {
    pub(super) fn new(serial: bool) -> Self {
        fn write(mut messages: EventWriter<Message>) {
            messages.extend((0..MESSAGES).map(|n| Message(content(n))));
        }
        fn read(mut messages: EventReader<Message>, mut sum: ResMut<Sum>) {
            sum.0 += messages.read().map(|message| message.0).sum::<u64>();
        }
        let mut world = World::new();
        world.insert(Sum(0));
        let mut schedule = Schedule::new();
        schedule.add((write, read));
        Self(Ticks { world, schedule, serial })
    }
}

impl Ticking for Messages {
    fn tick(&mut self) {
        self.0.tick();
    }

    fn result(&mut self) -> u64 {
        self.0.world.resource::<Sum>().0
    }
}

#[derive(Thing, Default)]
struct Spawned {
    value: f32,
    other: f32,
}

pub(super) struct Commanding(Ticks);

impl Commanding {
    pub(super) fn new(serial: bool) -> Self {
        fn renew(all: Query<Handle<Spawned>>, mut commands: Commands, mut tick: Local<u32>) {
            all.iter().for_each(|thing| commands.despawn(thing));
            for n in 0..THINGS {
                commands.spawn(Spawned { value: value(*tick, n), other: 1.0 });
            }
            *tick += 1;
        }
        let mut world = World::new();
        world.add_pool(Pool::<Spawned>::new());
        let mut schedule = Schedule::new();
        schedule.add(renew);
        Self(Ticks { world, schedule, serial })
    }
}

impl Ticking for Commanding {
    fn tick(&mut self) {
        self.0.tick();
    }

    fn result(&mut self) -> u64 {
        result(
            self.0.world.pool::<Spawned>().view::<Ref<spawned::value>>().iter().map(|value| *value),
        )
    }
}
