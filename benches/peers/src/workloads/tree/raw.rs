//! By hand: one array, links as indices inside the things, a free list.

use super::forest::{Affine, Forest, Load, Placed, Transforms, compose};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node<L> {
    parent: u32,
    first: u32,
    last: u32,
    next: u32,
    prev: u32,
    load: L,
}

pub(super) struct Raw<L> {
    nodes: Vec<Node<L>>,
    free: Vec<u32>,
    stack: Vec<u32>,
}

impl<L: Load> Raw<L> {
    fn at(&mut self, index: u32) -> &mut Node<L> {
        &mut self.nodes[index as usize]
    }

    fn link(&mut self, child: u32, parent: u32) {
        let last = std::mem::replace(&mut self.at(parent).last, child);
        if last == NONE {
            self.at(parent).first = child
        } else {
            self.at(last).next = child
        }
        let node = self.at(child);
        (node.parent, node.prev, node.next) = (parent, last, NONE);
    }

    fn unlink(&mut self, child: u32) {
        let Node { parent, next, prev, .. } = self.nodes[child as usize];
        if parent == NONE {
            return;
        }
        if prev == NONE {
            self.at(parent).first = next
        } else {
            self.at(prev).next = next
        }
        if next == NONE {
            self.at(parent).last = prev
        } else {
            self.at(next).prev = prev
        }
        self.at(child).parent = NONE;
    }

    /// The node after `at` below `root`, parents first.
    #[inline(always)]
    fn after(&self, root: u32, mut at: u32) -> Option<u32> {
        let node = &self.nodes[at as usize];
        if node.first != NONE {
            return Some(node.first);
        }
        while at != root {
            let node = &self.nodes[at as usize];
            if node.next != NONE {
                return Some(node.next);
            }
            at = node.parent;
        }
        None
    }
}

impl<L: Load> Forest for Raw<L> {
    type Key = u32;

    fn new() -> Self {
        Self { nodes: Vec::new(), free: Vec::new(), stack: Vec::new() }
    }

    #[inline(always)]
    fn spawn(&mut self, number: u32) -> u32 {
        let load = L::numbered(number);
        let node = Node { parent: NONE, first: NONE, last: NONE, next: NONE, prev: NONE, load };
        match self.free.pop() {
            Some(index) => {
                *self.at(index) = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    #[inline(always)]
    fn spawn_child(&mut self, parent: u32, number: u32) -> u32 {
        let child = self.spawn(number);
        self.link(child, parent);
        child
    }

    fn attach(&mut self, child: u32, parent: u32) {
        let mut above = parent;
        while above != NONE {
            if above == child {
                return;
            }
            above = self.nodes[above as usize].parent;
        }
        self.unlink(child);
        self.link(child, parent);
    }

    fn despawn(&mut self, top: u32) {
        self.unlink(top);
        self.stack.push(top);
        while let Some(at) = self.stack.pop() {
            let mut child = self.nodes[at as usize].first;
            while child != NONE {
                self.stack.push(child);
                child = self.nodes[child as usize].next;
            }
            self.free.push(at);
        }
    }

    fn walk(&self, root: u32, mut f: impl FnMut(u32)) {
        let mut at = root;
        while let Some(next) = self.after(root, at) {
            f(self.nodes[next as usize].load.number());
            at = next;
        }
    }
}

impl Raw<Placed> {
    #[inline(always)]
    fn place(&mut self, at: u32) {
        let Node { parent, load: Placed { local, .. }, .. } = self.nodes[at as usize];
        let world = if parent == NONE {
            local
        } else {
            compose(&self.nodes[parent as usize].load.world, &local)
        };
        self.at(at).load.world = world;
    }

    fn place_below(&mut self, top: u32) {
        let mut at = Some(top);
        while let Some(now) = at {
            self.place(now);
            at = self.after(top, now);
        }
    }
}

impl Transforms for Raw<Placed> {
    fn update_all(&mut self, roots: &[u32]) {
        for &root in roots {
            self.place_below(root);
        }
    }

    fn update_below(&mut self, marked: &[u32]) {
        for &top in marked {
            self.at(top).load.marked = true;
        }
        for &top in marked {
            let mut above = self.nodes[top as usize].parent;
            while above != NONE && !self.nodes[above as usize].load.marked {
                above = self.nodes[above as usize].parent;
            }
            if above == NONE {
                self.place_below(top);
            }
        }
        for &top in marked {
            self.at(top).load.marked = false;
        }
    }

    fn world(&self, key: u32) -> Affine {
        self.nodes[key as usize].load.world
    }
}
