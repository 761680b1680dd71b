//! What a thing carries, whatever its struct and its layout.

use std::fmt;

/// A handle without its type: its bits, in the order of slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Id {
    /// The slot.
    pub slot: u32,
    /// All bits of the handle; 0 is nil.
    pub bits: u64,
}

impl Id {
    /// The handle that names nothing.
    pub const NIL: Self = Self { slot: 0, bits: 0 };
}

impl fmt::Debug for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{:x}", self.slot, self.bits)
    }
}

/// Everything that a thing of any pool can carry. A pool keeps what its struct has fields for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// A plain number.
    pub n: u32,
    /// Text on the heap.
    pub text: String,
    /// The bits of a handle of the same pool.
    pub link: u64,
    /// Tags, three bits.
    pub tags: u8,
    /// A plain number in a hot field.
    pub heat: u32,
    /// Text in a cold field; most things leave it empty.
    pub rare: String,
    /// The kind, two bits.
    pub kind: u32,
}

impl Body {
    /// The body that a number stands for.
    pub fn new(value: u16, link: Id) -> Self {
        let n = u32::from(value);
        Self {
            n,
            text: if n % 3 == 0 { String::new() } else { format!("text {n}") },
            link: link.bits,
            tags: (n / 7 % 8) as u8,
            heat: n.wrapping_mul(0x9e37_79b9),
            rare: if n % 5 == 0 { format!("rare {n}") } else { String::new() },
            // Now and then one that does not fit into the handle.
            kind: if n % 97 == 96 { 4 } else { n % 4 },
        }
    }

    /// What a call that changes a thing makes of it.
    pub fn change(&mut self, value: u16) {
        self.n = self.n.wrapping_mul(3).wrapping_add(u32::from(value));
        self.text.push('!');
        self.heat ^= u32::from(value);
    }
}

/// What the struct of a pool has room for, and how its handles are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// The name of the struct.
    pub name: &'static str,
    /// Whether it has a number and a link.
    pub number: bool,
    /// Whether it has text on the heap.
    pub text: bool,
    /// Whether it has tags.
    pub tags: bool,
    /// Whether it has a hot field.
    pub heat: bool,
    /// Whether it has a cold field.
    pub rare: bool,
    /// The bits of a handle that hold the kind.
    pub kind_bits: u32,
    /// The bits of a handle that hold the slot.
    pub index_bits: u32,
    /// The bits of a handle that hold the generation.
    pub generation_bits: u32,
}

impl Traits {
    /// What a thing of this struct keeps of a body.
    pub fn keep(&self, body: &Body) -> Body {
        Body {
            n: if self.number { body.n } else { 0 },
            text: if self.text { body.text.clone() } else { String::new() },
            link: if self.number { body.link } else { 0 },
            tags: if self.tags { body.tags } else { 0 },
            heat: if self.heat { body.heat } else { 0 },
            rare: if self.rare { body.rare.clone() } else { String::new() },
            kind: if self.kind_bits > 0 { body.kind } else { 0 },
        }
    }

    /// The slot of a handle, by its bits.
    pub fn id(&self, bits: u64) -> Id {
        Id { slot: (bits & ((1 << self.index_bits) - 1)) as u32, bits }
    }

    /// The generation of a handle.
    pub fn generation(&self, id: Id) -> u32 {
        (id.bits >> self.index_bits & ((1 << self.generation_bits) - 1)) as u32
    }

    /// The generation after which a slot retires.
    pub fn last_generation(&self) -> u32 {
        ((1u64 << self.generation_bits) - 1) as u32
    }
}
