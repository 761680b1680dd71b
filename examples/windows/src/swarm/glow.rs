//! A million points as a picture: how many are behind each pixel, and how warm they are.

use crate::canvas::Color;

const NIGHT: Color = Color::rgb(0x04050b);
/// From slow to fast.
const PALETTE: [(f32, u32); 6] = [
    (0.0, 0x16307a),
    (0.2, 0x3f5fd6),
    (0.4, 0x8a55d8),
    (0.6, 0xe8587a),
    (0.8, 0xffa95c),
    (1.0, 0xfff3d2),
];

const WARM: usize = 256;
const BRIGHT: usize = 64;

/// What is behind one pixel.
#[derive(Clone, Copy, Default)]
struct Cell {
    count: f32,
    heat: f32,
}

/// A picture that points are added to.
pub struct Glow {
    width: u32,
    height: u32,
    middle: [f32; 2],
    cells: Vec<Cell>,
    colors: Vec<u32>,
    /// The colour for every warmth and every brightness.
    palette: Vec<[u32; BRIGHT]>,
}

impl Glow {
    /// Dark, and of this size; points are counted from `middle`.
    pub fn new(width: u32, height: u32, middle: [f32; 2]) -> Self {
        let cells = vec![Cell::default(); width as usize * height as usize];
        let shades = |color: Color| {
            std::array::from_fn(|n| NIGHT.mix(color, n as f32 / (BRIGHT - 1) as f32).bits())
        };
        let palette = (0..WARM).map(|n| shades(heat_color(n as f32 / (WARM - 1) as f32))).collect();
        Self { width, height, middle, colors: vec![0; cells.len()], cells, palette }
    }

    /// Dark again.
    pub fn clear(&mut self) {
        self.cells.fill(Cell::default());
    }

    /// Adds a point. What is outside is not seen.
    #[inline]
    pub fn add(&mut self, x: f32, y: f32, heat: f32) {
        let (x, y) = (x + self.middle[0], y + self.middle[1]);
        if x >= 0.0 && y >= 0.0 && x < self.width as f32 && y < self.height as f32 {
            let cell = &mut self.cells[y as usize * self.width as usize + x as usize];
            cell.count += 1.0;
            cell.heat += heat;
        }
    }

    /// The colours of all pixels, `0xRRGGBB`. The brightness goes by how many points there are for
    /// each pixel: `gain` is that of one of them.
    pub fn colors(&mut self, gain: f32) -> &[u32] {
        for (color, cell) in self.colors.iter_mut().zip(&self.cells) {
            *color = if cell.count == 0.0 {
                NIGHT.bits()
            } else {
                let bright = cell.count * gain;
                let heat = (cell.heat / cell.count).clamp(0.0, 1.0);
                let [warm, bright] =
                    [heat * (WARM - 1) as f32, bright / (1.0 + bright) * (BRIGHT - 1) as f32];
                self.palette[warm as usize][bright as usize]
            };
        }
        &self.colors
    }
}

fn heat_color(heat: f32) -> Color {
    let above = PALETTE.iter().position(|(at, _)| *at >= heat).unwrap_or(PALETTE.len() - 1).max(1);
    let ((from, cold), (to, hot)) = (PALETTE[above - 1], PALETTE[above]);
    Color::rgb(cold).mix(Color::rgb(hot), (heat - from) / (to - from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_light_up_their_pixel_and_no_other() {
        let mut glow = Glow::new(4, 2, [2.0, 1.0]);
        glow.add(-2.0, -1.0, 0.0);
        glow.add(1.9, 0.9, 1.0);
        for outside in [-2.1, 2.0, f32::NAN, f32::INFINITY] {
            glow.add(outside, 0.0, 1.0);
        }
        let lit: Vec<_> = glow.colors(9.0).iter().map(|color| *color != NIGHT.bits()).collect();
        assert_eq!(lit, [true, false, false, false, false, false, false, true]);
        glow.clear();
        assert_eq!(glow.colors(9.0), [NIGHT.bits(); 8]);
    }

    #[test]
    fn colours_go_from_slow_to_fast_without_a_gap() {
        assert_eq!(
            (heat_color(0.0), heat_color(1.0)),
            (Color::rgb(PALETTE[0].1), Color::rgb(PALETTE[5].1))
        );
        for step in 0..100 {
            let [a, b] = [step, step + 1].map(|step| heat_color(step as f32 / 100.0));
            assert!(a.red.abs_diff(b.red) < 12 && a.blue.abs_diff(b.blue) < 12, "{a:?} to {b:?}");
        }
    }
}
