//! slotmap with links written by hand: keys inside the values.

use slotmap::{DefaultKey, Key, SlotMap};

use super::forest::{Forest, Linked, Load, Placed};

struct Node<L> {
    parent: DefaultKey,
    first: DefaultKey,
    last: DefaultKey,
    next: DefaultKey,
    prev: DefaultKey,
    load: L,
}

pub(super) struct Slots<L> {
    nodes: SlotMap<DefaultKey, Node<L>>,
    stack: Vec<DefaultKey>,
}

impl<L: Load> Slots<L> {
    fn link(&mut self, child: DefaultKey, parent: DefaultKey) {
        let last = std::mem::replace(&mut self.nodes[parent].last, child);
        if last.is_null() {
            self.nodes[parent].first = child
        } else {
            self.nodes[last].next = child
        }
        let node = &mut self.nodes[child];
        (node.parent, node.prev, node.next) = (parent, last, DefaultKey::null());
    }

    fn unlink(&mut self, child: DefaultKey) {
        let Node { parent, next, prev, .. } = self.nodes[child];
        if parent.is_null() {
            return;
        }
        if prev.is_null() {
            self.nodes[parent].first = next
        } else {
            self.nodes[prev].next = next
        }
        if next.is_null() {
            self.nodes[parent].last = prev
        } else {
            self.nodes[next].prev = prev
        }
        self.nodes[child].parent = DefaultKey::null();
    }
}

impl<L: Load> Forest for Slots<L> {
    type Key = DefaultKey;

    fn new() -> Self {
        Self { nodes: SlotMap::new(), stack: Vec::new() }
    }

    #[inline(always)]
    fn spawn(&mut self, number: u32) -> DefaultKey {
        let none = DefaultKey::null();
        let load = L::numbered(number);
        self.nodes.insert(Node { parent: none, first: none, last: none, next: none, prev: none, load })
    }

    #[inline(always)]
    fn spawn_child(&mut self, parent: DefaultKey, number: u32) -> DefaultKey {
        let child = self.spawn(number);
        self.link(child, parent);
        child
    }

    fn attach(&mut self, child: DefaultKey, parent: DefaultKey) {
        let mut above = parent;
        while !above.is_null() {
            if above == child {
                return;
            }
            above = self.nodes[above].parent;
        }
        self.unlink(child);
        self.link(child, parent);
    }

    fn despawn(&mut self, top: DefaultKey) {
        self.unlink(top);
        self.stack.push(top);
        while let Some(at) = self.stack.pop() {
            let Some(node) = self.nodes.remove(at) else { continue };
            let mut child = node.first;
            while !child.is_null() {
                self.stack.push(child);
                child = self.nodes[child].next;
            }
        }
    }

    fn walk(&self, root: DefaultKey, mut f: impl FnMut(u32)) {
        let mut at = root;
        loop {
            let node = &self.nodes[at];
            if !node.first.is_null() {
                at = node.first;
            } else {
                loop {
                    if at == root {
                        return;
                    }
                    let node = &self.nodes[at];
                    if !node.next.is_null() {
                        at = node.next;
                        break;
                    }
                    at = node.parent;
                }
            }
            f(self.nodes[at].load.number());
        }
    }
}

impl Linked for Slots<Placed> {
    fn parent(&self, key: DefaultKey) -> Option<DefaultKey> {
        Some(self.nodes[key].parent).filter(|parent| !parent.is_null())
    }

    fn first_child(&self, key: DefaultKey) -> Option<DefaultKey> {
        Some(self.nodes[key].first).filter(|first| !first.is_null())
    }

    fn next_sibling(&self, key: DefaultKey) -> Option<DefaultKey> {
        Some(self.nodes[key].next).filter(|next| !next.is_null())
    }

    fn load(&self, key: DefaultKey) -> &Placed {
        &self.nodes[key].load
    }

    fn load_mut(&mut self, key: DefaultKey) -> &mut Placed {
        &mut self.nodes[key].load
    }
}
