//! Orders: what can be typed into the terminal while the colony runs. Each is a system that is run
//! once.

use std::fmt;
use std::str::FromStr;

use lath::prelude::*;

use crate::bag;
use crate::day::Clock;
use crate::object::{Carried, Goods, Object, Tags, object};
use crate::town::Towns;

/// Something that is done to the colony from outside, between two ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Every town gets grain.
    Feast,
    /// Every eighth worker dies.
    Plague,
    /// Every third cart breaks.
    Storm,
    /// Every fourth town gives its wood to the next.
    Levy,
}

impl Order {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Feast, Self::Plague, Self::Storm, Self::Levy];

    /// Does it.
    ///
    /// # Errors
    ///
    /// The world is not that of a colony.
    pub fn carry_out(self, world: &mut World) -> Result<(), RunError> {
        match self {
            Self::Feast => world.run_once(feast),
            Self::Plague => world.run_once(plague),
            Self::Storm => world.run_once(storm),
            Self::Levy => world.run_once(levy),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Feast => "feast",
            Self::Plague => "plague",
            Self::Storm => "storm",
            Self::Levy => "levy",
        })
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(|order| format!("`{order}`")).join(", ");
        let meant = Self::ALL.into_iter().find(|order| order.to_string() == text);
        meant.ok_or_else(|| format!("there is no order `{text}`: there are {}", known()))
    }
}

#[derive(View)]
#[view(Object, with = Tags::BIN)]
struct Bin<'a> {
    stock: &'a mut u32,
}

fn feast(towns: Res<Towns>, mut bins: Query<Bin>, mut commands: Commands) {
    for (number, town) in towns.list.iter().enumerate() {
        let granary = town.bins[Goods::Grain.index()];
        let Some(bin) = bins.get_mut(granary) else { continue };
        *bin.stock += 50;
        for _ in 0..50 {
            let grain = commands.spawn(bag::item(Goods::Grain, number as u16));
            commands.attach_in::<Carried, _>(grain, granary);
        }
    }
}

#[derive(View)]
#[view(Object, with = Tags::WORKER)]
struct Worker<'a> {
    serial: &'a u32,
    health: &'a mut i16,
}

fn plague(mut workers: Query<Worker>, clock: Res<Clock>) {
    workers.each(|me| {
        if clock.dice(*me.serial).below(8) == 0 {
            *me.health = 0;
        }
    });
}

#[derive(View)]
#[view(Object, with = Tags::CART)]
struct Cart<'a> {
    serial: &'a u32,
    health: &'a mut i16,
}

fn storm(mut carts: Query<Cart>, clock: Res<Clock>) {
    carts.each(|me| {
        if clock.dice(*me.serial).below(3) == 0 {
            *me.health = 0;
        }
    });
}

fn levy(
    towns: Res<Towns>,
    clock: Res<Clock>,
    carried: Tree<Object, Carried>,
    mut bins: Query<Bin>,
    mut commands: Commands,
) {
    let wood = |number: usize| towns.list[number % towns.list.len()].bins[Goods::Wood.index()];
    for number in (0..towns.list.len()).filter(|&number| clock.dice(number as u32).below(4) == 0) {
        let (from, to) = (wood(number), wood(number + 1));
        // What the bin counts now is what was in it before this order; what others bring to it is
        // added to that.
        let items = carried
            .children(from)
            .inspect(|&item| commands.attach_in::<Carried, _>(item, to))
            .count() as u32;
        if let Some(bin) = bins.get_mut(from) {
            *bin.stock = bin.stock.saturating_sub(items);
        }
        if let Some(bin) = bins.get_mut(to) {
            *bin.stock += items;
        }
    }
}
