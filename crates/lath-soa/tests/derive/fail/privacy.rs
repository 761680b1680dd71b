//! The structs of references show what the thing shows.
mod game {
    #[derive(lath_core::Thing, Default)]
    #[thing(columns)]
    pub struct Actor {
        pub pos: f32,
        secret: u8,
    }

    #[derive(lath_core::Thing, Default)]
    #[thing(columns)]
    struct Hidden(u8);
}

fn look(actor: game::ActorRef<'_>) -> u8 {
    *actor.secret
}

fn change(actor: game::ActorMut<'_>) {
    *actor.pos = 1.0;
    *actor.secret = 1;
}

fn peek(_: game::HiddenRef<'_>) {}

fn main() {}
