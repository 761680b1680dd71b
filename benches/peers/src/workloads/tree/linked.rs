//! slotmap and thunderdome with links written by hand: keys inside the values.

use slotmap::{DefaultKey, SlotMap};
use thunderdome::{Arena, Index};

use super::forest::{Forest, Linked, Load, Placed};

/// What the two containers have in common. `Option` of either key is as large as the key.
pub(super) trait Nodes {
    type Key: Copy + PartialEq;
    type Of<N>: Default;

    fn insert<N>(nodes: &mut Self::Of<N>, node: N) -> Self::Key;
    fn remove<N>(nodes: &mut Self::Of<N>, key: Self::Key) -> Option<N>;
    fn at<N>(nodes: &Self::Of<N>, key: Self::Key) -> &N;
    fn at_mut<N>(nodes: &mut Self::Of<N>, key: Self::Key) -> &mut N;
}

macro_rules! nodes {
    ($(#[$about:meta])* $name:ident, $key:ty, $of:ident) => {
        $(#[$about])*
        pub(super) struct $name;

        impl Nodes for $name {
            type Key = $key;
            type Of<N> = $of<N>;

            #[inline(always)]
            fn insert<N>(nodes: &mut $of<N>, node: N) -> $key {
                nodes.insert(node)
            }

            #[inline(always)]
            fn remove<N>(nodes: &mut $of<N>, key: $key) -> Option<N> {
                nodes.remove(key)
            }

            #[inline(always)]
            fn at<N>(nodes: &$of<N>, key: $key) -> &N {
                &nodes[key]
            }

            #[inline(always)]
            fn at_mut<N>(nodes: &mut $of<N>, key: $key) -> &mut N {
                &mut nodes[key]
            }
        }
    };
}

type Slots<N> = SlotMap<DefaultKey, N>;

nodes!(
    /// `slotmap::SlotMap`.
    InSlotMap, DefaultKey, Slots
);
nodes!(
    /// `thunderdome::Arena`.
    InArena, Index, Arena
);

pub(super) struct Node<K, L> {
    parent: Option<K>,
    first: Option<K>,
    last: Option<K>,
    next: Option<K>,
    prev: Option<K>,
    load: L,
}

/// Nodes in `C`, and a stack for taking out.
pub(super) struct Links<C: Nodes, L> {
    nodes: C::Of<Node<C::Key, L>>,
    stack: Vec<C::Key>,
}

impl<C: Nodes, L> Links<C, L> {
    #[inline(always)]
    fn at(&self, key: C::Key) -> &Node<C::Key, L> {
        C::at(&self.nodes, key)
    }

    #[inline(always)]
    fn at_mut(&mut self, key: C::Key) -> &mut Node<C::Key, L> {
        C::at_mut(&mut self.nodes, key)
    }

    fn link(&mut self, child: C::Key, parent: C::Key) {
        let last = self.at_mut(parent).last.replace(child);
        match last {
            None => self.at_mut(parent).first = Some(child),
            Some(last) => self.at_mut(last).next = Some(child),
        }
        let node = self.at_mut(child);
        (node.parent, node.prev, node.next) = (Some(parent), last, None);
    }

    fn unlink(&mut self, child: C::Key) {
        let &Node { parent, next, prev, .. } = self.at(child);
        let Some(parent) = parent else { return };
        match prev {
            None => self.at_mut(parent).first = next,
            Some(prev) => self.at_mut(prev).next = next,
        }
        match next {
            None => self.at_mut(parent).last = prev,
            Some(next) => self.at_mut(next).prev = prev,
        }
        self.at_mut(child).parent = None;
    }
}

impl<C: Nodes, L: Load> Forest for Links<C, L> {
    type Key = C::Key;

    fn new() -> Self {
        Self { nodes: C::Of::default(), stack: Vec::new() }
    }

    #[inline(always)]
    fn spawn(&mut self, number: u32) -> C::Key {
        let load = L::numbered(number);
        C::insert(
            &mut self.nodes,
            Node { parent: None, first: None, last: None, next: None, prev: None, load },
        )
    }

    #[inline(always)]
    fn spawn_child(&mut self, parent: C::Key, number: u32) -> C::Key {
        let child = self.spawn(number);
        self.link(child, parent);
        child
    }

    fn attach(&mut self, child: C::Key, parent: C::Key) {
        let mut above = Some(parent);
        while let Some(at) = above {
            if at == child {
                return;
            }
            above = self.at(at).parent;
        }
        self.unlink(child);
        self.link(child, parent);
    }

    fn despawn(&mut self, top: C::Key) {
        self.unlink(top);
        self.stack.push(top);
        while let Some(at) = self.stack.pop() {
            let Some(node) = C::remove(&mut self.nodes, at) else { continue };
            let mut child = node.first;
            while let Some(at) = child {
                self.stack.push(at);
                child = self.at(at).next;
            }
        }
    }

    fn walk(&self, root: C::Key, mut f: impl FnMut(u32)) {
        let mut at = root;
        loop {
            if let Some(first) = self.at(at).first {
                at = first;
            } else {
                loop {
                    if at == root {
                        return;
                    }
                    let node = self.at(at);
                    if let Some(next) = node.next {
                        at = next;
                        break;
                    }
                    let Some(parent) = node.parent else { return };
                    at = parent;
                }
            }
            f(self.at(at).load.number());
        }
    }
}

impl<C: Nodes> Linked for Links<C, Placed> {
    fn parent(&self, key: C::Key) -> Option<C::Key> {
        self.at(key).parent
    }

    fn first_child(&self, key: C::Key) -> Option<C::Key> {
        self.at(key).first
    }

    fn next_sibling(&self, key: C::Key) -> Option<C::Key> {
        self.at(key).next
    }

    fn load(&self, key: C::Key) -> &Placed {
        &self.at(key).load
    }

    fn load_mut(&mut self, key: C::Key) -> &mut Placed {
        &mut self.at_mut(key).load
    }
}
