//! The small map: a letter for each part of the land.

use lath::prelude::*;

use crate::colony::Colony;
use crate::object::{Object, Tags, object};
use crate::pose::Pose;
use crate::town::Towns;

/// From nobody to many.
const CROWD: [char; 6] = [' ', '.', ':', '+', '*', '#'];

#[derive(View)]
#[view(Object)]
struct Dot<'a> {
    tags: &'a Tags,
    place: &'a Pose,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    hall: bool,
    cart: bool,
    site: bool,
    workers: u32,
}

/// The whole land in so many letters; halls, carts and sites in colours of their own, if there are
/// any.
pub(crate) fn draw(colony: &Colony, width: usize, height: usize, colours: bool) -> Vec<String> {
    let size = colony.world.resource::<Towns>().size();
    let mut cells = vec![Cell::default(); width * height];
    for dot in colony.objects().view::<Dot>() {
        let (x, y) =
            (dot.place.at.x / size.x * width as f32, dot.place.at.y / size.y * height as f32);
        let place = (y as usize).min(height - 1) * width + (x as usize).min(width - 1);
        let cell = &mut cells[place];
        let tags = *dot.tags;
        cell.hall |= tags.contains(Tags::HALL);
        cell.cart |= tags.contains(Tags::CART);
        cell.site |= tags.contains(Tags::SITE);
        cell.workers += u32::from(tags.contains(Tags::WORKER));
    }
    let most = cells.iter().map(|cell| cell.workers).max().unwrap_or(0).max(1);
    let letter = |cell: &Cell| match cell {
        Cell { hall: true, .. } => 'H',
        Cell { cart: true, .. } => 'c',
        Cell { site: true, workers: 0, .. } => ',',
        // The few are seen beside the many.
        cell => {
            CROWD[((cell.workers as f32 / most as f32).sqrt() * (CROWD.len() - 1) as f32).ceil()
                as usize]
        }
    };
    let rows = cells.chunks(width).map(|row| row.iter().map(letter).collect::<String>());
    if colours { rows.map(|row| paint(&row)).collect() } else { rows.collect() }
}

/// The same text for a terminal, in colours.
fn paint(row: &str) -> String {
    let (mut out, mut before) = (String::new(), "");
    for letter in row.chars() {
        let colour = match letter {
            'H' => "\x1b[1;33m",
            'c' => "\x1b[0;36m",
            ',' => "\x1b[0;32m",
            _ => "\x1b[0m",
        };
        if colour != before {
            out.push_str(colour);
            before = colour;
        }
        out.push(letter);
    }
    out + "\x1b[0m"
}

/// What the letters mean.
pub(crate) fn legend(colours: bool) -> String {
    [("H", "hall"), ("c", "cart"), (",", "site"), (".:+*#", "workers")]
        .map(|(letters, name)| {
            format!("{} {name}", if colours { paint(letters) } else { letters.to_owned() })
        })
        .join("  ")
}
