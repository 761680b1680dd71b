//! Copies of all trees of a pool, and what differs between two of them.

use super::super::links::Row;
use super::*;

impl Entry {
    /// The same relation with other links.
    fn with(&self, links: Links) -> Self {
        Self { links: links.into(), ..*self }
    }
}

impl Trees {
    /// The links of the relation that others are of.
    fn links_like(&mut self, other: &Entry) -> &mut Links {
        let number = self.entries.iter().position(|entry| entry.relation == other.relation);
        let number = number.unwrap_or_else(|| {
            self.entries.push(other.with(Links::default()));
            self.entries.len() - 1
        });
        self.entries[number].links.get_mut()
    }

    /// Becomes a copy of other trees. Reuses its memory; trees that the others do not have are as
    /// if nobody had asked for them. A copy that is to be compared later has the version of what it
    /// is a copy of.
    pub fn assign(&mut self, from: &Self, keep_version: bool) {
        for entry in &mut self.entries {
            if from.entries.iter().all(|other| other.relation != entry.relation) {
                entry.links.get_mut().assign(&Links::default());
            }
        }
        for other in &from.entries {
            let links = self.links_like(other);
            links.assign(other.links());
            if keep_version {
                links.set_version(other.links().version());
            }
        }
    }

    /// The relations that things are linked by: the type of each, and its name.
    pub fn relations(&self) -> impl Iterator<Item = (TypeId, &'static str)> {
        let linked = |entry: &&Entry| entry.links().rows().iter().any(|row| row.stamp != 0);
        self.entries.iter().filter(linked).map(|entry| (entry.relation, entry.name))
    }

    /// The links of a relation, by slot.
    pub fn rows<R: Relation>(&self) -> &[Row] {
        self.of::<R>().map_or(&[], Links::rows)
    }

    /// The slots of what is marked for the next sweep, in order, and whether marks are in use.
    pub fn marked<R: Relation>(&self) -> (Vec<u32>, bool) {
        self.of::<R>().map_or((Vec::new(), false), |links| {
            let (list, in_use) = links.marked();
            (list.collect(), in_use)
        })
    }

    /// Replaces the links of a relation, and its marks.
    ///
    /// # Errors
    ///
    /// A sentence about the first invariant that does not hold; nothing changed.
    pub fn set<R: Relation>(
        &mut self,
        rows: &[Row],
        marked: &[u32],
        in_use: bool,
    ) -> Result<(), &'static str> {
        crate::tree::check_rows(rows)?;
        let links = self.of_mut::<R>().unwrap_or_else(|error| panic!("{error}"));
        links.assign_rows(rows);
        links.assign_marks(marked.iter().copied(), in_use);
        Ok(())
    }

    /// How many bytes the links take.
    pub fn bytes(&self) -> usize {
        self.all().map(|links| size_of_val(links.rows())).sum()
    }
}

/// What has to be changed in some trees to make them others.
#[derive(Default)]
pub(crate) struct TreesDelta {
    trees: Vec<Changed>,
}

/// The same of one tree.
struct Changed {
    /// Its relation, with the new marks and without links.
    marks: Entry,
    rows: usize,
    version: u64,
    /// The blocks of 64 rows that differ.
    blocks: Vec<(u32, Vec<Row>)>,
}

impl TreesDelta {
    /// Becomes what has to be changed in `old` to make it `new`. If they are `same`, of one pool,
    /// links of the same version are not looked at.
    pub(crate) fn find(&mut self, old: &Trees, new: &Trees, same: bool) {
        self.trees.clear();
        self.trees.extend(new.entries.iter().map(|entry| {
            let before = old.entries.iter().find(|other| other.relation == entry.relation);
            let (links, before) = (entry.links(), before.map(Entry::links));
            let unchanged = same && before.is_some_and(|old| old.version() == links.version());
            let before = before.map_or(&[][..], Links::rows);
            let blocks = (0..).zip(links.rows().chunks(64));
            let differ = blocks
                .filter(|&(n, rows)| !unchanged && before.chunks(64).nth(n as usize) != Some(rows));
            let (list, in_use) = links.marked();
            let mut marks = Links::default();
            marks.assign_marks(list, in_use);
            Changed {
                marks: entry.with(marks),
                rows: links.rows().len(),
                version: links.version(),
                blocks: differ.map(|(n, rows)| (n, rows.to_vec())).collect(),
            }
        }));
    }

    /// Turns the old trees into the new ones.
    pub(crate) fn apply(&self, trees: &mut Trees) {
        let is_kept = |entry: &Entry| {
            self.trees.iter().any(|changed| changed.marks.relation == entry.relation)
        };
        trees.entries.retain(is_kept);
        for Changed { marks, rows, version, blocks } in &self.trees {
            trees.links_like(marks).patch(*rows, blocks, *version, marks.links());
        }
    }

    /// How many bytes the links take.
    pub(crate) fn bytes(&self) -> usize {
        let blocks = self.trees.iter().flat_map(|tree| &tree.blocks);
        blocks.map(|(_, rows)| size_of_val(&**rows)).sum()
    }
}
