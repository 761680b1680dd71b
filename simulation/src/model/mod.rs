//! What a world should do: obviously right, and slow.

pub mod forest;
pub mod pool;
mod systems;

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
    /// What it has beside them.
    pub systems: SystemsModel,
}

impl Model {
    /// A world in which nothing has happened.
    pub fn new(setup: &Setup) -> Self {
        let pools = (0..POOLS).map(|pool| PoolModel::new(TRAITS[pool], setup.limit(pool)));
        Self { pools: pools.collect(), systems: SystemsModel::default() }
    }

    /// Makes a call, whose answer is known, and says what is wrong with the answer.
    pub fn judge(&mut self, ask: &Ask, answer: &Answer) -> Result<(), Wrong> {
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
        self.systems.same_as(&look.systems)
    }

    /// After a panic somewhere in a call: takes over what is there, if it can be what was left.
    pub fn adopt(&mut self, ask: &Ask, look: &Look, side: &dyn Side) -> Result<(), Wrong> {
        for (number, (pool, look)) in self.pools.iter_mut().zip(&look.pools).enumerate() {
            let slots = side.slots(number, pool.high_slot());
            let hidden = side.hidden(number, pool.high_slot());
            pool.adopt(look, &hidden, &slots)
                .map_err(|wrong| format!("in the pool of {}: {wrong}", pool.traits().name))?;
        }
        self.systems.adopt(ask, &look.systems);
        Ok(())
    }
}
