//! What the demos draw on: one small trait, with pixels and SVG behind it.

mod font;
mod pixels;
mod svg;

pub use pixels::Pixels;
pub use svg::Svg;

/// A point: right and down, from the upper left corner.
pub type Point = [f32; 2];

/// Something to draw on. Later things cover earlier ones; what lies outside is not seen.
///
/// # Examples
///
/// ```
/// use lath_windows::canvas::{Canvas, Color, Pixels, Svg};
///
/// fn target(canvas: &mut dyn Canvas) {
///     canvas.clear(Color::rgb(0xffffff));
///     canvas.disc([20.0, 20.0], 15.0, Color::rgb(0xcc2211));
/// }
///
/// let (mut pixels, mut svg) = (Pixels::new(40, 40).unwrap(), Svg::new(40, 40));
/// target(&mut pixels);
/// target(&mut svg);
/// assert_eq!(pixels.colors().len(), 40 * 40);
/// assert!(svg.finish().contains("<circle"));
/// ```
pub trait Canvas {
    /// How wide and how high it is.
    fn size(&self) -> [f32; 2];
    /// Covers everything.
    fn clear(&mut self, color: Color);
    /// A filled circle.
    fn disc(&mut self, center: Point, radius: f32, color: Color);
    /// A circle that fades away towards its edge.
    fn glow(&mut self, center: Point, radius: f32, color: Color);
    /// The outline of a circle.
    fn ring(&mut self, center: Point, radius: f32, width: f32, color: Color);
    /// A filled shape.
    fn polygon(&mut self, corners: &[Point], color: Color);
    /// Lines from point to point.
    fn line(&mut self, points: &[Point], width: f32, color: Color);
    /// Letters, in capitals, whose height is seven times `dot`; `at` is the upper left corner.
    fn text(&mut self, at: Point, dot: f32, color: Color, text: &str);
    /// A picture that covers everything: rows of colours, `0xRRGGBB`. If it has another size
    /// nothing is drawn.
    fn picture(&mut self, width: u32, height: u32, colors: &[u32]);
}

/// How wide a text will be.
///
/// # Examples
///
/// ```
/// use lath_windows::canvas::text_width;
/// assert_eq!(text_width(2.0, "abc"), 2.0 * (3 * 6 - 1) as f32);
/// assert_eq!(text_width(2.0, ""), 0.0);
/// ```
pub fn text_width(dot: f32, text: &str) -> f32 {
    (text.chars().count() as f32 * font::ADVANCE - 1.0).max(0.0) * dot
}

/// A filled rectangle.
pub fn rectangle(canvas: &mut dyn Canvas, [x, y]: Point, [width, height]: [f32; 2], color: Color) {
    canvas.polygon(&[[x, y], [x + width, y], [x + width, y + height], [x, y + height]], color);
}

/// A colour, and how much of it there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Color {
    /// How red it is.
    pub red: u8,
    /// How green it is.
    pub green: u8,
    /// How blue it is.
    pub blue: u8,
    /// 255 covers what is behind it, 0 is not seen.
    pub alpha: u8,
}

impl Color {
    /// A colour that covers what is behind it, as `0xRRGGBB`.
    pub const fn rgb(bits: u32) -> Self {
        let [_, red, green, blue] = bits.to_be_bytes();
        Self { red, green, blue, alpha: 255 }
    }

    /// The same colour, of which so much is there: 0 to 1.
    #[must_use]
    pub fn fade(self, share: f32) -> Self {
        Self { alpha: (f32::from(self.alpha) * share.clamp(0.0, 1.0)).round() as u8, ..self }
    }

    /// Something between two colours: 0 is this one, 1 the other.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_windows::canvas::Color;
    /// assert_eq!(Color::rgb(0x000000).mix(Color::rgb(0xff8000), 0.5), Color::rgb(0x804000));
    /// ```
    #[must_use]
    pub fn mix(self, other: Self, share: f32) -> Self {
        let share = share.clamp(0.0, 1.0);
        let part =
            |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share).round() as u8;
        Self {
            red: part(self.red, other.red),
            green: part(self.green, other.green),
            blue: part(self.blue, other.blue),
            alpha: part(self.alpha, other.alpha),
        }
    }

    /// As `0xRRGGBB`.
    pub const fn bits(self) -> u32 {
        u32::from_be_bytes([0, self.red, self.green, self.blue])
    }
}
