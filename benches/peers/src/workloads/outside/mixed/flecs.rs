//! Beings in components, systems of the pipeline.

use flecs_ecs::prelude::*;

use super::ecs::{At, Datum, Harm, Life, Speed, Sprite, Who};
use super::{Being, Frame, Seen, World as Beings, choose, fight, go, heal, reckon, turn};

#[derive(Component)]
struct Screen(Frame);

pub(super) struct Flecs(World);

impl Beings for Flecs {
    fn new(systems: usize) -> Self {
        let world = World::new();
        world.component::<Screen>().add_trait::<flecs::Singleton>();
        world.set(Screen(Frame::new()));
        world.system::<(&mut At, &Speed)>().each(|(at, speed)| go(&mut at.0, &speed.0));
        world.system::<&mut Datum>().each(|data| reckon(&mut data.0));
        if systems >= 3 {
            world
                .system::<(&At, &mut Speed, &mut Datum)>()
                .each(|(at, speed, data)| turn(&at.0, &mut speed.0, &mut data.0));
        }
        if systems >= 7 {
            world.system::<&mut Life>().each(|life| heal(&mut life.0));
            world.system::<(&mut Life, &Harm)>().each(|(life, harm)| fight(&mut life.0, &harm.0));
            world
                .system::<(&mut Sprite, &Who, &Life)>()
                .each(|(sprite, who, life)| choose(&mut sprite.0, &who.0, &life.0));
            world
                .system::<(&At, &Sprite, &mut Screen)>()
                .each(|(at, sprite, screen)| screen.0.draw(&at.0, sprite.0));
        }
        Self(world)
    }

    fn add(&mut self, being: Being) {
        let entity = self.0.entity().set(At(being.position));
        if let Some(velocity) = being.velocity {
            entity.set(Speed(velocity));
        }
        if let Some(data) = being.data {
            entity.set(Datum(data));
        }
        if let Some((player, health, damage)) = being.fighter {
            entity.set(Who(player)).set(Life(health)).set(Harm(damage));
        }
        if let Some(sprite) = being.sprite {
            entity.set(Sprite(sprite));
        }
    }

    fn update(&mut self) {
        self.0.progress();
    }

    fn sum(&mut self) -> u64 {
        let mut sum = 0u64;
        self.0.get::<&Screen>(|screen| sum = screen.0.sum());
        self.0.each::<&At>(|at| sum = sum.wrapping_add(at.0.seen()));
        self.0.each::<&Datum>(|data| sum = sum.wrapping_add(data.0.seen()));
        self.0.each::<&Life>(|life| sum = sum.wrapping_add(life.0.seen()));
        sum
    }
}
