//! The times on screen: one bar for each layout and number of threads that was tried.

use std::time::Duration;

use super::Layout;
use crate::canvas::{Canvas, Color, rectangle, text_width};

const INK: Color = Color::rgb(0xe4e9f7);
const FAINT: Color = Color::rgb(0x8b94ad);
/// How many ticks are not counted after a change: caches and threads warm up.
const WARM_UP: u32 = 4;

/// What was measured.
#[derive(Default)]
pub(super) struct Panel {
    bars: Vec<Bar>,
    /// How many ticks the current bar has been measured.
    ticks: u32,
    drawing: f32,
}

struct Bar {
    layout: Layout,
    threads: usize,
    /// Milliseconds, smoothed; none yet.
    millis: Option<f32>,
}

impl Panel {
    /// A bar for each of them, empty at first.
    pub(super) fn new(threads: &[usize]) -> Self {
        let both =
            |threads: &usize| [Layout::Rows, Layout::Columns].map(|layout| (layout, *threads));
        let bars = threads.iter().flat_map(both).map(|(layout, threads)| Bar {
            layout,
            threads,
            millis: None,
        });
        Self { bars: bars.collect(), ..Self::default() }
    }

    /// Something else is measured from now on.
    pub(super) fn changed(&mut self) {
        self.ticks = 0;
    }

    /// A tick took so long.
    pub(super) fn note(&mut self, layout: Layout, threads: usize, time: Duration) {
        self.ticks += 1;
        let bar = self.bars.iter_mut().find(|bar| (bar.layout, bar.threads) == (layout, threads));
        if let Some(bar) = bar.filter(|_| self.ticks > WARM_UP) {
            let millis = time.as_secs_f32() * 1000.0;
            bar.millis = Some(bar.millis.map_or(millis, |old| old + (millis - old) * 0.08));
        }
    }

    /// A picture of the particles took so long.
    pub(super) fn note_drawing(&mut self, time: Duration) {
        let millis = time.as_secs_f32() * 1000.0;
        self.drawing += (millis - self.drawing) * if self.drawing == 0.0 { 1.0 } else { 0.08 };
    }

    /// Draws everything; `title` is above it, and `now` is what is being measured.
    pub(super) fn draw(
        &self,
        canvas: &mut dyn Canvas,
        title: &str,
        now: (Layout, usize),
        systems: &[(String, Duration)],
    ) {
        let rows = self.bars.len() as f32;
        rectangle(
            canvas,
            [16.0, 16.0],
            [460.0, 110.0 + 26.0 * rows],
            Color::rgb(0x0c1020).fade(0.78),
        );
        canvas.text([32.0, 30.0], 2.0, INK, title);
        let longest = self.bars.iter().filter_map(|bar| bar.millis).fold(0.1, f32::max);
        for (n, bar) in self.bars.iter().enumerate() {
            let y = 60.0 + 26.0 * n as f32;
            let is_now = (bar.layout, bar.threads) == now;
            let color = Color::rgb(if bar.layout == Layout::Rows { 0xf08a4b } else { 0x46c7b0 });
            if is_now {
                rectangle(canvas, [20.0, y - 4.0], [4.0, 22.0], color);
            }
            let ink = if is_now { INK } else { FAINT };
            canvas.text([32.0, y], 2.0, ink, &format!("{:<7} ×{}", bar.layout.name(), bar.threads));
            let Some(millis) = bar.millis else {
                canvas.text([160.0, y], 2.0, FAINT.fade(0.6), "-");
                continue;
            };
            let length = 180.0 * millis / longest;
            rectangle(
                canvas,
                [160.0, y],
                [length.max(2.0), 14.0],
                color.fade(if is_now { 1.0 } else { 0.6 }),
            );
            let text = format!("{millis:.1} ms");
            canvas.text([460.0 - text_width(2.0, &text), y], 2.0, ink, &text);
        }
        let y = 70.0 + 26.0 * rows;
        let systems =
            systems.iter().map(|(name, time)| format!("{name} {:.1}", time.as_secs_f32() * 1000.0));
        let systems = systems.collect::<Vec<_>>().join("  ");
        canvas.text([32.0, y], 2.0, FAINT, &systems);
        canvas.text([32.0, y + 24.0], 2.0, FAINT, &format!("drawing {:.1}", self.drawing));
    }
}
