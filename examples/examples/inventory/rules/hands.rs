//! Hands: an item is held by one, and is in its bag all the same. One item, two trees.

use lath::prelude::*;

use super::{Held, Inventory, Item, Kind, Refusal};

impl Inventory {
    /// Takes an item into a hand. It stays in the bag that it is carried in.
    ///
    /// # Errors
    ///
    /// If the hand is not empty, or its owner does not carry the item.
    pub fn equip(&mut self, item: Handle<Item>, hand: Handle<Item>) -> Result<(), Refusal> {
        let name = self.movable(item)?.in_words();
        if self.known(hand)?.kind != Kind::Hand {
            return Err(Refusal::NoHand { item: self.name(hand) });
        }
        let tree = self.items.tree_of::<Held>();
        if let Some(held) = tree.first_child(hand) {
            return Err(Refusal::HandFull { hand: self.name(hand), held: self.name(held) });
        }
        let owner = tree.parent(hand).unwrap_or_default();
        if !self.has(owner, item) {
            return Err(Refusal::NotCarried { item: name, owner: self.name(owner) });
        }
        Ok(self.items.tree_of_mut::<Held>().attach(item, hand)?)
    }

    /// Puts an item out of the hand that holds it, which is the answer.
    ///
    /// # Errors
    ///
    /// If no hand holds it.
    pub fn unequip(&mut self, item: Handle<Item>) -> Result<Handle<Item>, Refusal> {
        let name = self.movable(item)?.in_words();
        let hand = self.items.tree_of_mut::<Held>().detach(item)?;
        hand.ok_or(Refusal::NotHeld { item: name })
    }

    /// The hand that holds an item.
    pub fn hand_of(&self, item: Handle<Item>) -> Option<Handle<Item>> {
        self.items
            .tree_of::<Held>()
            .parent(item)
            .filter(|hand| self.items[*hand].kind == Kind::Hand)
    }

    /// The hands of somebody, in order.
    pub fn hands(&self, owner: Handle<Item>) -> impl Iterator<Item = Handle<Item>> + '_ {
        self.items.tree_of::<Held>().children(owner)
    }

    /// What a hand holds.
    pub fn held_by(&self, hand: Handle<Item>) -> Option<Handle<Item>> {
        self.items.tree_of::<Held>().first_child(hand)
    }

    /// After a move: hands let go of what their owner no longer carries, the item itself or
    /// something inside.
    pub(super) fn let_go_below(&mut self, moved: Handle<Item>) {
        let inside: Vec<_> = std::iter::once(moved).chain(self.contents(moved)).collect();
        for item in inside {
            let owner =
                self.hand_of(item).and_then(|hand| self.items.tree_of::<Held>().parent(hand));
            if owner.is_some_and(|owner| !self.has(owner, item)) {
                let let_go = self.items.tree_of_mut::<Held>().detach(item);
                debug_assert!(let_go.is_ok(), "the item was found in a tree");
            }
        }
    }
}
