//! Pixels: for the window, and for PNG files. The only file that knows tiny-skia.

use tiny_skia::{
    FillRule, GradientStop, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap,
    PremultipliedColorU8, RadialGradient, Rect, Shader, SpreadMode, Stroke, Transform,
};

use super::{Canvas, Color, Point, font};

/// A canvas of pixels.
pub struct Pixels {
    map: Pixmap,
}

impl Pixels {
    /// So many pixels, black. `None` if there are no pixels at all, or too many.
    pub fn new(width: u32, height: u32) -> Option<Self> {
        let mut map = Pixmap::new(width, height)?;
        map.fill(tiny_skia::Color::BLACK);
        Some(Self { map })
    }

    /// How many pixels it is wide and high.
    pub fn extent(&self) -> [u32; 2] {
        [self.map.width(), self.map.height()]
    }

    /// The colours of all pixels, row by row, as `0xRRGGBB`.
    pub fn colors(&self) -> Vec<u32> {
        self.map.pixels().iter().map(|pixel| Color::rgb(0).over(*pixel)).collect()
    }

    /// As the contents of a PNG file.
    ///
    /// # Errors
    ///
    /// If the encoder fails.
    pub fn to_png(&self) -> Result<Vec<u8>, String> {
        self.map.encode_png().map_err(|error| format!("the picture could not be encoded: {error}"))
    }

    /// From the contents of a PNG file.
    ///
    /// # Errors
    ///
    /// If it is none.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_windows::canvas::{Canvas, Color, Pixels};
    ///
    /// let mut pixels = Pixels::new(3, 2).unwrap();
    /// pixels.clear(Color::rgb(0x123456));
    /// let again = Pixels::from_png(&pixels.to_png().unwrap()).unwrap();
    /// assert_eq!(again.colors(), [0x123456; 6]);
    /// assert!(Pixels::from_png(b"something else").is_err());
    /// ```
    pub fn from_png(png: &[u8]) -> Result<Self, String> {
        let map =
            Pixmap::decode_png(png).map_err(|error| format!("this is no PNG file: {error}"))?;
        Ok(Self { map })
    }

    fn fill(&mut self, path: Option<Path>, paint: &Paint<'_>) {
        // No path: there was nothing to draw, or a coordinate was not a number.
        if let Some(path) = path {
            self.map.fill_path(&path, paint, FillRule::Winding, Transform::identity(), None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, width: f32, color: Color) {
        if let Some(path) = path {
            let stroke = Stroke {
                width,
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                ..Stroke::default()
            };
            self.map.stroke_path(&path, &paint(color), &stroke, Transform::identity(), None);
        }
    }
}

impl Canvas for Pixels {
    fn size(&self) -> [f32; 2] {
        self.extent().map(|pixels| pixels as f32)
    }

    fn clear(&mut self, color: Color) {
        self.map.fill(skia(color));
    }

    fn disc(&mut self, [x, y]: Point, radius: f32, color: Color) {
        self.fill(PathBuilder::from_circle(x, y, radius), &paint(color));
    }

    fn glow(&mut self, [x, y]: Point, radius: f32, color: Color) {
        let stops = [(0.0, 1.0), (0.4, 0.35), (1.0, 0.0)];
        let stops = stops.map(|(at, share)| GradientStop::new(at, skia(color.fade(share))));
        let center = tiny_skia::Point::from_xy(x, y);
        let gradient = RadialGradient::new(
            center,
            center,
            radius,
            stops.into(),
            SpreadMode::Pad,
            Transform::identity(),
        );
        if let Some(shader) = gradient {
            self.fill(PathBuilder::from_circle(x, y, radius), &Paint { shader, ..paint(color) });
        }
    }

    fn ring(&mut self, [x, y]: Point, radius: f32, width: f32, color: Color) {
        self.stroke(PathBuilder::from_circle(x, y, radius), width, color);
    }

    fn polygon(&mut self, corners: &[Point], color: Color) {
        self.fill(path(corners, true), &paint(color));
    }

    fn line(&mut self, points: &[Point], width: f32, color: Color) {
        self.stroke(path(points, false), width, color);
    }

    fn text(&mut self, at: Point, dot: f32, color: Color, text: &str) {
        let paint = Paint { anti_alias: false, ..paint(color) };
        for [x, y] in font::dots(text) {
            let rect = Rect::from_xywh(at[0].round() + x * dot, at[1].round() + y * dot, dot, dot);
            if let Some(rect) = rect {
                self.map.fill_rect(rect, &paint, Transform::identity(), None);
            }
        }
    }

    fn picture(&mut self, width: u32, height: u32, colors: &[u32]) {
        if [width, height] != self.extent() || colors.len() != self.map.pixels().len() {
            return;
        }
        for (pixel, bits) in self.map.pixels_mut().iter_mut().zip(colors) {
            let Color { red, green, blue, alpha } = Color::rgb(*bits);
            // All of a colour is there, so that it is its own premultiplied form.
            *pixel = PremultipliedColorU8::from_rgba(red, green, blue, alpha)
                .unwrap_or(PremultipliedColorU8::TRANSPARENT);
        }
    }
}

impl Color {
    /// What is seen where `pixel`, whose colours are multiplied by its alpha, lies on this colour.
    fn over(self, pixel: PremultipliedColorU8) -> u32 {
        let behind = 255 - u16::from(pixel.alpha());
        let mix = |front: u8, back: u8| u16::from(front) + u16::from(back) * behind / 255;
        let [red, green, blue] = [
            mix(pixel.red(), self.red),
            mix(pixel.green(), self.green),
            mix(pixel.blue(), self.blue),
        ]
        .map(u32::from);
        red << 16 | green << 8 | blue
    }
}

fn skia(color: Color) -> tiny_skia::Color {
    tiny_skia::Color::from_rgba8(color.red, color.green, color.blue, color.alpha)
}

fn paint(color: Color) -> Paint<'static> {
    Paint { shader: Shader::SolidColor(skia(color)), ..Paint::default() }
}

fn path(points: &[Point], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let (&[x, y], rest) = points.split_first()?;
    builder.move_to(x, y);
    for &[x, y] in rest {
        builder.line_to(x, y);
    }
    if closed {
        builder.close();
    }
    builder.finish()
}
