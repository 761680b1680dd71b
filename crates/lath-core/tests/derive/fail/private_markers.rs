//! A marker is seen exactly as far as its field.
use lath_core::Field;

mod game {
    pub mod actors {
        use lath_core::Thing;

        #[derive(Thing, Default)]
        pub struct Actor {
            private: u8,
            pub(super) above: u8,
            pub(in crate::game::actors) by_path: u8,
            pub(crate) here: u8,
        }

        #[derive(Thing, Default)]
        struct Modest {
            pub a: u8,
        }
    }

    pub fn look() {
        use lath_core::Field;
        let _ = <actors::actor::private as Field>::NAME;
        let _ = <actors::actor::above as Field>::NAME;
        let _ = <actors::actor::by_path as Field>::NAME;
        let _ = <actors::modest::a as Field>::NAME;
    }
}

fn main() {
    let _ = <game::actors::actor::above as Field>::NAME;
    let _ = <game::actors::actor::here as Field>::NAME;
}
