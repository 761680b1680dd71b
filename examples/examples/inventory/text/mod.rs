//! The inventory as a conversation: a line in, an answer out.

mod command;
mod find;
mod scene;

use std::fmt::Write;

use lath::prelude::*;

use find::Prefer;

use crate::rules::{Inside, Inventory, Item, Recipe, Refusal};
pub(crate) use command::{Command, Count, HELP};

/// A cellar with you in it.
pub(crate) struct Session {
    inventory: Inventory,
    you: Handle<Item>,
    /// The last thing that was named. It may be gone by now; the handle will say so.
    it: Handle<Item>,
    recipes: Vec<Recipe>,
}

impl Session {
    pub(crate) fn new() -> Result<Self, Refusal> {
        let (inventory, you) = scene::cellar()?;
        Ok(Self { inventory, you, it: Handle::NIL, recipes: scene::recipes() })
    }

    /// Does what was typed. The answer is what happened, or why nothing did.
    pub(crate) fn perform(&mut self, command: Command) -> String {
        self.try_perform(command).unwrap_or_else(|complaint| format!("{complaint}\n"))
    }

    fn try_perform(&mut self, command: Command) -> Result<String, String> {
        match command {
            Command::Nothing | Command::Quit => Ok(String::new()),
            Command::Help => Ok(HELP.into()),
            Command::Look => Ok(self.draw(self.inventory.place_of(self.you))),
            Command::Inventory => Ok(self.draw(self.you) + &self.hands()),
            Command::Recipes => Ok(self.recipes.iter().map(in_words).collect()),
            Command::Check => self.inventory.check().map(|()| "all rules hold\n".into()),
            Command::Examine(item) => self.examine(&item),
            Command::Take(count, item) => self.take(count, &item),
            Command::Drop(count, item) => {
                let (item, count) = self.stack(count, &item, Prefer::Carried)?;
                let there = self.inventory.drop_here(item, count).map_err(in_full)?;
                Ok(self.moved(there, count))
            }
            Command::Put(count, item, into) => {
                let into = self.find(&into)?;
                let (item, count) = self.stack(count, &item, Prefer::Any)?;
                let there = self.inventory.put(item, count, into).map_err(in_full)?;
                Ok(self.moved(there, count))
            }
            Command::Split(count, item) => {
                let item = self.find(&item)?;
                self.it = self.inventory.split(item, count).map_err(in_full)?;
                Ok(format!("{} and {}\n", self.label(item), self.label(self.it)))
            }
            Command::Equip(item, hand) => self.equip(&item, hand),
            Command::Unequip(item) => {
                let item = self.find(&item)?;
                let hand = self.inventory.unequip(item).map_err(in_full)?;
                Ok(format!("{} lets go of {}\n", self.name(hand), self.name(item)))
            }
            Command::Craft(name) => self.craft(&name),
            Command::Smash(item) => {
                let item = self.find(&item)?;
                let name = self.name(item);
                self.inventory.smash(item).map_err(in_full)?;
                Ok(format!("{name} is gone; what was inside lies where it was\n"))
            }
        }
    }

    /// Into the first of your bags in which there is room; if there is none, the answer is about
    /// the first.
    fn take(&mut self, count: Count, item: &str) -> Result<String, String> {
        let (item, count) = self.stack(count, item, Prefer::Other)?;
        let is_bag = |bag: &Handle<Item>| self.inventory.items()[*bag].is_container();
        let bags: Vec<_> =
            self.inventory.contents(self.you).filter(is_bag).chain([self.you]).collect();
        let mut refusal = None;
        for bag in bags {
            match self.inventory.put(item, count, bag) {
                Ok(there) => return Ok(self.moved(there, count)),
                Err(because) => refusal = refusal.or(Some(because)),
            }
        }
        Err(refusal.map(in_full).unwrap_or_default())
    }

    fn equip(&mut self, item: &str, hand: Option<String>) -> Result<String, String> {
        let hand = match hand {
            Some(hand) => self.find(&hand)?,
            // A free one or else the first, which will say what it holds.
            None => {
                let hands: Vec<_> = self.inventory.hands(self.you).collect();
                let free = hands.iter().find(|hand| self.inventory.held_by(**hand).is_none());
                free.or(hands.first()).copied().unwrap_or_default()
            }
        };
        let item = self.find(item)?;
        self.inventory.equip(item, hand).map_err(in_full)?;
        Ok(format!(
            "{} holds {}, which is still in {}\n",
            self.name(hand),
            self.name(item),
            self.around(item)
        ))
    }

    fn craft(&mut self, name: &str) -> Result<String, String> {
        let Some(recipe) = self.recipes.iter().find(|recipe| recipe.makes.name == name) else {
            return Err(format!(
                "nobody knows how to make a {name}: `recipes` shows what can be made"
            ));
        };
        let made = self.inventory.craft(self.you, recipe).map_err(in_full)?;
        self.it = made;
        Ok(format!("made: {}, in {}\n", self.label(made), self.around(made)))
    }

    fn examine(&mut self, item: &str) -> Result<String, String> {
        let item = self.find(item)?;
        let thing = &self.inventory.items()[item];
        let mut text = format!("{} is {item}", self.label(item));
        if !thing.is_container() {
            write!(text, ", {} each", thing.weight).expect("a string takes everything");
        }
        let around: Vec<_> = self.inventory.items().tree_of::<Inside>().ancestors(item).collect();
        for around in around {
            write!(text, ", in {}", self.name(around)).expect("a string takes everything");
        }
        Ok(text + "\n")
    }

    /// Finds a stack, and how many of it are meant.
    fn stack(
        &mut self,
        count: Count,
        item: &str,
        prefer: Prefer,
    ) -> Result<(Handle<Item>, u32), String> {
        let item = self.find_preferred(item, prefer)?;
        let all = self.inventory.items()[item].count;
        Ok((
            item,
            match count {
                Count::All => all,
                Count::Of(count) => count,
            },
        ))
    }

    /// Says where something has gone, and remembers it.
    fn moved(&mut self, there: Handle<Item>, count: u32) -> String {
        self.it = there;
        let thing = &self.inventory.items()[there];
        let place = match self.around(there).as_str() {
            "you" => "with you".to_owned(),
            around => format!("in {around}"),
        };
        match count {
            1 if thing.count == 1 => format!("{} is {place} now\n", self.name(there)),
            all if thing.count == all => format!("{} are {place} now\n", many(&thing.name, all)),
            _ => format!("{} joined others {place}\n", many(&thing.name, count)),
        }
    }

    fn draw(&self, root: Handle<Item>) -> String {
        self.inventory.items().tree_of::<Inside>().draw(root, |item| self.label(item))
    }

    fn hands(&self) -> String {
        let line = |hand| match self.inventory.held_by(hand) {
            Some(held) => format!("{}: {}\n", self.name(hand), self.name(held)),
            None => format!("{}: empty\n", self.name(hand)),
        };
        self.inventory.hands(self.you).map(line).collect()
    }

    /// What a thing is called, how many there are, and what is to be known of it.
    fn label(&self, item: Handle<Item>) -> String {
        let thing = &self.inventory.items()[item];
        let name = many(&thing.name, thing.count);
        if thing.is_container() {
            let inside = self.inventory.items().tree_of::<Inside>().child_count(item);
            return match thing.places {
                u32::MAX => name,
                places => format!(
                    "{name} ({inside} of {places} places, {} of {})",
                    thing.load(),
                    thing.bears
                ),
            };
        }
        match self.inventory.hand_of(item) {
            Some(hand) => format!("{name} ({}, in {})", thing.total, self.name(hand)),
            None => format!("{name} ({})", thing.total),
        }
    }

    /// What a thing is called in a sentence.
    fn name(&self, item: Handle<Item>) -> String {
        self.inventory.items()[item].in_words()
    }

    /// What a thing is in, in a sentence.
    fn around(&self, item: Handle<Item>) -> String {
        self.name(self.inventory.items().tree_of::<Inside>().parent(item).unwrap_or_default())
    }
}

fn many(name: &str, count: u32) -> String {
    if count == 1 { name.into() } else { format!("{count} × {name}") }
}

fn in_words(recipe: &Recipe) -> String {
    let parts: Vec<_> = recipe.parts.iter().map(|(name, count)| many(name, *count)).collect();
    format!("{}: {}\n", recipe.makes.name, parts.join(", "))
}

fn in_full(refusal: Refusal) -> String {
    format!("no: {refusal}")
}
