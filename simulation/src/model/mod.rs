//! What a world should do: obviously right, and slow.

pub mod forest;
pub mod past;
pub mod pool;
pub mod prefabs;
pub mod requests;
pub mod saves;
mod systems;

use past::{Note, Past};
use pool::{PoolModel, Wrong};
use systems::SystemsModel;

use crate::adapter::Setup;
use crate::adapter::things::{POOLS, TRAITS};
use crate::adapter::world::Side;
use crate::answer::{Answer, Ask, Look};
use crate::program::Call;

/// A world.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its pools.
    pub pools: Vec<PoolModel>,
    /// The last slots that there can be in them.
    limits: Vec<u32>,
    /// The resource that is saved.
    pub note: Option<Note>,
    /// What the world was like when copies of it were made.
    pub past: Past,
    /// What it has beside them.
    pub systems: SystemsModel,
    /// Whether systems are played.
    with_systems: bool,
}

impl Model {
    /// A world in which nothing has happened.
    pub fn new(setup: &Setup) -> Self {
        let pools = (0..POOLS).map(|pool| PoolModel::new(TRAITS[pool], setup.limit(pool)));
        Self {
            pools: pools.collect(),
            limits: (0..POOLS).map(|pool| setup.limit(pool)).collect(),
            note: None,
            past: Past::default(),
            systems: SystemsModel::default(),
            with_systems: setup.systems,
        }
    }

    /// Makes a call, whose answer is known, and says what is wrong with the answer.
    pub fn judge(&mut self, ask: &Ask, answer: &Answer) -> Result<(), Wrong> {
        let judged = (self.judge_copies(ask, answer))
            .or_else(|| self.judge_saves(ask, answer))
            .or_else(|| self.judge_prefabs(ask, answer))
            .or_else(|| self.judge_requests(ask, answer));
        if let Some(judged) = judged {
            return judged;
        }
        match ask.call {
            call if call.is_of_systems() => self.judge_systems(ask, answer),
            Call::WorldSpawn | Call::WorldDespawn | Call::WorldTags => {
                self.judge_world(ask, answer)
            }
            _ => self.pools[ask.pool].judge(ask, answer),
        }
    }

    /// Says what a look shows that is wrong.
    pub fn same_as(&mut self, look: &Look) -> Result<(), Wrong> {
        for (pool, look) in self.pools.iter_mut().zip(&look.pools) {
            pool.same_as(look)
                .map_err(|wrong| format!("in the pool of {}: {wrong}", pool.traits().name))?;
        }
        if self.with_systems {
            self.systems.same_as(&look.systems)?;
        }
        past::same_note(self.note.as_ref(), look)
    }

    /// After a panic somewhere in a call: takes over what is there, if it can be what was left.
    pub fn adopt(&mut self, ask: &Ask, look: &Look, side: &dyn Side) -> Result<(), Wrong> {
        for (number, (pool, look)) in self.pools.iter_mut().zip(&look.pools).enumerate() {
            let reach = pool.slots_in_reach();
            let slots = side.slots(number, &reach);
            let hidden = side.hidden(number, &reach);
            pool.adopt(look, &hidden, &slots)
                .map_err(|wrong| format!("in the pool of {}: {wrong}", pool.traits().name))?;
        }
        if self.with_systems {
            self.systems.adopt(ask, &look.systems);
        }
        Ok(())
    }
}
