//! A tree as text.

use alloc::string::String;
use core::fmt::{Display, Write};

use super::Tree;
use crate::handle::Handle;
use crate::thing::Thing;

impl<T: Thing> Tree<'_, T> {
    /// Draws a thing and all that is below it, a line for each, with what `label` says of it.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part { name: &'static str }
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag, oar] = ["hull", "mast", "flag", "oar"].map(|name| ship.spawn(Part { name }));
    /// for (child, parent) in [(mast, hull), (oar, hull), (flag, mast)] { ship.tree_mut().attach(child, parent)?; }
    ///
    /// let picture = ship.tree().draw(hull, |part| ship[part].name);
    /// assert_eq!(picture, "\
    /// hull
    /// ├─ mast
    /// │  └─ flag
    /// └─ oar
    /// ");
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn draw<D: Display>(
        &self,
        root: Handle<T>,
        mut label: impl FnMut(Handle<T>) -> D,
    ) -> String {
        let mut picture = String::new();
        line(&mut picture, "", "", label(root));
        let mut indent = String::new();
        let mut parent = root.index();
        for handle in self.descendants(root) {
            let row = self.rows[handle.index() as usize];
            if row.parent != parent && self.rows[row.parent as usize].parent == parent {
                // One level down: below a thing that has more siblings to come, or not.
                let more = self.rows[row.parent as usize].next != 0 && row.parent != root.index();
                indent.push_str(if more { "│  " } else { "   " });
            } else {
                while row.parent != parent {
                    let cut = indent.char_indices().rev().nth(2).map_or(0, |(at, _)| at);
                    indent.truncate(cut);
                    parent = self.rows[parent as usize].parent;
                }
            }
            parent = row.parent;
            let branch = if row.next == 0 { "└─ " } else { "├─ " };
            line(&mut picture, &indent, branch, label(handle));
        }
        picture
    }
}

fn line(picture: &mut String, indent: &str, branch: &str, label: impl Display) {
    let written = writeln!(picture, "{indent}{branch}{label}");
    debug_assert!(written.is_ok(), "writing to a string fails only if the label's `Display` does");
}
