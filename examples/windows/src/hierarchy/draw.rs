//! How parts look.

use lath::prelude::*;

use super::parts::{Part, Pose, Shape, part};
use crate::canvas::{Canvas, Color, Point};

/// Draws parts in the order of their tree: what is attached covers what it is attached to.
pub(super) fn parts(canvas: &mut dyn Canvas, parts: &Pool<Part>, sun: Point) {
    type Look<'a> = (Ref<'a, part::world>, Ref<'a, part::shape>, Ref<'a, part::color>);
    let tree = parts.tree();
    for root in tree.roots() {
        for part in std::iter::once(root).chain(tree.descendants(root)) {
            if let Some((world, shape, color)) = parts.view::<Look>().get(part) {
                shape_at(canvas, *world, *shape, *color, sun);
            }
        }
    }
}

fn shape_at(canvas: &mut dyn Canvas, pose: Pose, shape: Shape, color: Color, sun: Point) {
    let dark = color.mix(Color::rgb(0x0a0d16), 0.35);
    match shape {
        Shape::Nothing => {}
        Shape::Ball(radius) => {
            canvas.disc(pose.at, radius, color);
            if radius > 3.0 {
                shadow(canvas, pose.at, radius, sun);
            }
        }
        Shape::Star(radius) => {
            canvas.glow(pose.at, radius * 4.2, color.fade(0.55));
            canvas.disc(pose.at, radius, color);
            canvas.glow(pose.at, radius, Color::rgb(0xfff6de));
        }
        Shape::Orbit(radius) => canvas.ring(pose.at, radius, 1.0, color.fade(0.75)),
        Shape::Arrow(size) => {
            let corners =
                [[size, 0.0], [-size, size * 0.7], [-size * 0.4, 0.0], [-size, -size * 0.7]];
            canvas.polygon(&corners.map(|corner| pose.point(corner)), color);
        }
        Shape::Box(from, to) => canvas.polygon(&corners(pose, from, to, 0.0), color),
        Shape::Crate(from, to) => {
            canvas.polygon(&corners(pose, from, to, 0.0), color);
            let [a, b, c, d] = corners(pose, from, to, 3.0);
            canvas.line(&[a, b, c, d, a, c], 2.0, dark);
        }
        Shape::Cab(from, to) => {
            let foot = to[1] - (to[1] - from[1]) / 3.0;
            let (left, right) = (from[0] * 0.6, to[0] * 0.6);
            canvas.polygon(&corners(pose, [from[0], foot], to, 0.0), Color::rgb(0x39414f));
            canvas.polygon(&corners(pose, [left, from[1]], [right, foot], 0.0), color);
            canvas.polygon(
                &corners(pose, [left, from[1]], [right, foot - 12.0], 6.0),
                Color::rgb(0x9cc4dc),
            );
        }
        Shape::Beam(length, foot, end) => {
            let edge = |share: f32, side: f32| {
                pose.point([length * share, side * (foot + (end - foot) * share) / 2.0])
            };
            canvas.polygon(
                &[edge(0.0, -1.0), edge(1.0, -1.0), edge(1.0, 1.0), edge(0.0, 1.0)],
                color,
            );
            let zigzag: Vec<_> = (0..=12)
                .map(|n| edge(n as f32 / 12.0, if n % 2 == 0 { -0.7 } else { 0.7 }))
                .collect();
            canvas.line(&zigzag, 1.5, dark);
            for share in [0.0, 1.0] {
                canvas.disc(edge(share, 0.0), end * 0.62, dark);
                canvas.disc(edge(share, 0.0), end * 0.28, color);
            }
        }
        Shape::Rope(length) => canvas.line(&[pose.at, pose.point([0.0, length])], 2.0, color),
    }
}

/// The corners of a box that is smaller by `inset` on all sides.
fn corners(pose: Pose, from: Point, to: Point, inset: f32) -> [Point; 4] {
    let [left, top, right, bottom] =
        [from[0] + inset, from[1] + inset, to[0] - inset, to[1] - inset];
    [[left, top], [right, top], [right, bottom], [left, bottom]].map(|corner| pose.point(corner))
}

/// The side of a planet that is turned away from the sun.
fn shadow(canvas: &mut dyn Canvas, [x, y]: Point, radius: f32, sun: Point) {
    let away = (y - sun[1]).atan2(x - sun[0]);
    // Half of the edge, and back along a flatter curve.
    let point = |angle: f32, flat: f32| {
        let (sin, cos) = (angle.sin(), angle.cos() * flat);
        let (turn_sin, turn_cos) = away.sin_cos();
        [
            x + radius * (cos * turn_cos - sin * turn_sin),
            y + radius * (cos * turn_sin + sin * turn_cos),
        ]
    };
    let half = std::f32::consts::FRAC_PI_2;
    let steps = (0..=12).map(|n| -half + 2.0 * half * n as f32 / 12.0);
    let outer = steps.clone().map(|angle| point(angle, 1.0));
    let inner = steps.rev().map(|angle| point(angle, 0.25));
    canvas.polygon(&outer.chain(inner).collect::<Vec<_>>(), Color::rgb(0x05070d).fade(0.55));
}
