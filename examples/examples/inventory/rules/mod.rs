//! The rules of an inventory: a small library to copy from. It knows nothing of commands or of
//! printing.
//!
//! Everything is an [`Item`] in one pool: coins, bags, you, your hands, the room. Two trees say how
//! they belong together:
//!
//! - [`Inside`]: what is in what. Contents of a container that goes are left where it was.
//! - [`Held`]: which hand is whose, and what it holds. What a hand holds stays, in its bag, when it
//!   lets go.
//!
//! # Rules
//!
//! [`Inventory::check`] looks whether they hold; every call keeps them, or is refused and changes
//! nothing.
//!
//! - A stack has at least one item, and no more than fit into a stack.
//! - A container has no more stacks than places, and bears the weight of all that is inside,
//!   however deep.
//! - Nothing is inside itself.
//! - A hand holds one stack at most, and only what its owner carries.
//!
//! | file | holds |
//! |---|---|
//! | `items.rs` | the thing, and how to make one |
//! | `moves.rs` | putting, splitting, smashing |
//! | `hands.rs` | equipping: one item in two trees |
//! | `craft.rs` | recipes |
//! | `weight.rs` | sums over a tree, and what a container bears |
//! | `check.rs` | whether the rules hold, the slow and obvious way |
//! | `refusal.rs` | why something cannot be done, in words |

#![expect(unreachable_pub, reason = "a library in a program: `pub` is what its users would see")]

mod check;
mod craft;
mod hands;
mod items;
mod moves;
mod refusal;
mod weight;

use lath::prelude::*;

pub use craft::Recipe;
pub use items::{Item, Kind, item};
pub use refusal::Refusal;
pub use weight::Grams;

/// What is in what.
pub struct Inside;

impl Relation for Inside {
    /// A smashed chest leaves its contents on the floor, a torn pouch in the bag.
    const ORPHANS: Orphans = Orphans::Adopt;
}

/// Whose hand it is, and what is in the hand.
pub struct Held;

impl Relation for Held {
    const ORPHANS: Orphans = Orphans::Detach;
}

/// Items, what they are inside of, and what holds them.
#[derive(Default)]
pub struct Inventory {
    items: Pool<Item>,
}

impl Inventory {
    /// No items at all. Begin with [`add_place`](Self::add_place).
    pub fn new() -> Self {
        Self::default()
    }

    /// The items, to look at: `items()[handle]`, `items().tree_of::<Inside>()`.
    pub fn items(&self) -> &Pool<Item> {
        &self.items
    }

    /// Makes a place, which is inside of nothing and has room for everything.
    pub fn add_place(&mut self, name: &str) -> Handle<Item> {
        self.items.spawn(Item::place(name))
    }

    /// Makes an item, and puts it into a container as [`put`](Self::put) would.
    ///
    /// # Errors
    ///
    /// Where `put` refuses, and for a stack that is empty or too large.
    pub fn add(&mut self, item: Item, into: Handle<Item>) -> Result<Handle<Item>, Refusal> {
        self.known(into)?;
        item.is_whole()?;
        let count = item.count;
        let made = self.items.spawn(item);
        self.weigh();
        self.bring(made, count, into).inspect_err(|_| {
            self.items.despawn(made);
        })
    }

    /// Gives somebody a hand.
    ///
    /// # Errors
    ///
    /// If nobody is there.
    pub fn add_hand(&mut self, name: &str, owner: Handle<Item>) -> Result<Handle<Item>, Refusal> {
        self.known(owner)?;
        let hand = self.items.spawn(Item::hand(name));
        self.items.tree_of_mut::<Held>().attach(hand, owner)?;
        Ok(hand)
    }

    /// Where an item is in the end: the place around all that it is inside of.
    pub fn place_of(&self, item: Handle<Item>) -> Handle<Item> {
        self.items.tree_of::<Inside>().root_of(item)
    }

    /// Whether `outer` has `item` inside, however deep.
    pub fn has(&self, outer: Handle<Item>, item: Handle<Item>) -> bool {
        self.items.tree_of::<Inside>().is_ancestor(outer, item)
    }

    /// Whatever can be inside of `outer`: its contents, and theirs.
    pub fn contents(&self, outer: Handle<Item>) -> impl Iterator<Item = Handle<Item>> + '_ {
        self.items.tree_of::<Inside>().descendants(outer)
    }

    fn known(&self, item: Handle<Item>) -> Result<&Item, Refusal> {
        self.items.check(item)?;
        Ok(&self.items[item])
    }

    /// What an item is called in a sentence: `the bag`, but `you`.
    fn name(&self, item: Handle<Item>) -> String {
        self.items[item].in_words()
    }
}
