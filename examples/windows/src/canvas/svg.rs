//! SVG: the same drawing as text, to be shown at any size.

use std::fmt::Write;

use super::{Canvas, Color, Pixels, Point, font};

/// A canvas that writes SVG.
pub struct Svg {
    width: u32,
    height: u32,
    body: String,
    gradients: u32,
}

impl Svg {
    /// An empty drawing of that size.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, body: String::new(), gradients: 0 }
    }

    /// The drawing as the contents of a file.
    pub fn finish(&self) -> String {
        let Self { width, height, body, .. } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n{body}</svg>\n"
        )
    }

    /// One element on a line of its own.
    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        self.body.write_fmt(element).expect("a string takes everything");
        self.body.push('\n');
    }
}

impl Canvas for Svg {
    fn size(&self) -> [f32; 2] {
        [self.width as f32, self.height as f32]
    }

    fn clear(&mut self, color: Color) {
        // What was drawn before is not seen any more.
        self.body.clear();
        self.element(format_args!("<rect width=\"100%\" height=\"100%\" {}/>", Ink("fill", color)));
    }

    fn disc(&mut self, [x, y]: Point, radius: f32, color: Color) {
        self.element(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" {}/>",
            Ink("fill", color)
        ));
    }

    fn glow(&mut self, [x, y]: Point, radius: f32, color: Color) {
        self.gradients += 1;
        let id = self.gradients;
        let stops = [("0", 1.0), ("0.4", 0.35), ("1", 0.0)]
            .map(|(at, share)| {
                format!("<stop offset=\"{at}\" {}/>", Ink("stop", color.fade(share)))
            })
            .concat();
        self.element(format_args!("<radialGradient id=\"g{id}\">{stops}</radialGradient>"));
        self.element(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"url(#g{id})\"/>"
        ));
    }

    fn ring(&mut self, [x, y]: Point, radius: f32, width: f32, color: Color) {
        let ink = Ink("stroke", color);
        self.element(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"none\" stroke-width=\"{width}\" {ink}/>"
        ));
    }

    fn polygon(&mut self, corners: &[Point], color: Color) {
        self.element(format_args!(
            "<polygon points=\"{}\" {}/>",
            Points(corners),
            Ink("fill", color)
        ));
    }

    fn line(&mut self, points: &[Point], width: f32, color: Color) {
        let (points, ink) = (Points(points), Ink("stroke", color));
        self.element(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke-width=\"{width}\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\" {ink}/>"
        ));
    }

    fn text(&mut self, [left, top]: Point, dot: f32, color: Color, text: &str) {
        // The same dots as on pixels: a font of the reader's might be wider, or have no lines for
        // trees.
        let mut path = String::new();
        for [x, y] in font::dots(text) {
            write!(path, "M{:.1} {:.1}h{dot}v{dot}h-{dot}z", left + x * dot, top + y * dot)
                .expect("a string takes everything");
        }
        if !path.is_empty() {
            self.element(format_args!("<path d=\"{path}\" {}/>", Ink("fill", color)));
        }
    }

    fn picture(&mut self, width: u32, height: u32, colors: &[u32]) {
        let Some(mut pixels) =
            Pixels::new(width, height).filter(|_| [width, height] == [self.width, self.height])
        else {
            return;
        };
        pixels.picture(width, height, colors);
        if let Ok(png) = pixels.to_png() {
            let data = base64(&png);
            self.element(format_args!(
                "<image width=\"{width}\" height=\"{height}\" href=\"data:image/png;base64,{data}\"/>"
            ));
        }
    }
}

/// A colour as attributes: which one, and the colour.
struct Ink(&'static str, Color);

impl std::fmt::Display for Ink {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(what, color) = *self;
        let color_name = if what == "stop" { "stop-color" } else { what };
        write!(out, "{color_name}=\"#{:06x}\"", color.bits())?;
        if color.alpha < 255 {
            write!(out, " {what}-opacity=\"{:.3}\"", f32::from(color.alpha) / 255.0)?;
        }
        Ok(())
    }
}

struct Points<'a>(&'a [Point]);

impl std::fmt::Display for Points<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, [x, y]) in self.0.iter().enumerate() {
            let space = if n == 0 { "" } else { " " };
            write!(out, "{space}{x:.1},{y:.1}")?;
        }
        Ok(())
    }
}

/// Bytes as letters: three of them are four letters, and what is missing at the end is `=`.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |n: usize| u32::from(three.get(n).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for letter in 0..4 {
            let index = bits >> (18 - 6 * letter) & 63;
            text.push(if letter <= three.len() { LETTERS[index as usize] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_the_letters_that_everyone_agrees_on() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in pairs {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
