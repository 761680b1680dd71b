//! The canvas: what is drawn is there, on every back end, and what makes no sense is not drawn.

use lath_windows::canvas::{Canvas, Color, Pixels, Point, Svg, rectangle};

const WHITE: Color = Color::rgb(0xffffff);
const RED: Color = Color::rgb(0xff0000);
const SIDE: u32 = 60;

/// Draws on white, and gives the colours back as a function of the place.
fn drawn(draw: impl FnOnce(&mut dyn Canvas)) -> impl Fn(u32, u32) -> u32 {
    let mut pixels = Pixels::new(SIDE, SIDE).unwrap();
    pixels.clear(WHITE);
    draw(&mut pixels);
    let colors = pixels.colors();
    move |x, y| colors[(y * SIDE + x) as usize]
}

#[test]
fn every_shape_is_where_it_was_drawn() {
    type Draw = fn(&mut dyn Canvas);
    // What is drawn, a point of it, and a point beside it.
    let cases: [(&str, Draw, [u32; 2], [u32; 2]); 6] = [
        ("disc", |c| c.disc([30.0, 30.0], 10.0, RED), [35, 30], [42, 30]),
        ("ring", |c| c.ring([30.0, 30.0], 10.0, 4.0, RED), [40, 30], [30, 30]),
        (
            "polygon",
            |c| c.polygon(&[[10.0, 10.0], [50.0, 10.0], [10.0, 50.0]], RED),
            [15, 15],
            [45, 45],
        ),
        ("line", |c| c.line(&[[10.0, 20.0], [50.0, 20.0]], 6.0, RED), [30, 20], [30, 30]),
        ("rectangle", |c| rectangle(c, [10.0, 10.0], [20.0, 10.0], RED), [29, 19], [31, 19]),
        ("text", |c| c.text([10.0, 10.0], 4.0, RED, "I"), [20, 20], [11, 20]),
    ];
    for (name, draw, inside, outside) in cases {
        let at = drawn(draw);
        assert_eq!(at(inside[0], inside[1]), 0xff0000, "{name} is missing");
        assert_eq!(at(outside[0], outside[1]), 0xffffff, "{name} is too large");
    }
}

#[test]
fn a_glow_fades_towards_its_edge_and_half_a_colour_lets_the_other_through() {
    let at = drawn(|canvas| canvas.glow([30.0, 30.0], 25.0, RED));
    let green = |x| at(x, 30) >> 8 & 0xff;
    assert!(
        green(30) < green(40) && green(40) < green(50),
        "{} {} {}",
        green(30),
        green(40),
        green(50)
    );
    assert_eq!(at(58, 30), 0xffffff);

    let at = drawn(|canvas| rectangle(canvas, [0.0, 0.0], [60.0, 60.0], RED.fade(0.5)));
    assert!(at(30, 30) & 0xff > 100 && at(30, 30) >> 16 == 0xff, "{:06x}", at(30, 30));
}

#[test]
fn a_picture_covers_everything_or_is_not_drawn() {
    let mut pixels = Pixels::new(2, 2).unwrap();
    pixels.picture(2, 2, &[1, 2, 3, 0xabcdef]);
    assert_eq!(pixels.colors(), [1, 2, 3, 0xabcdef]);
    pixels.picture(4, 1, &[9; 4]);
    pixels.picture(2, 2, &[9; 3]);
    assert_eq!(pixels.colors(), [1, 2, 3, 0xabcdef]);
}

/// Nothing here may panic, whatever the numbers are.
#[test]
fn numbers_that_make_no_sense_draw_nothing_or_something_but_never_stop_the_program() {
    let odd = [f32::NAN, f32::INFINITY, -1.0, 0.0, 1e30, f32::MIN_POSITIVE];
    let (mut pixels, mut svg) = (Pixels::new(SIDE, SIDE).unwrap(), Svg::new(SIDE, SIDE));
    for canvas in [&mut pixels as &mut dyn Canvas, &mut svg] {
        for a in odd {
            for b in odd {
                let point: Point = [a, b];
                canvas.disc(point, a, RED);
                canvas.glow(point, b, RED);
                canvas.ring(point, a, b, RED);
                canvas.polygon(&[point, [b, a], [3.0, 4.0]], RED);
                canvas.line(&[point, [5.0, 5.0]], b, RED);
                canvas.text(point, b, RED, "A?");
            }
        }
        canvas.polygon(&[], RED);
        canvas.line(&[], 1.0, RED);
        canvas.text([0.0, 0.0], 1.0, RED, "");
    }
    assert!(Pixels::new(0, 5).is_none());
}

#[test]
fn svg_has_an_element_for_every_shape_and_begins_anew_when_cleared() {
    let mut svg = Svg::new(100, 50);
    svg.disc([1.0, 2.0], 3.0, RED);
    svg.clear(WHITE);
    assert!(!svg.finish().contains("<circle"));
    svg.disc([1.0, 2.0], 3.0, RED.fade(0.5));
    svg.glow([1.0, 2.0], 3.0, RED);
    svg.ring([1.0, 2.0], 3.0, 1.0, RED);
    svg.polygon(&[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], RED);
    svg.line(&[[0.0, 0.0], [4.0, 0.0]], 1.0, RED);
    svg.text([0.0, 0.0], 1.0, RED, "1");
    svg.picture(100, 50, &[0x00ff00; 5000]);
    let text = svg.finish();
    for part in [
        "viewBox=\"0 0 100 50\"",
        "<circle cx=\"1.0\" cy=\"2.0\" r=\"3.0\" fill=\"#ff0000\" fill-opacity=\"0.502\"/>",
        "<radialGradient id=\"g1\">",
        "stroke=\"#ff0000\"",
        "<polygon points=\"0.0,0.0 4.0,0.0 0.0,4.0\"",
        "<polyline",
        "<path d=\"M",
        "data:image/png;base64,iVBORw0KGgo",
        "</svg>",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}
