#![expect(unsafe_code, reason = "makes lists of zeros that the system has not touched yet")]
//! Lists that grow by zeros: words of bits, most of them never looked at where slots are far apart.

use alloc::alloc::{Layout, alloc_zeroed};
use alloc::vec::Vec;
use core::sync::atomic::AtomicU64;

use crate::error::OutOfMemory;

/// A value of which zero bytes are one.
///
/// # Safety
///
/// Zero bytes are a valid `Self`, and a `Self` has bytes.
pub(crate) unsafe trait Zeroed: Sized {}

// SAFETY: any bytes are an integer.
unsafe impl Zeroed for u64 {}
// SAFETY: as the integers.
unsafe impl Zeroed for [u64; 3] {}
// SAFETY: an atomic has the layout of the integer inside.
unsafe impl Zeroed for AtomicU64 {}

/// Makes a list at least so long, and twice as long as it was, with zeros. They are asked of the
/// system, which gives memory out as it is touched.
pub(crate) fn extend<E: Zeroed>(list: &mut Vec<E>, len: usize) -> Result<(), OutOfMemory> {
    if len <= list.len() {
        return Ok(());
    }
    let len = len.max(2 * list.len());
    let refused = OutOfMemory { bytes: len.saturating_mul(size_of::<E>()) };
    let layout = Layout::array::<E>(len).map_err(|_| refused)?;
    // SAFETY: the layout is not of zero bytes: the list becomes longer, and elements have bytes.
    let fresh = unsafe { alloc_zeroed(layout) }.cast::<E>();
    if fresh.is_null() {
        return Err(refused);
    }
    // SAFETY: made above with the layout of a list of this length, all of it zero bytes, which are
    // elements.
    let mut longer = unsafe { Vec::from_raw_parts(fresh, len, len) };
    longer.iter_mut().zip(list.drain(..)).for_each(|(to, from)| *to = from);
    *list = longer;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_what_it_has_and_goes_on_with_zeros() {
        let mut list = Vec::new();
        extend(&mut list, 3).unwrap();
        list[2] = 7;
        extend(&mut list, 4).unwrap();
        assert_eq!(list, [0, 0, 7, 0, 0, 0]);
        extend(&mut list, 2).unwrap();
        assert_eq!(list.len(), 6);
    }

    #[test]
    fn what_cannot_be_is_refused_and_changes_nothing() {
        let mut list = alloc::vec![1];
        assert!(extend(&mut list, usize::MAX).is_err());
        assert!(extend(&mut list, usize::MAX / 8).is_err());
        assert_eq!(list, [1]);
    }
}
