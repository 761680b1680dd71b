//! Moving items: into a container, apart, and out of one that breaks.

use lath::prelude::*;

use super::{Inside, Inventory, Item, Kind, Refusal};

impl Inventory {
    /// Moves so many of a stack into a container. They join stacks of their kind as far as there is
    /// room, and what is left takes a place of its own. Answers with the stack in which (the last
    /// of) them are now.
    ///
    /// # Errors
    ///
    /// If they do not fit, are too heavy for the container or for what that is in, or are not
    /// there. Then nothing has changed.
    pub fn put(
        &mut self,
        item: Handle<Item>,
        count: u32,
        into: Handle<Item>,
    ) -> Result<Handle<Item>, Refusal> {
        self.movable(item)?;
        self.bring(item, count, into)
    }

    /// Moves a stack to the floor of the place where it is.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put): if it lies there already, for one.
    pub fn drop_here(&mut self, item: Handle<Item>, count: u32) -> Result<Handle<Item>, Refusal> {
        self.movable(item)?;
        self.put(item, count, self.place_of(item))
    }

    /// Takes so many off a stack: another stack, in the same container.
    ///
    /// # Errors
    ///
    /// If nothing would be left of the stack, or there is no place for another one.
    pub fn split(&mut self, item: Handle<Item>, count: u32) -> Result<Handle<Item>, Refusal> {
        let stack = self.movable(item)?.clone();
        if count == 0 || count >= stack.count {
            return Err(Refusal::Split { item: stack.name, asked: count, has: stack.count });
        }
        let tree = self.items.tree_of::<Inside>();
        let container =
            tree.parent(item).ok_or_else(|| Refusal::NotThere { item: stack.in_words() })?;
        self.place_free(container, 0)?;
        self.items.edit(item, |stack| stack.count -= count);
        self.place(Item { count, ..stack }, container)
    }

    /// Destroys what lies on the floor. What is inside is left there: the relation sees to it.
    ///
    /// # Errors
    ///
    /// If it is not on the floor, where there is room for everything.
    pub fn smash(&mut self, item: Handle<Item>) -> Result<(), Refusal> {
        let name = self.movable(item)?.in_words();
        let around = self.items.tree_of::<Inside>().parent(item).unwrap_or_default();
        if self.items[around].kind != Kind::Place {
            return Err(Refusal::NotOnTheFloor { item: name, container: self.name(around) });
        }
        self.items.despawn(item);
        self.weigh();
        Ok(())
    }

    /// As [`put`](Self::put), for people, too.
    pub(super) fn bring(
        &mut self,
        item: Handle<Item>,
        count: u32,
        into: Handle<Item>,
    ) -> Result<Handle<Item>, Refusal> {
        let likes = self.can_put(item, count, into)?;
        let stack = self.items[item].clone();

        let (mut left, mut last) = (count, item);
        for like in likes {
            let moved = left.min(stack.most - self.items[like].count);
            self.items.edit(like, |like| like.count += moved);
            (left, last) = (left - moved, like);
        }
        if left > 0 && count == stack.count {
            // What is left of the whole stack goes as it is, so that handles to it stay good.
            self.items.edit(item, |item| item.count = left);
            self.items.tree_of_mut::<Inside>().attach(item, into)?;
            last = item;
        } else {
            if left > 0 {
                last = self.place(Item { count: left, ..stack }, into)?;
            }
            self.take_off(item, count);
        }
        self.weigh();
        self.let_go_below(item);
        Ok(last)
    }

    /// Takes so many off a stack, and the stack away when nothing is left.
    pub(super) fn take_off(&mut self, item: Handle<Item>, count: u32) {
        if self.items[item].count > count {
            self.items.edit(item, |item| item.count -= count);
        } else {
            self.items.despawn(item);
        }
    }

    /// Asks all the questions of [`put`](Self::put). Answers with the stacks that the items can
    /// join.
    fn can_put(
        &self,
        item: Handle<Item>,
        count: u32,
        into: Handle<Item>,
    ) -> Result<Vec<Handle<Item>>, Refusal> {
        let (stack, container) = (self.known(item)?, self.known(into)?);
        let tree = self.items.tree_of::<Inside>();
        if count == 0 || count > stack.count {
            return Err(Refusal::Count {
                item: stack.name.clone(),
                asked: count,
                has: stack.count,
            });
        }
        if item == into || tree.is_ancestor(item, into) {
            return Err(Refusal::IntoItself {
                item: stack.in_words(),
                container: container.in_words(),
            });
        }
        if !container.is_container() {
            return Err(Refusal::NoContainer { item: container.in_words() });
        }
        if tree.parent(item) == Some(into) {
            return Err(Refusal::AlreadyThere {
                item: stack.in_words(),
                container: container.in_words(),
            });
        }
        let weight = if count == stack.count { stack.total } else { stack.weight * count };
        self.bears(item, weight, into)?;

        // What is in a hand stays what it is.
        let joins = self.hand_of(item).is_none();
        let is_like = |like: &Handle<Item>| {
            let like = &self.items[*like];
            joins && like.is_like(stack) && like.count < like.most
        };
        let mut likes: Vec<_> = tree.children(into).filter(is_like).collect();
        let mut room = 0;
        likes.retain(|like| {
            let needed = room < count;
            room += stack.most - self.items[*like].count;
            needed
        });
        if room < count {
            self.place_free(into, room)?;
        }
        Ok(likes)
    }

    /// Whether there is room for one more stack; `fits` is how many would go into those that are
    /// there.
    fn place_free(&self, container: Handle<Item>, fits: u32) -> Result<(), Refusal> {
        let places = self.items[container].places;
        if self.items.tree_of::<Inside>().child_count(container) < places as usize {
            return Ok(());
        }
        Err(Refusal::Full { container: self.name(container), places, fits })
    }

    /// Another stack in a container that has room for it.
    fn place(&mut self, stack: Item, container: Handle<Item>) -> Result<Handle<Item>, Refusal> {
        let made = self.items.spawn(stack);
        self.items.tree_of_mut::<Inside>().attach(made, container)?;
        self.weigh();
        Ok(made)
    }

    /// The item, if it can be moved at all.
    pub(super) fn movable(&self, item: Handle<Item>) -> Result<&Item, Refusal> {
        let stack = self.known(item)?;
        match stack.kind {
            Kind::Thing => Ok(stack),
            kind => Err(Refusal::Fixed { item: stack.in_words(), kind }),
        }
    }
}
