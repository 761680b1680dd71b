//! The same thing declared both ways, in four sizes, with the loops and lookups that the comparison
//! makes.
//!
//! Larger things have more fields and larger ones: 4 × 4 bytes, 8 × 8, 16 × 16 and 32 × 32.

use lath_core::{Handle, Mut, Pool, Ref, Thing, View};

use crate::things::both_ways;

/// A thing in one of the layouts. Everything is done through views: the code is the same for both.
pub(super) trait Form: Thing + Default + 'static {
    /// Makes thing number `n`.
    fn number(n: u32) -> Self;

    /// Changes one field of all things.
    fn change_one(pool: &mut Pool<Self>);
    /// Changes one field of all things by what two others say.
    fn change_three(pool: &mut Pool<Self>);
    /// Changes all fields of all things.
    fn change_all(pool: &mut Pool<Self>);

    /// Reads one field of each of these.
    fn look_one(pool: &Pool<Self>, handles: &[Handle<Self>]) -> u32;
    /// Reads four fields of each of these.
    fn look_four(pool: &Pool<Self>, handles: &[Handle<Self>]) -> u32;
    /// Reads all fields of each of these.
    fn look_all(pool: &Pool<Self>, handles: &[Handle<Self>]) -> u32;
}

/// A size, in both layouts.
pub(super) trait Both: 'static {
    const SIZE: usize;
    type Rows: Form;
    type Columns: Form;
}

#[inline(always)]
fn bump<const LANES: usize>(field: &mut [f32; LANES]) {
    *field = field.map(|lane| lane + 1.0);
}

#[inline(always)]
fn add_product<const LANES: usize>(
    field: &mut [f32; LANES],
    one: &[f32; LANES],
    other: &[f32; LANES],
) {
    for ((lane, one), other) in field.iter_mut().zip(one).zip(other) {
        *lane += one * other;
    }
}

/// Something of a field: its first bits.
#[inline(always)]
fn bits<const LANES: usize>(field: &[f32; LANES]) -> u32 {
    field[0].to_bits()
}

/// What was read of all these, added up.
#[inline(always)]
fn sum<F: Form>(handles: &[Handle<F>], read: impl Fn(Handle<F>) -> u32) -> u32 {
    handles.iter().fold(0, |sum, &handle| sum.wrapping_add(read(handle)))
}

macro_rules! forms {
    ($(
        $lanes:literal lanes: $both:ident = $rows:ident ($row:ident) | $columns:ident ($column:ident)
        { $($field:ident)+ }
    )+) => {$(
        both_ways! {
            /// One of the four sizes.
            $rows, $columns {
                $($field: [f32; $lanes],)+
            }
        }
        form!($rows, $row, $lanes, $($field)+);
        form!($columns, $column, $lanes, $($field)+);

        /// One of the four sizes, in both layouts.
        pub(super) struct $both;

        impl Both for $both {
            const SIZE: usize = size_of::<$rows>();
            type Rows = $rows;
            type Columns = $columns;
        }
    )+};
}

macro_rules! form {
    ($thing:ident, $module:ident, $lanes:literal, $($field:ident)+) => {
        impl Form for $thing {
            #[inline(always)]
            fn number(n: u32) -> Self {
                let lanes = [(n % 4096) as f32; $lanes];
                Self { $($field: lanes,)+ }
            }

            fn change_one(pool: &mut Pool<Self>) {
                pool.view_mut::<Mut<$module::a>>().each(|mut a| bump(&mut a));
            }

            fn change_three(pool: &mut Pool<Self>) {
                pool.view_mut::<(Mut<$module::a>, Ref<$module::b>, Ref<$module::c>)>().each(|(mut a, b, c)| {
                    add_product(&mut a, &b, &c);
                });
            }

            fn change_all(pool: &mut Pool<Self>) {
                #[derive(View)]
                #[view($thing)]
                struct All<'a> {
                    $($field: &'a mut [f32; $lanes],)+
                }
                pool.view_mut::<All>().each(|all| {
                    $(bump(all.$field);)+
                });
            }

            #[inline(always)]
            fn look_one(pool: &Pool<Self>, handles: &[Handle<Self>]) -> u32 {
                let all = pool.view::<Ref<$module::a>>();
                sum(handles, |handle| all.get(handle).map_or(0, |a| bits(&a)))
            }

            #[inline(always)]
            fn look_four(pool: &Pool<Self>, handles: &[Handle<Self>]) -> u32 {
                type Four<'a> = (Ref<'a, $module::a>, Ref<'a, $module::b>, Ref<'a, $module::c>, Ref<'a, $module::d>);
                let all = pool.view::<Four>();
                let four = |(a, b, c, d): Four| {
                    bits(&a).wrapping_add(bits(&b)).wrapping_add(bits(&c)).wrapping_add(bits(&d))
                };
                sum(handles, |handle| all.get(handle).map_or(0, four))
            }

            #[inline(always)]
            fn look_all(pool: &Pool<Self>, handles: &[Handle<Self>]) -> u32 {
                #[derive(View)]
                #[view($thing)]
                struct All<'a> {
                    $($field: &'a [f32; $lanes],)+
                }
                let all = pool.view::<All>();
                let fields = |one: All| 0u32$(.wrapping_add(bits(one.$field)))+;
                sum(handles, |handle| all.get(handle).map_or(0, fields))
            }
        }
    };
}

forms! {
    1 lanes: Of16 = Rows16 (rows16) | Columns16 (columns16) { a b c d }
    2 lanes: Of64 = Rows64 (rows64) | Columns64 (columns64) { a b c d e f g h }
    4 lanes: Of256 = Rows256 (rows256) | Columns256 (columns256) { a b c d e f g h i j k l m n o p }
    8 lanes: Of1024 = Rows1024 (rows1024) | Columns1024 (columns1024) {
        a b c d e f g h i j k l m n o p a2 b2 c2 d2 e2 f2 g2 h2 i2 j2 k2 l2 m2 n2 o2 p2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_have_the_sizes_that_the_charts_claim() {
        assert_eq!([Of16::SIZE, Of64::SIZE, Of256::SIZE, Of1024::SIZE], [16, 64, 256, 1024]);
    }
}
