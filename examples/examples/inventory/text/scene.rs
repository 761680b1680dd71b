//! Where it happens: a cellar, a chest, a bag, and what can be made of what is there.

use lath::prelude::*;

use crate::rules::{Grams, Inventory, Item, Recipe, Refusal};

/// Everything that is there at the start, and you.
pub(super) fn cellar() -> Result<(Inventory, Handle<Item>), Refusal> {
    let mut all = Inventory::new();
    let cellar = all.add_place("cellar");
    let you = all.add(Item::person("you", 4, Grams(25_000)), cellar)?;
    all.add_hand("right hand", you)?;
    all.add_hand("left hand", you)?;

    let bag = all.add(Item::new("bag", Grams(600)).holding(6, Grams(12_000)), you)?;
    let pouch = all.add(Item::new("pouch", Grams(50)).holding(2, Grams(500)), bag)?;
    all.add(coins(12), pouch)?;
    all.add(Item::new("rope", Grams(1400)), bag)?;

    let chest = all.add(Item::new("chest", Grams(14_000)).holding(8, Grams(60_000)), cellar)?;
    all.add(Item::new("sword", Grams(1300)), chest)?;
    let box_inside =
        all.add(Item::new("iron box", Grams(2500)).holding(3, Grams(20_000)), chest)?;
    all.add(coins(20), box_inside)?;
    all.add(coins(15), box_inside)?;
    all.add(Item::new("gold bar", Grams(12_400)), chest)?;

    all.add(Item::new("stick", Grams(300)).stack(3, 5), cellar)?;
    all.add(Item::new("rag", Grams(80)).stack(2, 10), cellar)?;
    all.add(Item::new("resin", Grams(150)).stack(1, 10), cellar)?;
    Ok((all, you))
}

/// What can be made.
pub(super) fn recipes() -> Vec<Recipe> {
    vec![
        Recipe {
            makes: Item::new("torch", Grams(500)),
            parts: vec![("stick", 1), ("rag", 1), ("resin", 1)],
        },
        Recipe { makes: Item::new("ladder", Grams(2200)), parts: vec![("stick", 3), ("rope", 1)] },
    ]
}

fn coins(count: u32) -> Item {
    Item::new("coin", Grams(8)).stack(count, 20)
}
