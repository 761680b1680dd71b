//! Where frames go: into a window, or into files.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use crate::arguments::Show;
use crate::canvas::{Canvas, Pixels, Svg};
use crate::window::Window;

/// Something that moves.
pub trait Demo {
    /// What the window is called.
    fn title(&self) -> &'static str;
    /// How wide and how high it is drawn.
    fn size(&self) -> [u32; 2];
    /// A sixtieth of a second passes.
    fn tick(&mut self);
    /// A key was pressed: a small letter, or a space.
    fn press(&mut self, key: char);
    /// Draws how things are now.
    fn draw(&mut self, canvas: &mut dyn Canvas);
}

/// Shows a demo as it was asked for.
///
/// # Errors
///
/// If there is no display to open a window on, or a file cannot be written.
pub fn show(demo: &mut dyn Demo, show: &Show) -> Result<(), String> {
    for _ in 0..show.skip {
        demo.tick();
    }
    match &show.out {
        Some(folder) => write_frames(demo, folder, show),
        None => in_window(demo, show.frames),
    }
}

/// Runs the program of a demo to its end: what to do with the arguments is up to `run`.
pub fn main(name: &str, usage: &str, run: impl FnOnce() -> Result<bool, String>) -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            print!("{usage}{}", crate::arguments::SHOW_USAGE);
            ExitCode::SUCCESS
        }
        Err(complaint) => {
            eprintln!("{name}: {complaint}");
            ExitCode::from(2)
        }
    }
}

fn write_frames(demo: &mut dyn Demo, folder: &Path, show: &Show) -> Result<(), String> {
    let unwritten = |path: &Path, error| format!("{} cannot be written: {error}", path.display());
    fs::create_dir_all(folder).map_err(|error| unwritten(folder, error))?;
    let frames = show.frames.unwrap_or(1);
    for frame in 0..frames {
        demo.tick();
        let path =
            folder.join(format!("frame_{frame:04}.{}", if show.svg { "svg" } else { "png" }));
        let contents = if show.svg { svg(demo).into_bytes() } else { pixels(demo)?.to_png()? };
        fs::write(&path, contents).map_err(|error| unwritten(&path, error))?;
    }
    println!("{frames} frames are in {}", folder.display());
    Ok(())
}

/// A frame as it is now, in pixels.
///
/// # Errors
///
/// If the demo's size is not one that a picture can have.
pub fn pixels(demo: &mut dyn Demo) -> Result<Pixels, String> {
    let [width, height] = demo.size();
    let mut canvas = Pixels::new(width, height)
        .ok_or_else(|| format!("{width} × {height} is no size for a picture"))?;
    demo.draw(&mut canvas);
    Ok(canvas)
}

/// A frame as it is now, as SVG.
pub fn svg(demo: &mut dyn Demo) -> String {
    let [width, height] = demo.size();
    let mut canvas = Svg::new(width, height);
    demo.draw(&mut canvas);
    canvas.finish()
}

fn in_window(demo: &mut dyn Demo, frames: Option<u32>) -> Result<(), String> {
    let mut canvas = pixels(demo)?;
    let mut window = Window::open(demo.title(), canvas.extent())?;
    let mut frame = 0;
    while window.is_open() && frames.is_none_or(|frames| frame < frames) {
        for key in window.keys() {
            demo.press(key);
        }
        demo.tick();
        demo.draw(&mut canvas);
        window.show(&canvas)?;
        frame += 1;
    }
    Ok(())
}
