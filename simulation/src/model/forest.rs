//! One relation, as naively as can be: for each thing a parent and a list of children.

use std::collections::BTreeMap;

use crate::body::Id;

/// What becomes of children whose parent goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fall {
    /// They go too.
    Go,
    /// They stay, without a parent.
    Stay,
    /// The grandparent takes them, in the place of the parent.
    Climb,
}

/// The fates that calls name by number.
pub const FALLS: [Fall; 3] = [Fall::Go, Fall::Stay, Fall::Climb];

/// Who is whose parent.
#[derive(Clone, Debug)]
pub struct Forest {
    /// What becomes of children by the rule of the relation.
    pub fall: Fall,
    parent: BTreeMap<Id, Id>,
    children: BTreeMap<Id, Vec<Id>>,
}

impl PartialEq for Forest {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl Forest {
    /// A forest without any tree.
    pub fn new(fall: Fall) -> Self {
        Self { fall, parent: BTreeMap::new(), children: BTreeMap::new() }
    }

    /// The children of a thing, in order.
    pub fn kids(&self, of: Id) -> Vec<Id> {
        self.children.get(&of).cloned().unwrap_or_default()
    }

    /// Its parent.
    pub fn parent(&self, of: Id) -> Option<Id> {
        self.parent.get(&of).copied()
    }

    /// All that have children, and these.
    pub fn all(&self) -> Vec<(Id, Vec<Id>)> {
        let some = self.children.iter().filter(|(_, kids)| !kids.is_empty());
        some.map(|(id, kids)| (*id, kids.clone())).collect()
    }

    /// Whether a thing is another one or somewhere below it.
    pub fn is_at_or_below(&self, mut at: Id, top: Id) -> bool {
        while at != top {
            match self.parent(at) {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        true
    }

    /// All below a thing, parents before their children.
    pub fn below(&self, top: Id) -> Vec<Id> {
        let mut found = Vec::new();
        for kid in self.kids(top) {
            found.push(kid);
            found.extend(self.below(kid));
        }
        found
    }

    /// Takes a thing away from its parent.
    pub fn detach(&mut self, id: Id) -> Option<Id> {
        let parent = self.parent.remove(&id)?;
        if let Some(kids) = self.children.get_mut(&parent) {
            kids.retain(|kid| *kid != id);
        }
        Some(parent)
    }

    /// Puts a thing among the children of another, which it was not below before.
    pub fn put(&mut self, id: Id, parent: Id, at: usize) {
        self.children.entry(parent).or_default().insert(at, id);
        self.parent.insert(id, parent);
    }

    /// Puts a thing after the other children.
    pub fn put_last(&mut self, id: Id, parent: Id) {
        self.put(id, parent, self.kids(parent).len());
    }

    /// Which child of its parent a thing is.
    pub fn place(&self, id: Id) -> Option<(Id, usize)> {
        let parent = self.parent(id)?;
        Some((parent, self.kids(parent).iter().position(|kid| *kid == id)?))
    }

    /// Two things, neither above the other, change places.
    pub fn swap(&mut self, one: Id, two: Id) {
        let places = [self.place(one), self.place(two)];
        for (place, id) in places.into_iter().zip([two, one]) {
            match place {
                Some((parent, at)) => {
                    self.children.entry(parent).or_default()[at] = id;
                    self.parent.insert(id, parent);
                }
                None => _ = self.parent.remove(&id),
            }
        }
    }

    /// Orders the children of a thing.
    pub fn sort(&mut self, of: Id, key: impl Fn(Id) -> u32) {
        if let Some(kids) = self.children.get_mut(&of) {
            kids.sort_by_key(|kid| key(*kid));
        }
    }

    /// Takes a thing out. Answers which children go with it.
    pub fn remove(&mut self, id: Id, fall: Fall) -> Vec<Id> {
        let (kids, place) = (self.kids(id), self.place(id));
        for kid in &kids {
            self.detach(*kid);
        }
        self.detach(id);
        self.children.remove(&id);
        match (fall, place) {
            (Fall::Go, _) => kids,
            (Fall::Climb, Some((parent, at))) => {
                for (n, kid) in kids.into_iter().enumerate() {
                    self.put(kid, parent, at + n);
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Takes out everything.
    pub fn clear(&mut self) {
        self.parent.clear();
        self.children.clear();
    }
}
