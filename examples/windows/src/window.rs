//! A window: the only file that knows minifb.

use minifb::{Key, KeyRepeat, WindowOptions};

use crate::canvas::Pixels;

/// A window that shows pixels.
pub(crate) struct Window {
    window: minifb::Window,
    extent: [usize; 2],
}

impl Window {
    pub(crate) fn open(title: &str, extent: [u32; 2]) -> Result<Self, String> {
        let [width, height] = extent.map(|pixels| pixels as usize);
        let mut window = minifb::Window::new(title, width, height, WindowOptions::default()).map_err(|error| {
            format!("no window could be opened ({error}); without a display take `--frames 60 --out DIR`")
        })?;
        window.set_target_fps(60);
        Ok(Self { window, extent: [width, height] })
    }

    /// Until somebody closes it or presses escape.
    pub(crate) fn is_open(&self) -> bool {
        self.window.is_open() && !self.window.is_key_down(Key::Escape)
    }

    /// The keys that were pressed since the last frame: letters, which minifb names after
    /// themselves, and the space.
    pub(crate) fn keys(&self) -> Vec<char> {
        let pressed = self.window.get_keys_pressed(KeyRepeat::No).into_iter();
        pressed.filter_map(|key| if key == Key::Space { Some(' ') } else { letter(key) }).collect()
    }

    /// Shows a frame, and waits for the time of the next one.
    pub(crate) fn show(&mut self, pixels: &Pixels) -> Result<(), String> {
        let [width, height] = self.extent;
        let shown = self.window.update_with_buffer(&pixels.colors(), width, height);
        shown.map_err(|error| format!("the window could not be drawn: {error}"))
    }
}

fn letter(key: Key) -> Option<char> {
    let name = format!("{key:?}");
    name.parse::<char>().ok().map(|letter| letter.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_keys_and_others_are_not() {
        assert_eq!([Key::A, Key::T].map(letter), [Some('a'), Some('t')]);
        assert_eq!([Key::F1, Key::Key1, Key::LeftShift].map(letter), [None; 3]);
    }
}
