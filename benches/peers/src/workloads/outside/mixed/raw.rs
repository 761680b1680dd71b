//! Arrays by hand: a set of them for each sort of being, and loops over those sets that have what a
//! system wants.

use super::{
    Being, Damage, Data, Frame, Health, Pair, Player, SORTS, Seen, choose, fight, go, heal, reckon,
    turn,
};

/// All beings of one sort. Of what they lack there is none.
#[derive(Default)]
struct Sort {
    positions: Vec<Pair>,
    velocities: Vec<Pair>,
    data: Vec<Data>,
    players: Vec<Player>,
    healths: Vec<Health>,
    damages: Vec<Damage>,
    sprites: Vec<u32>,
}

pub(super) struct Raw {
    sorts: Vec<Sort>,
    frame: Frame,
    systems: usize,
}

impl super::World for Raw {
    fn new(systems: usize) -> Self {
        let sorts = SORTS.iter().map(|_| Sort::default()).collect();
        Self { sorts, frame: Frame::new(), systems }
    }

    fn add(&mut self, being: Being) {
        let Being { position, velocity, data, fighter, sprite } = being;
        let has = [velocity.is_some(), data.is_some(), fighter.is_some(), sprite.is_some()];
        let place = SORTS.iter().position(|sort| *sort == has).expect("one of the sorts");
        let sort = &mut self.sorts[place];
        sort.positions.push(position);
        sort.velocities.extend(velocity);
        sort.data.extend(data);
        sort.sprites.extend(sprite);
        if let Some((player, health, damage)) = fighter {
            sort.players.push(player);
            sort.healths.push(health);
            sort.damages.push(damage);
        }
    }

    fn update(&mut self) {
        for sort in &mut self.sorts {
            for (position, velocity) in sort.positions.iter_mut().zip(&sort.velocities) {
                go(position, velocity);
            }
        }
        for sort in &mut self.sorts {
            sort.data.iter_mut().for_each(reckon);
        }
        if self.systems < 3 {
            return;
        }
        for sort in &mut self.sorts {
            let all = sort.positions.iter().zip(&mut sort.velocities).zip(&mut sort.data);
            all.for_each(|((position, velocity), data)| turn(position, velocity, data));
        }
        if self.systems < 7 {
            return;
        }
        for sort in &mut self.sorts {
            sort.healths.iter_mut().for_each(heal);
        }
        for sort in &mut self.sorts {
            let all = sort.healths.iter_mut().zip(&sort.damages);
            all.for_each(|(health, damage)| fight(health, damage));
        }
        for sort in &mut self.sorts {
            let all = sort.sprites.iter_mut().zip(&sort.players).zip(&sort.healths);
            all.for_each(|((sprite, player), health)| choose(sprite, player, health));
        }
        for sort in &self.sorts {
            let all = sort.positions.iter().zip(&sort.sprites);
            all.for_each(|(position, &sprite)| self.frame.draw(position, sprite));
        }
    }

    fn sum(&mut self) -> u64 {
        let of_sort = |sort: &Sort| {
            let positions = sort.positions.iter().map(Seen::seen);
            let data = sort.data.iter().map(Seen::seen);
            let healths = sort.healths.iter().map(Seen::seen);
            positions.chain(data).chain(healths).fold(0u64, u64::wrapping_add)
        };
        self.sorts.iter().map(of_sort).fold(self.frame.sum(), u64::wrapping_add)
    }
}
