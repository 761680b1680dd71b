//! A picture in the making: lines, boxes and words, in colours that suit light and dark.

use std::fmt::Write;

/// Black on white, or the reverse; and a colour for everyone who takes part.
const STYLE: &str = "\
svg{--back:#fff;--ink:#1f2328;--faint:#d5dae0;--dim:#59636e;--raw:#6e7781;--a:#0969da;--b:#d1470d;--c:#1a7f37;--d:#8250df;\
--e:#9a6700;--f:#0e7c86;--ok:#1a7f37;--missed:#cf222e}\
@media(prefers-color-scheme:dark){svg{--back:#0d1117;--ink:#e6edf3;--faint:#30363d;--dim:#9198a1;--raw:#9198a1;--a:#58a6ff;\
--b:#ff9b5e;--c:#56d364;--d:#d2a8ff;--e:#e3b341;--f:#56d4dd;--ok:#56d364;--missed:#ff7b72}}\
text{font:12px system-ui,sans-serif;fill:var(--ink)}.title{font-weight:600;font-size:14px}.dim{fill:var(--dim)}\
.ok{fill:var(--ok)}.missed{fill:var(--missed)}.line{fill:none;stroke-width:2}";

/// Which side of its place a word is on.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture of a certain size.
pub(super) struct Canvas {
    width: f64,
    height: f64,
    body: String,
}

impl Canvas {
    /// An empty picture.
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Writes a word; `class` is one of those in the style, or nothing.
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.add(format_args!(
            "<text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}' class='{class}'>{text}</text>"
        ));
    }

    /// Draws a straight line.
    pub(super) fn line(
        &mut self,
        (x1, y1): (f64, f64),
        (x2, y2): (f64, f64),
        colour: &str,
        width: f64,
    ) {
        self.add(format_args!(
            "<line x1='{x1:.1}' y1='{y1:.1}' x2='{x2:.1}' y2='{y2:.1}' stroke='var(--{colour})' stroke-width='{width}'/>"
        ));
    }

    /// Fills a box.
    pub(super) fn fill(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str) {
        self.add(format_args!(
            "<rect x='{x:.1}' y='{y:.1}' width='{width:.1}' height='{height:.1}' fill='var(--{colour})'/>"
        ));
    }

    /// Draws a line through points, with a dot at each.
    pub(super) fn path(&mut self, points: &[(f64, f64)], colour: &str) {
        let places: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.add(format_args!(
            "<polyline class='line' stroke='var(--{colour})' points='{}'/>",
            places.join(" ")
        ));
        for (x, y) in points {
            self.add(format_args!(
                "<circle cx='{x:.1}' cy='{y:.1}' r='3' fill='var(--{colour})'/>"
            ));
        }
    }

    /// The finished picture.
    pub(super) fn finish(self) -> String {
        let Self { width, height, body } = self;
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}'>\n\
             <style>{STYLE}</style>\n<rect width='100%' height='100%' fill='var(--back)'/>\n{body}</svg>\n"
        )
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{element}").expect("a string takes anything");
    }
}

/// The colour of a candidate: the same in all charts, and another than that of anyone in the same
/// line chart.
pub(super) fn colour(candidate: &str) -> &'static str {
    match candidate {
        "raw" => "raw",
        name if name.starts_with("lath-rows") => "b",
        name if name.starts_with("lath") => "a",
        "hecs" | "slotmap-hop" => "c",
        "bevy_ecs" | "slotmap-dense" => "d",
        "slotmap" => "e",
        _ => "f",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_cannot_break_the_picture() {
        let mut canvas = Canvas::new(10.0, 10.0);
        canvas.text((0.0, 0.0), Anchor::Start, "", "a < b & c");
        assert!(canvas.finish().contains(">a &lt; b &amp; c</text>"));
    }
}
