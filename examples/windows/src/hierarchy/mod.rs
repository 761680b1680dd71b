//! The hierarchy demo: everything that moves is attached to something else that moves, and `place`
//! (a sweep down the tree) works out where that is.

mod crane;
mod draw;
mod parts;
mod solar;

use lath::prelude::*;

pub use crane::{Crane, reach};
pub use parts::{Part, Pose, Shape, part, place, spin};
pub use solar::Probe;

use crate::canvas::{Canvas, Color, Point, rectangle, text_width};
use crate::show::Demo;

const SIZE: [u32; 2] = [1200, 640];
const SUN: Point = [310.0, 326.0];
const YARD: Point = [900.0, 586.0];
const INK: Color = Color::rgb(0xaab4d0);

/// A solar system and a crane.
pub struct Hierarchy {
    world: World,
    schedule: Schedule,
    paused: bool,
}

impl Hierarchy {
    /// As it is at the start.
    pub fn new() -> Self {
        let mut world = World::new();
        world.insert(Time { dt: 1.0 / 60.0 });
        let parts = world.pool_mut::<Part>();
        let (probe, crane) = (solar::build(parts, SUN), crane::build(parts, YARD));
        world.insert(probe);
        world.insert(crane);

        let mut schedule = Schedule::new();
        schedule.add((spin, solar::hop, crane::operate)).barrier().add(place);
        Self { world, schedule, paused: false }
    }

    /// All parts, to look at.
    pub fn parts(&self) -> &Pool<Part> {
        self.world.pool()
    }

    /// The outermost planet goes, and all that is attached to it. Nobody is told: handles know.
    pub fn lose_planet(&mut self) {
        let planets =
            self.world.resource::<Probe>().planets.iter().rev().map(|(planet, _)| *planet);
        let outermost = planets.into_iter().find(|planet| self.parts().contains(*planet));
        if let Some(planet) = outermost {
            let orbit = self.parts().tree().parent(planet).unwrap_or(planet);
            self.world.despawn(orbit);
        }
    }

    fn stars(canvas: &mut dyn Canvas) {
        for n in 0..170 {
            let [x, y, light] =
                [0.754_878, 0.569_84, 0.381_966].map(|step: f32| (n as f32 * step).fract());
            let size = 0.5 + 0.8 * light;
            canvas.disc(
                [x * 600.0, y * 640.0],
                size,
                Color::rgb(0xdfe6ff).fade(0.15 + 0.5 * light),
            );
        }
    }

    fn trail(&self, canvas: &mut dyn Canvas) {
        let trail = &self.world.resource::<Probe>().trail;
        for (n, (from, to)) in trail.iter().zip(trail.iter().skip(1)).enumerate() {
            canvas.line(
                &[*from, *to],
                1.5,
                Color::rgb(0x9fe0ff).fade(0.6 * n as f32 / trail.len() as f32),
            );
        }
    }

    /// The tree of the yard, as text: crates move in it, too.
    fn tree(&self, canvas: &mut dyn Canvas) {
        let (parts, yard) = (self.parts(), self.world.resource::<Crane>().yard);
        let text = parts.tree().draw(yard, |part| *parts.read(part).name);
        for (n, line) in text.lines().enumerate() {
            let color = parts
                .tree()
                .descendants(yard)
                .nth(n.wrapping_sub(1))
                .map(|part| *parts.read(part).color);
            let at = [628.0, 50.0 + 22.0 * n as f32];
            let lines = line.rfind(['─']).map_or(0, |end| end + '─'.len_utf8());
            canvas.text(at, 2.0, INK.fade(0.55), &line[..lines]);
            let [r, g, b] = color.map_or([0; 3], |color| [color.red, color.green, color.blue]);
            let bright = u32::from(r) + u32::from(g) + u32::from(b) > 300;
            let left = at[0]
                + 12.0 * line[..lines].chars().count() as f32
                + if lines > 0 { 6.0 } else { 0.0 };
            canvas.text(
                [left, at[1]],
                2.0,
                color.filter(|_| bright).unwrap_or(INK),
                line[lines..].trim_start(),
            );
        }
    }
}

impl Default for Hierarchy {
    fn default() -> Self {
        Self::new()
    }
}

impl Demo for Hierarchy {
    fn title(&self) -> &'static str {
        "lath: a hierarchy of moving parts"
    }

    fn size(&self) -> [u32; 2] {
        SIZE
    }

    fn tick(&mut self) {
        if !self.paused {
            self.schedule.run(&mut self.world);
        }
    }

    fn press(&mut self, key: char) {
        match key {
            ' ' => self.paused = !self.paused,
            'd' => self.lose_planet(),
            'r' => *self = Self::new(),
            _ => {}
        }
    }

    fn draw(&mut self, canvas: &mut dyn Canvas) {
        canvas.clear(Color::rgb(0x0b0e1a));
        Self::stars(canvas);
        rectangle(canvas, [600.0, 0.0], [600.0, 640.0], Color::rgb(0x171c28));
        rectangle(canvas, [600.0, YARD[1]], [600.0, 640.0 - YARD[1]], Color::rgb(0x2a3140));
        self.trail(canvas);
        draw::parts(canvas, self.parts(), SUN);
        self.tree(canvas);
        canvas.text([24.0, 20.0], 2.0, INK, "solar system");
        canvas.text([628.0, 20.0], 2.0, INK, "crane");
        let count = format!("{} parts, one sweep", self.parts().len());
        canvas.text([1176.0 - text_width(2.0, &count), 20.0], 2.0, INK.fade(0.7), &count);
        canvas.text([628.0, 606.0], 2.0, INK.fade(0.7), "space pause  d lose a planet  r restart");
    }
}
