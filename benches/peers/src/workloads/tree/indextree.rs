//! indextree: an `Arena`, by the calls that its documentation shows. A cycle is refused by
//! `checked_append`.

use indextree::{Arena, NodeId};

use super::forest::{Forest, Linked, Load, Placed};

pub(super) struct Index<L>(Arena<L>);

impl<L: Load> Forest for Index<L> {
    type Key = NodeId;

    fn new() -> Self {
        Self(Arena::new())
    }

    #[inline(always)]
    fn spawn(&mut self, number: u32) -> NodeId {
        self.0.new_node(L::numbered(number))
    }

    #[inline(always)]
    fn spawn_child(&mut self, parent: NodeId, number: u32) -> NodeId {
        parent.append_value(L::numbered(number), &mut self.0)
    }

    fn attach(&mut self, child: NodeId, parent: NodeId) {
        // A cycle is an error, and nothing happens.
        let _ = parent.checked_append(child, &mut self.0);
    }

    fn despawn(&mut self, top: NodeId) {
        top.remove_subtree(&mut self.0);
    }

    fn walk(&self, root: NodeId, mut f: impl FnMut(u32)) {
        // The root itself comes first.
        root.descendants(&self.0).skip(1).for_each(|at| f(self.0[at].get().number()));
    }
}

impl Linked for Index<Placed> {
    fn parent(&self, key: NodeId) -> Option<NodeId> {
        self.0[key].parent()
    }

    fn first_child(&self, key: NodeId) -> Option<NodeId> {
        self.0[key].first_child()
    }

    fn next_sibling(&self, key: NodeId) -> Option<NodeId> {
        self.0[key].next_sibling()
    }

    fn load(&self, key: NodeId) -> &Placed {
        self.0[key].get()
    }

    fn load_mut(&mut self, key: NodeId) -> &mut Placed {
        self.0[key].get_mut()
    }
}
