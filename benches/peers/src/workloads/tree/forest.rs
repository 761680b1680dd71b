//! What a candidate does in the tree workloads, and the things that are in the trees.

/// Rotation and translation: three rows of four.
pub(super) type Affine = [f32; 12];

/// One transform after another.
#[inline(always)]
pub(super) fn compose(outer: &Affine, inner: &Affine) -> Affine {
    core::array::from_fn(|i| {
        let (row, column) = (i / 4 * 4, i % 4);
        let sum = outer[row] * inner[column] + outer[row + 1] * inner[4 + column] + outer[row + 2] * inner[8 + column];
        if column == 3 { sum + outer[row + 3] } else { sum }
    })
}

/// A turn and a step, another one for every number.
pub(super) fn local(number: u32) -> Affine {
    let (sin, cos) = (number as f32 * 0.001).sin_cos();
    [cos, -sin, 0.0, 1.0, sin, cos, 0.0, 0.5, 0.0, 0.0, 1.0, 0.25]
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
    /// Computes the place of everything in the world.
    fn update_all(&mut self, roots: &[Self::Key]);
    /// Computes the place of some things and of all below them, each once.
    fn update_below(&mut self, marked: &[Self::Key]);
    /// The place of a thing.
    fn world(&self, key: Self::Key) -> Affine;
}
