//! lath: one struct with four tags, a `Schedule` on one thread.

use lath_core::bitflags::bitflags;
use lath_core::{Ref, View};
use lath_schedule::{Query, ResMut, Schedule, World};

use super::{
    Being, Damage, Data, Frame, Health, Pair, Player, Seen, choose, fight, go, heal, reckon, turn,
};
use crate::things::both_ways;

bitflags! {
    #[derive(Clone, Copy, Default, PartialEq)]
    pub(crate) struct Has: u8 {
        const VELOCITY = 1;
        const DATA = 2;
        const FIGHTS = 4;
        const SPRITE = 8;
    }
}

both_ways! {
    /// All that beings have.
    BeingRow, BeingColumns {
        #[thing(tags)]
        has: Has,
        position: Pair,
        velocity: Pair,
        data: Data,
        player: Player,
        health: Health,
        damage: Damage,
        sprite: u32,
    }
}

impl From<Being> for BeingRow {
    fn from(Being { position, velocity, data, fighter, sprite }: Being) -> Self {
        let mut has = Has::empty();
        has.set(Has::VELOCITY, velocity.is_some());
        has.set(Has::DATA, data.is_some());
        has.set(Has::FIGHTS, fighter.is_some());
        has.set(Has::SPRITE, sprite.is_some());
        let (player, health, damage) = fighter.unwrap_or_default();
        Self {
            has,
            position,
            velocity: velocity.unwrap_or_default(),
            data: data.unwrap_or_default(),
            player,
            health,
            damage,
            sprite: sprite.unwrap_or_default(),
        }
    }
}

macro_rules! world {
    ($world:ident, $module:ident, $thing:ident, $field:ident) => {
        mod $module {
            use super::*;

            #[derive(View)]
            #[view($thing, with = Has::VELOCITY)]
            struct Moving<'a> {
                position: &'a mut Pair,
                velocity: &'a Pair,
            }

            #[derive(View)]
            #[view($thing, with = Has::DATA)]
            struct WithData<'a> {
                data: &'a mut Data,
            }

            #[derive(View)]
            #[view($thing, with = Has::VELOCITY.union(Has::DATA))]
            struct Turning<'a> {
                position: &'a Pair,
                velocity: &'a mut Pair,
                data: &'a mut Data,
            }

            #[derive(View)]
            #[view($thing, with = Has::FIGHTS)]
            struct Healing<'a> {
                health: &'a mut Health,
            }

            #[derive(View)]
            #[view($thing, with = Has::FIGHTS)]
            struct Fighting<'a> {
                health: &'a mut Health,
                damage: &'a Damage,
            }

            #[derive(View)]
            #[view($thing, with = Has::FIGHTS.union(Has::SPRITE))]
            struct Changing<'a> {
                sprite: &'a mut u32,
                player: &'a Player,
                health: &'a Health,
            }

            #[derive(View)]
            #[view($thing, with = Has::SPRITE)]
            struct Shown<'a> {
                position: &'a Pair,
                sprite: &'a u32,
            }

            fn go_all(mut all: Query<Moving>) {
                all.each(|Moving { position, velocity }| go(position, velocity));
            }

            fn reckon_all(mut all: Query<WithData>) {
                all.each(|WithData { data }| reckon(data));
            }

            fn turn_all(mut all: Query<Turning>) {
                all.each(|Turning { position, velocity, data }| turn(position, velocity, data));
            }

            fn heal_all(mut all: Query<Healing>) {
                all.each(|Healing { health }| heal(health));
            }

            fn fight_all(mut all: Query<Fighting>) {
                all.each(|Fighting { health, damage }| fight(health, damage));
            }

            fn choose_all(mut all: Query<Changing>) {
                all.each(|Changing { sprite, player, health }| choose(sprite, player, health));
            }

            fn draw_all(mut all: Query<Shown>, mut frame: ResMut<Frame>) {
                all.each(|Shown { position, sprite }| frame.draw(position, *sprite));
            }

            pub(in super::super) struct $world {
                world: World,
                schedule: Schedule,
            }

            impl super::super::World for $world {
                fn new(systems: usize) -> Self {
                    let mut world = World::new();
                    world.insert(Frame::new());
                    let mut schedule = Schedule::new();
                    schedule.add((go_all, reckon_all));
                    if systems >= 3 {
                        schedule.add(turn_all);
                    }
                    if systems >= 7 {
                        schedule.add((heal_all, fight_all, choose_all, draw_all));
                    }
                    Self { world, schedule }
                }

                fn add(&mut self, being: Being) {
                    self.world.spawn($thing::from(BeingRow::from(being)));
                }

                fn update(&mut self) {
                    self.schedule.run_serial(&mut self.world);
                }

                fn sum(&mut self) -> u64 {
                    let mut sum = self.world.resource::<Frame>().sum();
                    let pool = self.world.pool_mut::<$thing>();
                    pool.view_mut::<Ref<$field::position>>().each(|position| {
                        sum = sum.wrapping_add(position.seen());
                    });
                    pool.view_mut::<WithData>()
                        .each(|WithData { data }| sum = sum.wrapping_add(data.seen()));
                    pool.view_mut::<Healing>()
                        .each(|Healing { health }| sum = sum.wrapping_add(health.seen()));
                    sum
                }
            }
        }
        pub(super) use self::$module::$world;
    };
}

world!(Rows, in_rows, BeingRow, being_row);
world!(Columns, in_columns, BeingColumns, being_columns);
