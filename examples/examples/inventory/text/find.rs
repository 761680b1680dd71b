//! From a name to a handle.

use lath::prelude::*;

use super::Session;
use crate::rules::{Inside, Item};

/// Which of several things of the same name is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefer {
    /// One that you carry.
    Carried,
    /// One that you do not carry.
    Other,
    Any,
}

impl Session {
    /// The thing that is meant by `words`, which becomes `it`. Fails with what to say instead.
    pub(super) fn find(&mut self, words: &str) -> Result<Handle<Item>, String> {
        self.find_preferred(words, Prefer::Any)
    }

    /// The same, where some things are more likely to be meant than others.
    pub(super) fn find_preferred(
        &mut self,
        words: &str,
        prefer: Prefer,
    ) -> Result<Handle<Item>, String> {
        if words == "it" {
            return match self.inventory.items().check(self.it) {
                Ok(()) => Ok(self.it),
                Err(HandleError::Nil) => Err("it? nothing was named yet".into()),
                Err(error) => Err(format!("it is gone ({error}): say what you mean by name")),
            };
        }
        let (name, around) = match words.split_once(" in ") {
            Some((name, around)) => (name, Some(self.find(around)?)),
            None => (words, None),
        };
        let mut found = self.called(name, around);
        let is_preferred = |item: &Handle<Item>| {
            self.inventory.has(self.you, *item) == (prefer == Prefer::Carried)
        };
        if prefer != Prefer::Any && found.iter().any(is_preferred) {
            found.retain(is_preferred);
        }
        let found = self.one_of(words, &found)?;
        self.it = found;
        Ok(found)
    }

    /// All that has this name: inside `around`, or anywhere here, hands included.
    fn called(&self, name: &str, around: Option<Handle<Item>>) -> Vec<Handle<Item>> {
        let place = self.inventory.place_of(self.you);
        let items = self.inventory.items();
        let here = std::iter::once(place)
            .chain(self.inventory.contents(place))
            .chain(self.inventory.hands(self.you));
        let fits = |item: &Handle<Item>| {
            around.is_none_or(|around| items.tree_of::<Inside>().parent(*item) == Some(around))
        };
        here.filter(fits).filter(|item| is_called(&items[*item], name)).collect()
    }

    /// Several stacks in one container are alike, so that the first will do.
    fn one_of(&self, words: &str, found: &[Handle<Item>]) -> Result<Handle<Item>, String> {
        let tree = self.inventory.items().tree_of::<Inside>();
        let mut around: Vec<_> = found.iter().map(|item| tree.parent(*item)).collect();
        around.dedup();
        match (found, &around[..]) {
            ([], _) => Err(format!("there is no {words} here: `look` shows what there is")),
            ([first, ..], [_]) => Ok(*first),
            ([first, ..], _) => {
                let name = &self.inventory.items()[*first].name;
                let around =
                    around.iter().flatten().map(|around| &self.inventory.items()[*around].name);
                let choices: Vec<_> =
                    around.map(|around| format!("`{name} in {around}`")).collect();
                Err(format!("which one? say {}", choices.join(" or ")))
            }
        }
    }
}

/// Also in the plural.
fn is_called(item: &Item, name: &str) -> bool {
    item.name == name || name.strip_suffix('s') == Some(&item.name)
}
