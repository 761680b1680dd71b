//! What a candidate does in the tree workloads, and the things that are in the trees.

/// Rotation and translation: three rows of four.
pub(super) type Affine = [f32; 12];

/// One transform after another.
#[inline(always)]
pub(super) fn compose(outer: &Affine, inner: &Affine) -> Affine {
    core::array::from_fn(|i| {
        let (row, column) = (i / 4 * 4, i % 4);
        let sum = outer[row] * inner[column]
            + outer[row + 1] * inner[4 + column]
            + outer[row + 2] * inner[8 + column];
        if column == 3 { sum + outer[row + 3] } else { sum }
    })
}

/// How far a thing is turned.
pub(super) fn angle(number: u32) -> f32 {
    number as f32 * 0.001
}

/// A turn and a step, another one for every number.
pub(super) fn local(number: u32) -> Affine {
    let (sin, cos) = angle(number).sin_cos();
    [cos, -sin, 0.0, 1.0, sin, cos, 0.0, 0.5, 0.0, 0.0, 1.0, 0.25]
}

/// What is in a node of the hand-written trees beside its links.
pub(super) trait Load: Copy + Send + Sync + 'static {
    fn numbered(number: u32) -> Self;
    fn number(&self) -> u32;
}

#[derive(Clone, Copy)]
pub(super) struct Small(u32);

impl Load for Small {
    fn numbered(number: u32) -> Self {
        Self(number)
    }

    fn number(&self) -> u32 {
        self.0
    }
}

#[derive(Clone, Copy)]
pub(super) struct Placed {
    number: u32,
    pub(super) marked: bool,
    pub(super) local: Affine,
    pub(super) world: Affine,
}

impl Load for Placed {
    fn numbered(number: u32) -> Self {
        Self { number, marked: false, local: local(number), world: [0.0; 12] }
    }

    fn number(&self) -> u32 {
        self.number
    }
}

/// A container of numbered things with links.
pub(super) trait Forest {
    type Key: Copy;

    fn new() -> Self;
    fn spawn(&mut self, number: u32) -> Self::Key;
    fn spawn_child(&mut self, parent: Self::Key, number: u32) -> Self::Key;
    /// Moves a thing below another, unless that is below it.
    fn attach(&mut self, child: Self::Key, parent: Self::Key);
    /// Removes a thing and all below it.
    fn despawn(&mut self, top: Self::Key);
    /// Calls `f` with the number of every thing below the root, parents first.
    fn walk(&self, root: Self::Key, f: impl FnMut(u32));
}

/// A forest of transforms.
pub(super) trait Transforms: Forest {
    /// Whether it computes what `compose` does, to the last bit.
    const EXACT: bool = true;

    /// Changes the transforms of some things, which is not measured: whoever notices changes by
    /// itself has something to notice then.
    fn touch(&mut self, _: &[Self::Key]) {}
    /// Computes the place of everything in the world.
    fn update_all(&mut self, roots: &[Self::Key]);
    /// Computes the place of some things and of all below them, each once.
    fn update_below(&mut self, marked: &[Self::Key]);
    /// The place of a thing.
    fn world(&self, key: Self::Key) -> Affine;
}

/// Links that are followed by key: transforms on them are computed as raw computes its own.
pub(super) trait Linked: Forest<Key: PartialEq> {
    fn parent(&self, key: Self::Key) -> Option<Self::Key>;
    fn first_child(&self, key: Self::Key) -> Option<Self::Key>;
    fn next_sibling(&self, key: Self::Key) -> Option<Self::Key>;
    fn load(&self, key: Self::Key) -> &Placed;
    fn load_mut(&mut self, key: Self::Key) -> &mut Placed;
}

/// The thing after `at` below `root`, parents first.
#[inline(always)]
fn after<L: Linked>(forest: &L, root: L::Key, mut at: L::Key) -> Option<L::Key> {
    if let Some(first) = forest.first_child(at) {
        return Some(first);
    }
    while at != root {
        if let Some(next) = forest.next_sibling(at) {
            return Some(next);
        }
        at = forest.parent(at)?;
    }
    None
}

fn place_below<L: Linked>(forest: &mut L, top: L::Key) {
    let mut at = Some(top);
    while let Some(now) = at {
        let local = forest.load(now).local;
        let world =
            forest.parent(now).map_or(local, |parent| compose(&forest.load(parent).world, &local));
        forest.load_mut(now).world = world;
        at = after(forest, top, now);
    }
}

impl<L: Linked> Transforms for L {
    fn update_all(&mut self, roots: &[L::Key]) {
        roots.iter().for_each(|&root| place_below(self, root));
    }

    fn update_below(&mut self, marked: &[L::Key]) {
        marked.iter().for_each(|&top| self.load_mut(top).marked = true);
        for &top in marked {
            let mut above = self.parent(top);
            while let Some(at) = above.filter(|&at| !self.load(at).marked) {
                above = self.parent(at);
            }
            if above.is_none() {
                place_below(self, top);
            }
        }
        marked.iter().for_each(|&top| self.load_mut(top).marked = false);
    }

    fn world(&self, key: L::Key) -> Affine {
        self.load(key).world
    }
}
