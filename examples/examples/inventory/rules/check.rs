//! Whether the rules hold: slowly, and with nothing remembered.

use lath::prelude::*;

use super::{Grams, Held, Inside, Inventory, Item, Kind};

impl Inventory {
    /// Looks whether all rules hold; fails with the first that does not. For tests, and for the
    /// curious.
    ///
    /// # Errors
    ///
    /// If there is a defect in these files.
    pub fn check(&self) -> Result<(), String> {
        self.items.check_invariants()?;
        for (handle, item) in &self.items {
            let name = &item.name;
            let inside = self.items.tree_of::<Inside>().child_count(handle);
            ensure(item.count >= 1 && item.count <= item.most, || {
                format!("{} of {name} in a stack", item.count)
            })?;
            ensure(inside <= item.places as usize, || format!("{inside} stacks in {name}"))?;
            ensure(item.total == self.weight_of(handle), || {
                format!("{name} weighs {}", item.total)
            })?;
            ensure(item.load() <= item.bears, || format!("{name} holds {}", item.load()))?;
            self.check_hand(handle, item)?;
        }
        Ok(())
    }

    fn check_hand(&self, handle: Handle<Item>, item: &Item) -> Result<(), String> {
        let tree = self.items.tree_of::<Held>();
        if item.kind == Kind::Hand {
            ensure(tree.child_count(handle) <= 1, || {
                format!("{} holds several things", item.name)
            })?;
        }
        let Some(hand) = self.hand_of(handle) else { return Ok(()) };
        let owner = tree.parent(hand).unwrap_or_default();
        ensure(self.has(owner, handle), || format!("{} is held and not carried", item.name))
    }

    fn weight_of(&self, handle: Handle<Item>) -> Grams {
        let inside =
            self.items.tree_of::<Inside>().children(handle).map(|item| self.weight_of(item)).sum();
        self.items[handle].weight * self.items[handle].count + inside
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
