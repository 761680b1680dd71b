//! Recipes: parts go in, an item comes out.

use lath::prelude::*;

use super::{Inside, Inventory, Item, Kind, Refusal};

/// What is made out of what.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub makes: Item,
    /// Names, and how many of each.
    pub parts: Vec<(&'static str, u32)>,
}

impl Inventory {
    /// Makes something out of parts that somebody carries, wherever they are. It is put where the
    /// first part was or, if it does not fit there, on the floor; the answer is the new item.
    /// Handles to stacks that were used up are stale from then on.
    ///
    /// # Errors
    ///
    /// If parts are missing: all of them are named, and nothing has changed. If nobody is there, or
    /// in no place.
    pub fn craft(&mut self, who: Handle<Item>, recipe: &Recipe) -> Result<Handle<Item>, Refusal> {
        recipe.makes.is_whole()?;
        let floor = self.place_of(who);
        if self.known(who)?.kind != Kind::Person || self.items[floor].kind != Kind::Place {
            return Err(Refusal::NotThere { item: self.name(who) });
        }
        let used = self.find_parts(who, recipe)?;
        let bag = used
            .first()
            .and_then(|(part, _)| self.items.tree_of::<Inside>().parent(*part))
            .unwrap_or(who);
        for (part, count) in used {
            self.take_off(part, count);
        }
        let made = self.add(recipe.makes.clone(), floor)?;
        Ok(self.put(made, recipe.makes.count, bag).unwrap_or(made))
    }

    /// Which stacks to take the parts off.
    fn find_parts(
        &self,
        who: Handle<Item>,
        recipe: &Recipe,
    ) -> Result<Vec<(Handle<Item>, u32)>, Refusal> {
        let (mut used, mut missing) = (Vec::new(), Vec::new());
        for &(name, mut needed) in &recipe.parts {
            for stack in self.contents(who).filter(|stack| self.is_part(*stack, name)) {
                let taken = needed.min(self.items[stack].count);
                needed -= taken;
                used.extend((taken > 0).then_some((stack, taken)));
            }
            if needed > 0 {
                missing.push((name, needed));
            }
        }
        if missing.is_empty() {
            return Ok(used);
        }
        Err(Refusal::Parts { item: recipe.makes.name.clone(), missing })
    }

    fn is_part(&self, stack: Handle<Item>, name: &str) -> bool {
        let stack = &self.items[stack];
        stack.kind == Kind::Thing && !stack.is_container() && stack.name == name
    }
}
