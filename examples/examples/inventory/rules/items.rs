//! The thing: one fat struct for coins, bags, people, hands and rooms.

use lath::prelude::*;

use super::{Grams, Refusal};

/// What an item is, as far as the rules care.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Can be moved, put away, held and used up.
    #[default]
    Thing,
    /// Carries things, and has hands.
    Person,
    /// Holds one thing.
    Hand,
    /// Is around everything else.
    Place,
}

/// An item, or a stack of items that are alike.
#[derive(Thing, Clone, Debug, Default)]
pub struct Item {
    pub name: String,
    pub kind: Kind,
    /// How many are in this stack.
    pub count: u32,
    /// How many fit into one stack; 1 for what does not stack.
    pub most: u32,
    /// What one of them weighs, when it is empty.
    pub weight: Grams,
    /// How many stacks can be inside. Without places it is no container.
    pub places: u32,
    /// How much of a weight can be inside.
    pub bears: Grams,
    /// The weight of all of them with all that is inside: kept by the inventory.
    pub total: Grams,
}

impl Item {
    /// One of something that does not stack.
    pub fn new(name: &str, weight: Grams) -> Self {
        Self { name: name.into(), count: 1, most: 1, weight, ..default() }
    }

    /// So many in a stack of at most `most`.
    pub fn stack(self, count: u32, most: u32) -> Self {
        Self { count, most, ..self }
    }

    /// Can have other items inside. Containers do not stack.
    pub fn holding(self, places: u32, bears: Grams) -> Self {
        Self { places, bears, count: 1, most: 1, ..self }
    }

    /// Somebody who can carry so much.
    pub fn person(name: &str, places: u32, bears: Grams) -> Self {
        Self { kind: Kind::Person, ..Self::new(name, Grams(70_000)).holding(places, bears) }
    }

    pub(super) fn hand(name: &str) -> Self {
        Self { kind: Kind::Hand, ..Self::new(name, Grams(0)) }
    }

    pub(super) fn place(name: &str) -> Self {
        Self { kind: Kind::Place, ..Self::new(name, Grams(0)).holding(u32::MAX, Grams(u64::MAX)) }
    }

    /// What it is called in a sentence: `the bag`, but `you`.
    pub fn in_words(&self) -> String {
        if self.kind == Kind::Person { self.name.clone() } else { format!("the {}", self.name) }
    }

    /// Whether other items can be inside.
    pub fn is_container(&self) -> bool {
        self.places > 0
    }

    /// The weight of what is inside.
    pub fn load(&self) -> Grams {
        self.total - self.empty()
    }

    /// The weight of all in the stack, without what is inside.
    pub(super) fn empty(&self) -> Grams {
        self.weight * self.count
    }

    /// Whether it is a stack as there may be one.
    pub(super) fn is_whole(&self) -> Result<(), Refusal> {
        if (1..=self.most).contains(&self.count) {
            return Ok(());
        }
        Err(Refusal::Count { item: self.name.clone(), asked: self.count, has: self.most })
    }

    /// Whether two stacks can become one.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let stacks = self.most > 1 && !self.is_container();
        let same_kind = self.kind == Kind::Thing && other.kind == Kind::Thing;
        stacks
            && same_kind
            && self.name == other.name
            && self.weight == other.weight
            && self.most == other.most
    }
}
