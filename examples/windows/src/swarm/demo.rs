//! The swarm to look at: a key switches the layout while it moves, and another the number of
//! threads.

use std::time::Instant;

use super::panel::Panel;
use super::{Glow, Layout, Swarm, disc, swarm};
use crate::canvas::{Canvas, Color};
use crate::show::Demo;

const SIZE: [u32; 2] = [1200, 640];
/// To the right of the times.
const MIDDLE: [f32; 2] = [730.0, 326.0];
/// How many ticks a stop of the tour lasts.
const STOP: u32 = 24;

/// How it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many particles there are.
    pub particles: u32,
    /// How they are kept at first.
    pub layout: Layout,
    /// The numbers of threads that there are to choose from. At least one.
    pub threads: Vec<usize>,
    /// Goes through all of them by itself.
    pub tour: bool,
}

/// A swarm, and what is known of its times.
pub struct SwarmDemo {
    swarm: Box<dyn Swarm>,
    options: Options,
    layout: Layout,
    /// Which of the numbers of threads.
    threads: usize,
    tick: u32,
    paused: bool,
    glow: Glow,
    panel: Panel,
}

impl SwarmDemo {
    /// As it is at the start.
    pub fn new(options: Options) -> Self {
        let Options { particles, layout, ref threads, .. } = options;
        let swarm = swarm(layout, &disc(particles), 0, threads.first().copied().unwrap_or(1));
        let panel = Panel::new(threads);
        let glow = Glow::new(SIZE[0], SIZE[1], MIDDLE);
        Self { swarm, layout, threads: 0, tick: 0, paused: false, glow, panel, options }
    }

    /// The particles, to look at.
    pub fn swarm(&self) -> &dyn Swarm {
        &*self.swarm
    }

    fn threads(&self) -> usize {
        self.options.threads.get(self.threads).copied().unwrap_or(1)
    }

    /// The same particles, kept in the other way.
    fn switch_layout(&mut self) {
        self.layout = self.layout.other();
        self.swarm = swarm(self.layout, &self.swarm.bodies(), self.tick, self.threads());
        self.panel.changed();
    }

    fn switch_threads(&mut self) {
        self.threads = (self.threads + 1) % self.options.threads.len().max(1);
        self.swarm.set_threads(self.threads());
        self.panel.changed();
    }
}

impl Demo for SwarmDemo {
    fn title(&self) -> &'static str {
        "lath: a swarm in rows and in columns"
    }

    fn size(&self) -> [u32; 2] {
        SIZE
    }

    fn tick(&mut self) {
        if self.paused {
            return;
        }
        if self.options.tour && self.tick > 0 && self.tick % STOP == 0 {
            self.switch_layout();
            if self.layout == self.options.layout {
                self.switch_threads();
            }
        }
        self.tick += 1;
        let start = Instant::now();
        self.swarm.tick();
        self.panel.note(self.layout, self.threads(), start.elapsed());
    }

    fn press(&mut self, key: char) {
        match key {
            ' ' | 'l' => self.switch_layout(),
            't' => self.switch_threads(),
            'a' => self.options.tour = !self.options.tour,
            'p' => self.paused = !self.paused,
            _ => {}
        }
    }

    fn draw(&mut self, canvas: &mut dyn Canvas) {
        let start = Instant::now();
        self.glow.clear();
        self.swarm.look(&mut self.glow);
        // As bright with few particles as with many.
        let gain = 700_000.0 / self.options.particles.max(1) as f32;
        canvas.picture(SIZE[0], SIZE[1], self.glow.colors(gain.min(4.0)));
        self.panel.note_drawing(start.elapsed());

        let size = size_of::<super::rows::Particle>();
        let title = format!("{} particles of {size} bytes", thousands(self.options.particles));
        self.panel.draw(canvas, &title, (self.layout, self.threads()), &self.swarm.times());
        let keys = "space layout   t threads   a tour   p pause";
        canvas.text([24.0, 608.0], 2.0, Color::rgb(0x8b94ad), keys);
    }
}

/// A number with its digits in groups.
fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n) % 3 == 0 {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_in_groups_of_three() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1 000", "1 234 567"]);
    }
}
