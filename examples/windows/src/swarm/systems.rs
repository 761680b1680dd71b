//! What happens to particles in a tick: three loops, each over a few fields. This file is compiled
//! twice, in `rows.rs` and in `columns.rs`; it knows nothing of the layout.

use std::time::Duration;

use lath::prelude::*;

use super::{Particle, particle};
use crate::swarm::{Body, Glow, Swarm, Wells};

/// How near to a well the pull stops growing.
const SOFT: f32 = 900.0;

/// What is pulled.
#[derive(View)]
#[view(Particle)]
pub struct Pulled<'a> {
    x: &'a f32,
    y: &'a f32,
    vx: &'a mut f32,
    vy: &'a mut f32,
}

/// Wells pull.
pub fn pull(mut particles: Query<Pulled>, wells: Res<Wells>, time: Res<Time>) {
    let (wells, dt) = (*wells, time.dt);
    particles.par_each(|particle| {
        let (mut ax, mut ay) = (0.0, 0.0);
        for well in wells.0 {
            let (dx, dy) = (well.x - *particle.x, well.y - *particle.y);
            let pull = well.strength / (dx * dx + dy * dy + SOFT);
            ax += dx * pull;
            ay += dy * pull;
        }
        *particle.vx += ax * dt;
        *particle.vy += ay * dt;
    });
}

/// What moves.
#[derive(View)]
#[view(Particle)]
pub struct Moving<'a> {
    x: &'a mut f32,
    y: &'a mut f32,
    vx: &'a f32,
    vy: &'a f32,
}

/// Everything moves.
pub fn drift(mut particles: Query<Moving>, time: Res<Time>) {
    let dt = time.dt;
    particles.par_each(|particle| {
        *particle.x += *particle.vx * dt;
        *particle.y += *particle.vy * dt;
    });
}

/// What is fast grows warm.
pub fn warm(mut particles: Query<(Mut<particle::heat>, Ref<particle::vx>, Ref<particle::vy>)>) {
    particles.par_each(|(mut heat, vx, vy)| {
        let speed = *vx * *vx + *vy * *vy;
        *heat += (speed * (1.0 / 40_000.0) - *heat) * 0.08;
    });
}

/// A world of particles, and what happens in it.
pub struct Field {
    world: World,
    schedule: Schedule,
    tick: u32,
}

impl Field {
    /// With these particles, at this time.
    pub fn new(bodies: &[Body], tick: u32, threads: usize) -> Self {
        let mut world = World::new();
        world.insert(Time { dt: 1.0 / 60.0 });
        world.insert(Wells::at(tick));
        let particles = bodies.iter().map(|&Body { x, y, vx, vy, heat }| Particle {
            x,
            y,
            vx,
            vy,
            heat,
            ..default()
        });
        world.pool_mut::<Particle>().spawn_many(particles).for_each(drop);
        let mut schedule = Schedule::new();
        schedule.threads(threads).add((pull, drift, warm));
        Self { world, schedule, tick }
    }
}

impl Swarm for Field {
    fn tick(&mut self) {
        self.tick += 1;
        self.world.insert(Wells::at(self.tick));
        self.schedule.run(&mut self.world);
    }

    fn set_threads(&mut self, threads: usize) {
        self.schedule.threads(threads);
    }

    fn times(&self) -> Vec<(String, Duration)> {
        self.schedule
            .report()
            .lines
            .into_iter()
            .map(|line| (line.name.into_owned(), line.last))
            .collect()
    }

    fn look(&self, glow: &mut Glow) {
        type Seen<'a> = (Ref<'a, particle::x>, Ref<'a, particle::y>, Ref<'a, particle::heat>);
        for (x, y, heat) in self.world.pool::<Particle>().view::<Seen>() {
            glow.add(*x, *y, *heat);
        }
    }

    fn bodies(&self) -> Vec<Body> {
        type All<'a> = (
            Ref<'a, particle::x>,
            Ref<'a, particle::y>,
            Ref<'a, particle::vx>,
            Ref<'a, particle::vy>,
            Ref<'a, particle::heat>,
        );
        let all = self.world.pool::<Particle>().view::<All>().iter();
        all.map(|(x, y, vx, vy, heat)| Body { x: *x, y: *y, vx: *vx, vy: *vy, heat: *heat })
            .collect()
    }
}
