//! Where the columns of a block are.
//!
//! ```text
//! block of `len` slots:  | head head head … | pos pos pos … | vel vel vel … | hp hp hp … |
//!                        0                  len·prefix + shift
//! ```
//!
//! Every column is an array of `len` elements. The *head* holds the stamp and the hot fields of
//! each slot; every other field has a column of its own. `len` is a multiple of 64, so an array
//! of `len` elements is a multiple of 64 bytes, and the start of a column is
//! `len × prefix + shift`, two constants.
//!
//! Columns stand in order of falling alignment, so that each start is aligned. The shift moves each
//! one a few cache lines further than the one before: blocks are large powers of two, and without
//! it row *i* of every column would compete for the same set of the L1 cache.

use lath_core::{FieldInfo, Home};

/// How far a column is shifted against the one before it: three cache lines, an odd number, so that
/// up to 64 columns begin in 64 different sets.
const COLOUR: usize = 3 * 64;

/// Where the values of a field are, in a block of `len` slots: row `r` at
/// `len·prefix + shift + r·stride + within`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) prefix: usize,
    pub(crate) shift: usize,
    pub(crate) stride: usize,
    pub(crate) within: usize,
}

/// The head: where its fields are, and how large it is.
#[derive(Clone, Copy)]
struct Head {
    size: usize,
    align: usize,
}

/// The memory of a block: `len·prefix + shift` bytes for the columns, aligned; then, for each of
/// the cold fields, a pointer per group of 64 slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) prefix: usize,
    pub(crate) shift: usize,
    pub(crate) align: usize,
    pub(crate) colds: usize,
}

impl Extent {
    /// The bytes of a block, or `None` if they are more than can be counted.
    pub(crate) fn size(self, len: usize) -> Option<usize> {
        self.cold_table(len, 0, self.colds)
    }

    /// Where the pointer of cold field number `rank` is for group `group` of a block; `None` if it
    /// cannot be counted. The pointers of a block of `len` slots take `len / 8` bytes per field,
    /// which keeps them aligned: `len` is a multiple of 64, and so is all that comes before.
    #[inline(always)]
    pub(crate) fn cold_table(self, len: usize, group: usize, rank: usize) -> Option<usize> {
        let columns = len.checked_mul(self.prefix)?.checked_add(self.shift)?;
        columns.checked_add(rank.checked_mul(len / 64 * 8)?)?.checked_add(group * 8)
    }
}

const STAMP: usize = size_of::<u32>();

/// The column of the head: of the stamp, which is at its start.
pub(crate) const fn head_column(fields: &[FieldInfo]) -> Column {
    let head = head(fields);
    place_column(fields, HEAD, head.size, 0)
}

/// The column of a field.
pub(crate) const fn field_column(fields: &[FieldInfo], index: usize) -> Column {
    match fields[index].home {
        Home::Hot => place_column(fields, HEAD, head(fields).size, within_head(fields, index)),
        Home::Column => place_column(fields, index, fields[index].size, 0),
        Home::Cold => panic!(
            "a cold field has no column: look at it through `Option<&T>`, `Option<Ref<…>>` or `get`, and change it with \
             `Pool::set`"
        ),
    }
}

/// All columns together.
pub(crate) const fn extent(fields: &[FieldInfo]) -> Extent {
    let (prefix, shift) = before(fields, NONE);
    let align = largest_align(fields);
    Extent {
        prefix,
        shift,
        align: if align > 64 { align } else { 64 },
        colds: cold_rank(fields, fields.len()),
    }
}

/// Stands for the head where a field's number is expected. One more is 0.
const HEAD: usize = usize::MAX;

/// Stands for no column.
const NONE: usize = HEAD - 1;

const fn place_column(fields: &[FieldInfo], which: usize, stride: usize, within: usize) -> Column {
    let (prefix, shift) = before(fields, which);
    Column { prefix, shift, stride, within }
}

/// The sizes of the columns that stand before one, and its shift; for none, the sizes of all, and
/// the shift of the last.
///
/// Columns stand by falling alignment, the head before others of its alignment. This is computed
/// wherever a field is used, so it is kept short.
const fn before(fields: &[FieldInfo], which: usize) -> (usize, usize) {
    let head = head(fields);
    let (mut prefix, mut shift, mut is_first) = (0, 0, true);
    let mut align = largest_align(fields);
    while align > 0 {
        let mut at = HEAD;
        while at != fields.len() {
            let (is_next, size) = match at {
                HEAD => (head.align == align, head.size),
                _ => (has_column(&fields[at]) && fields[at].align == align, fields[at].size),
            };
            if is_next {
                if !is_first {
                    shift = next_shift(shift, align);
                }
                if at == which {
                    return (prefix, shift);
                }
                prefix += size;
                is_first = false;
            }
            at = at.wrapping_add(1);
        }
        align /= 2;
    }
    (prefix, shift)
}

const fn largest_align(fields: &[FieldInfo]) -> usize {
    let (mut align, mut i) = (head(fields).align, 0);
    while i < fields.len() {
        if has_column(&fields[i]) && fields[i].align > align {
            align = fields[i].align;
        }
        i += 1;
    }
    align
}

const fn next_shift(shift: usize, align: usize) -> usize {
    let align = if align > 64 { align } else { 64 };
    (shift + COLOUR).next_multiple_of(align)
}

const fn has_column(field: &FieldInfo) -> bool {
    matches!(field.home, Home::Column)
}

/// How many cold fields stand before field `index`.
pub(crate) const fn cold_rank(fields: &[FieldInfo], index: usize) -> usize {
    let (mut rank, mut i) = (0, 0);
    while i < index {
        rank += matches!(fields[i].home, Home::Cold) as usize;
        i += 1;
    }
    rank
}

/// The stamp, then the hot fields in the order of declaration.
const fn head(fields: &[FieldInfo]) -> Head {
    let (mut size, mut align) = (STAMP, align_of::<u32>());
    let mut i = 0;
    while i < fields.len() {
        if matches!(fields[i].home, Home::Hot) {
            size = size.next_multiple_of(fields[i].align) + fields[i].size;
            if fields[i].align > align {
                align = fields[i].align;
            }
        }
        i += 1;
    }
    Head { size: size.next_multiple_of(align), align }
}

/// Where a hot field is within the head.
const fn within_head(fields: &[FieldInfo], index: usize) -> usize {
    let (mut size, mut i) = (STAMP, 0);
    loop {
        if matches!(fields[i].home, Home::Hot) {
            size = size.next_multiple_of(fields[i].align);
            if i == index {
                return size;
            }
            size += fields[i].size;
        }
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    fn fields(of: &[(usize, usize, Home)]) -> Vec<FieldInfo> {
        of.iter()
            .map(|&(size, align, home)| FieldInfo { name: "", offset: 0, size, align, home })
            .collect()
    }

    fn some_fields(random: &mut fastrand::Rng) -> Vec<FieldInfo> {
        let of: Vec<_> = (0..random.usize(..12))
            .map(|_| {
                let align = 1 << random.u32(..9);
                let home = random.choice([Home::Column, Home::Hot, Home::Cold]).unwrap();
                (align * random.usize(..4), align, home)
            })
            .collect();
        fields(&of)
    }

    /// No two values overlap, all are aligned and inside the block.
    fn assert_sound(fields: &[FieldInfo], len: usize) {
        let extent = extent(fields);
        let mut spans = Vec::new();
        let head = head_column(fields);
        for row in 0..len {
            let mut add = |column: Column, size: usize, align: usize| {
                let start =
                    len * column.prefix + column.shift + row * column.stride + column.within;
                assert_eq!(start % align, 0, "{column:?} of {fields:?}");
                assert!(align <= extent.align);
                if size > 0 {
                    spans.push((start, start + size));
                }
            };
            add(head, STAMP, align_of::<u32>());
            for (i, field) in
                fields.iter().enumerate().filter(|(_, field)| field.home != Home::Cold)
            {
                add(field_column(fields, i), field.size, field.align);
            }
        }
        for (rank, group) in
            (0..extent.colds).flat_map(|rank| (0..len / 64).map(move |group| (rank, group)))
        {
            let start = extent.cold_table(len, group, rank).unwrap();
            assert_eq!(start % 8, 0);
            spans.push((start, start + 8));
        }
        spans.sort_unstable();
        assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "overlap: {fields:?}");
        assert!(spans.last().unwrap().1 <= extent.size(len).unwrap(), "{fields:?}");
        // And there is room for nothing else.
        let columns = fields
            .iter()
            .filter(|field| field.home == Home::Column)
            .map(|field| field.size)
            .sum::<usize>();
        assert_eq!(extent.prefix, head.stride + columns, "{fields:?}");
        assert_eq!(
            extent.size(len),
            Some(len * extent.prefix + extent.shift + extent.colds * (len / 64 * 8))
        );
    }

    #[test]
    fn values_are_aligned_and_do_not_overlap_whatever_the_fields() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..300 {
            let fields = some_fields(&mut random);
            for len in [64, 128, 1024] {
                assert_sound(&fields, len);
            }
        }
    }

    #[test]
    fn row_zero_of_every_column_is_in_another_cache_set() {
        let fields = fields(&[(4, 4, Home::Column); 40]);
        let mut sets: Vec<_> = (0..40)
            .map(|i| {
                let column = field_column(&fields, i);
                (4096 * column.prefix + column.shift) / 64 % 64
            })
            .collect();
        sets.sort_unstable();
        sets.dedup();
        assert_eq!(sets.len(), 40);
    }
}
