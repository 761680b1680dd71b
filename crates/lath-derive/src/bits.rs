//! How the bits of a handle are divided: from the low ones up, index, generation, kind.

/// The largest number of bits for the index, and for generation and kind together: each is kept as
/// one `u32`.
const PART: u32 = 32;

/// What `#[thing(handle(…))]` comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HandleBits {
    pub(crate) bits: u32,
    pub(crate) index: u32,
    pub(crate) kind: u32,
}

/// The key of `handle(…)` whose value is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Bits,
    Index,
    Kind,
}

impl HandleBits {
    pub(crate) const DEFAULT: Self = Self { bits: 64, index: 32, kind: 0 };

    /// Fills in what was not said, and refuses what leaves no bit for the generation.
    pub(crate) fn new(
        bits: Option<u32>,
        index: Option<u32>,
        kind: Option<u32>,
    ) -> Result<Self, (Part, String)> {
        let bits = bits.unwrap_or(Self::DEFAULT.bits);
        let usual_index = match bits {
            64 => 32,
            32 => 20,
            16 => 10,
            _ => return Err((Part::Bits, "a handle has 16, 32 or 64 bits".to_string())),
        };
        let (index, kind) = (index.unwrap_or(usual_index), kind.unwrap_or(0));
        let most = PART.min(bits - 1);
        if index == 0 || index > most {
            return Err((
                Part::Index,
                format!("the index of a handle of {bits} bits has 1 to {most} of them"),
            ));
        }
        let rest = PART.min(bits - index);
        if kind >= rest {
            let message = match rest - 1 {
                0 => {
                    "the index leaves no bit for the kind: it takes all but one, which the generation needs".to_string()
                }
                most => format!(
                    "the kind has at most {most} bits here: it shares {rest} with the generation, which needs one"
                ),
            };
            return Err((Part::Kind, message));
        }
        Ok(Self { bits, index, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(bits: u32, index: Option<u32>, kind: Option<u32>) -> Part {
        HandleBits::new(Some(bits), index, kind).expect_err("these bits do not fit").0
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let index_of = |bits| HandleBits::new(bits, None, None).unwrap().index;
        assert_eq!(HandleBits::new(None, None, None), Ok(HandleBits::DEFAULT));
        assert_eq!([Some(64), Some(32), Some(16)].map(index_of), [32, 20, 10]);
    }

    #[test]
    fn only_three_sizes_exist() {
        for bits in [0, 1, 8, 24, 63, 65, 128, u32::MAX] {
            assert_eq!(wrong(bits, None, None), Part::Bits);
        }
    }

    #[test]
    fn every_accepted_division_leaves_a_bit_for_the_generation() {
        for bits in [16, 32, 64] {
            for (index, kind) in (0..=66).flat_map(|index| (0..=66).map(move |kind| (index, kind)))
            {
                let fits = (1..=32).contains(&index) && kind < 32 && index + kind < bits;
                assert_eq!(
                    HandleBits::new(Some(bits), Some(index), Some(kind)).is_ok(),
                    fits,
                    "{bits} {index} {kind}"
                );
            }
        }
    }

    #[test]
    fn the_part_that_is_too_large_is_blamed() {
        assert_eq!(wrong(16, Some(16), None), Part::Index);
        assert_eq!(wrong(64, Some(33), None), Part::Index);
        assert_eq!(wrong(32, Some(0), None), Part::Index);
        assert_eq!(wrong(16, None, Some(6)), Part::Kind);
        assert_eq!(wrong(64, Some(20), Some(32)), Part::Kind);
        assert_eq!(wrong(32, Some(31), Some(1)), Part::Kind);
    }
}
