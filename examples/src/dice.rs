//! Random numbers that depend on the seed and on nothing else: xorshift64*.

/// A stream of random numbers.
pub(crate) struct Dice(u64);

impl Dice {
    /// Any seed will do, zero included: the first step spreads its bits.
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((state ^ state >> 31).max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// One of these, if there are any.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len().max(1) as u32) as usize).copied()
    }

    /// A number from 0 up to, but not including, 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_comes_up_and_the_seed_decides_the_order() {
        let rolls = |seed| {
            let mut dice = Dice::new(seed);
            (0..200).map(|_| dice.below(6)).collect::<Vec<_>>()
        };
        assert!((0..6).all(|face| rolls(0).contains(&face)));
        assert_eq!(rolls(7), rolls(7));
        assert_ne!(rolls(7), rolls(8));
    }

    #[test]
    fn nothing_is_picked_from_nothing() {
        assert_eq!(Dice::new(1).pick::<u32>(&[]), None);
        assert_eq!(Dice::new(1).pick(&[7]), Some(7));
    }
}
