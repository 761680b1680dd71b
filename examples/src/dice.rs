//! Random numbers that depend on the seed and on nothing else: xorshift64*.

/// A stream of random numbers.
pub(crate) struct Dice(u64);

impl Dice {
    /// Any seed will do, zero included: the first step spreads its bits.
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Self((state ^ state >> 27).max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (((self.next() >> 32) * end as u64) >> 32) as usize
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
}
