//! Turns what Xvfb keeps of its screen into a PNG, and fails if there is nothing to see: for
//! `scripts/windows.sh`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use lath_windows::canvas::{Canvas, Pixels};
use lath_windows::xwd::Screen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match &arguments[..] {
        [from, to] => convert(from, to),
        _ => Err("usage: screenshot SCREEN.xwd PICTURE.png".into()),
    };
    match done {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(complaint) => {
            eprintln!("screenshot: {complaint}");
            ExitCode::FAILURE
        }
    }
}

fn convert(from: &str, to: &str) -> Result<String, String> {
    let file = std::fs::read(from).map_err(|error| format!("{from} cannot be read: {error}"))?;
    let screen = Screen::parse(&file).map_err(|error| format!("{from}: {error}"))?;
    let mut pixels =
        Pixels::new(screen.width, screen.height).ok_or_else(|| format!("{from} has no pixels"))?;
    pixels.picture(screen.width, screen.height, &screen.colors);
    std::fs::write(to, pixels.to_png()?)
        .map_err(|error| format!("{to} cannot be written: {error}"))?;

    let variety = screen.variety();
    let said = format!("{to}: {} colours, {} pixels drawn", variety.colors, variety.drawn);
    if variety.is_blank() { Err(format!("{said}: the screen is blank")) } else { Ok(said) }
}
