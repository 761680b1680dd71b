//! The small map: a letter for each part of the land.

use lath::prelude::*;

use crate::colony::Colony;
use crate::object::{Object, Tags, object};
use crate::pose::Pose;
use crate::town::Towns;

/// From nobody to many.
const CROWD: [char; 6] = [' ', '.', ':', '+', '*', '#'];

/// What the letters mean.
pub(crate) const LEGEND: &str = "H hall  c cart  , site  .:+*# workers";

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

/// The whole land in so many letters.
pub(crate) fn draw(colony: &Colony, width: usize, height: usize) -> Vec<String> {
    let size = colony.world.resource::<Towns>().size();
    let mut cells = vec![Cell::default(); width * height];
    for dot in colony.objects().query::<Dot>() {
        let (x, y) = (dot.place.at.x / size.x * width as f32, dot.place.at.y / size.y * height as f32);
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
        cell => CROWD[((cell.workers as f32 / most as f32).sqrt() * (CROWD.len() - 1) as f32).ceil() as usize],
    };
    cells.chunks(width).map(|row| row.iter().map(letter).collect()).collect()
}
