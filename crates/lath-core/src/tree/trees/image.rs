//! All trees of a pool at once, for copies of pools.

use super::*;

impl Entry {
    /// The same relation with other links.
    fn with(&self, links: Links) -> Self {
        Self {
            relation: self.relation,
            name: self.name,
            orphans: self.orphans,
            links: Box::new(links.into()),
        }
    }
}

impl<T: Thing> Trees<T> {
    /// Becomes a copy of other trees. Reuses its memory; trees that the others do not have are as
    /// if nobody had asked for them. A copy that is to be compared later has the version of what it
    /// is a copy of.
    pub(crate) fn assign(&mut self, from: &Self, keep_version: bool) {
        for entry in &mut self.entries {
            if from.entries.iter().all(|other| other.relation != entry.relation) {
                entry.links.get_mut().assign(&Links::default());
            }
        }
        for other in &from.entries {
            let number = self
                .entries
                .iter()
                .position(|entry| entry.relation == other.relation)
                .unwrap_or_else(|| {
                    self.entries.push(other.with(Links::default()));
                    self.entries.len() - 1
                });
            let links = self.entries[number].links.get_mut();
            links.assign(other.links());
            if keep_version {
                links.set_version(other.links().version());
            }
        }
    }

    /// Becomes trees of the same relations as others, with their marks and without links.
    pub(crate) fn assign_kinds(&mut self, from: &Self) {
        self.entries.clear();
        for other in &from.entries {
            let mut links = Links::default();
            let (list, in_use) = other.links().marked();
            links.assign_marks(list, in_use);
            self.entries.push(other.with(links));
        }
    }

    /// Forgets the links of relations that others do not have.
    pub(crate) fn keep_only(&mut self, others: &Self) {
        self.entries
            .retain(|entry| others.entries.iter().any(|other| other.relation == entry.relation));
    }

    /// The links of a tree, by its number.
    pub(crate) fn links(&self, number: usize) -> &Links {
        self.entries[number].links()
    }

    /// Changes the links of the relation that has this number among others.
    pub(crate) fn patch(&mut self, number: usize, others: &Self, change: impl FnOnce(&mut Links)) {
        let other = &others.entries[number];
        let place =
            self.entries.iter().position(|entry| entry.relation == other.relation).unwrap_or_else(
                || {
                    self.entries.push(other.with(Links::default()));
                    self.entries.len() - 1
                },
            );
        change(self.entries[place].links.get_mut());
    }

    /// The trees that have links: what each is called, and its links.
    pub(crate) fn named(&self) -> impl Iterator<Item = (TypeId, &'static str, &Links)> {
        self.entries.iter().map(|entry| (entry.relation, entry.name, entry.links()))
    }
}
