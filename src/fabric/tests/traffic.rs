//! Random traffic through routers that are visited in different orders: nobody must be able to tell the difference.

use super::{Bench, Sinks, bench, config};
use crate::arch::Color;
use crate::arch::Direction::{self, East, North, Ramp, South, West};
use crate::fabric::{Fabric, Ramp as _, Wavelet};
use crate::image::routes::{ColorConfig, Filter};
use std::collections::VecDeque;

const WIDTH: usize = 9;
const HEIGHT: usize = 4;
/// Control wavelets without a command, with ADVANCE and with TEARDOWN.
const COMMANDS: [u32; 3] = [0, 1 << 22, 3 << 22];

/// splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % n as u64) as usize
    }

    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

fn next(pe: usize, to: Direction) -> Option<usize> {
    let (x, y) = (pe % WIDTH, pe / WIDTH);
    match to {
        East => (x + 1 < WIDTH).then_some(pe + 1),
        West => (x > 0).then(|| pe - 1),
        South => (y + 1 < HEIGHT).then_some(pe + WIDTH),
        North => (y > 0).then(|| pe - WIDTH),
        Ramp => None,
    }
}

/// A way of one color through the rectangle; some PEs on it get copies.
fn way(random: &mut Random, color: u8, routes: &mut Vec<(usize, u8, ColorConfig)>) -> usize {
    let start = random.below(WIDTH * HEIGHT);
    let (mut pe, mut from) = (start, Ramp);
    let mut heading = [East, West, East, West, South, North][random.below(6)];
    let mut seen = vec![start];
    loop {
        if random.once_in(6) {
            heading = [East, West, South, North][random.below(4)];
        }
        let on = next(pe, heading).filter(|pe| !seen.contains(pe) && !random.once_in(20));
        let mut to = match on {
            Some(_) => vec![heading],
            None => vec![Ramp],
        };
        if pe != start && random.once_in(8) && !to.contains(&Ramp) {
            to.push(Ramp);
        }
        let mut config = config(&[from], &to);
        if to.contains(&Ramp) && random.once_in(4) {
            config.filter = Some(Filter::Range { min: 0, max: 1 });
        }
        routes.push((pe, color, config));
        let Some(on) = on else { return start };
        (pe, from) = (on, heading.opposite());
        seen.push(pe);
    }
}

/// The same traffic four times: as it is, with routers visited the other way round, as on a large grid, and
/// recorded, where every router decides by arbitration.
fn equals(random: &mut Random) -> [Bench; 4] {
    let mut routes = Vec::new();
    let colors = 1 + random.below(6) as u8;
    let starts: Vec<usize> = (0..colors).map(|color| way(random, color, &mut routes)).collect();
    let depth = 1 + random.below(4) as u8;
    let mut equals = [0; 4].map(|_| bench(WIDTH as u16, HEIGHT as u16, depth, routes.clone()));
    for (color, start) in starts.into_iter().enumerate() {
        let mut wavelets = Vec::new();
        for n in 0..random.below(200) as u32 {
            let control = random.once_in(40);
            // A color that is torn down holds all others up.
            let commands = if random.once_in(8) { 3 } else { 2 };
            let command = COMMANDS[random.below(commands)];
            let data = if control { command | n } else { n | (n & 3) << 16 };
            wavelets.push(Wavelet { data, control });
        }
        for bench in &mut equals {
            bench.to_send.push((start, Color(color as u8), wavelets.iter().copied().collect()));
        }
    }
    let [_, reversed, large, recorded] = &mut equals;
    reversed.reversed = true;
    large.fabric.set_large_from(0);
    recorded.fabric.record();
    equals
}

/// What anybody can know.
fn look(bench: &Bench) -> String {
    format!(
        "{} {:?} {:?}",
        bench.fabric.hops(),
        bench.fabric.survey().leftovers(),
        bench.fabric.next_awake(0).is_some()
    )
}

#[test]
fn nobody_can_tell_in_which_order_routers_are_visited_and_how_they_decide() {
    let mut hops = 0;
    for seed in 0..300 {
        let random = &mut Random(seed);
        let mut equals = equals(random);
        for round in 0..40 {
            let (pe, room) = (random.below(WIDTH * HEIGHT), [0, 3, 20, usize::MAX][random.below(4)]);
            let cycles = 1 + random.below(30) as u64;
            for bench in &mut equals {
                bench.sinks.room[pe] = room.max(bench.sinks.got[pe].len());
                bench.run(cycles);
            }
            for other in &equals[1..] {
                assert_eq!(look(&equals[0]), look(other), "seed {seed}, round {round}");
            }
        }
        hops += equals[0].fabric.hops();
        assert!(equals[1..].iter().all(|other| other.sinks.got == equals[0].sinks.got), "seed {seed}");
    }
    assert!(hops > 100_000, "there was traffic: {hops}");
}

/// The same routers as one fabric, cut into bands of rows that are stepped one after the other.
struct InBands {
    bands: Vec<Fabric>,
    sinks: Sinks,
    to_send: Vec<(usize, Color, VecDeque<Wavelet>)>,
}

impl InBands {
    fn new(whole: Bench, rows: &[usize]) -> InBands {
        let ends: Vec<usize> = rows.iter().map(|row| row * WIDTH).collect();
        let bands = ends.windows(2).map(|ends| whole.fabric.band(ends[0]..ends[1])).collect();
        InBands { bands, sinks: whole.sinks, to_send: whole.to_send }
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            let now = self.sinks.now;
            for band in &mut self.bands {
                let own = band.grid.seams().own();
                band.deliver(now, &mut self.sinks);
                for (pe, color, wavelets) in self.to_send.iter_mut().filter(|(pe, ..)| own.contains(pe)) {
                    let mut ramp = band.ramp(*pe, now);
                    if wavelets.front().is_some_and(|w| ramp.send(*color, *w).is_ok()) {
                        wavelets.pop_front();
                    }
                }
                own.for_each(|pe| band.retry(pe, u32::MAX));
                band.step(now);
            }
            let crossings: Vec<_> = self.bands.iter_mut().map(Fabric::take_crossings).collect();
            for (n, [north, south]) in crossings.iter().enumerate() {
                n.checked_sub(1).into_iter().for_each(|n| self.bands[n].enter(north));
                self.bands.get_mut(n + 1).into_iter().for_each(|band| band.enter(south));
            }
            self.sinks.now += 1;
        }
    }

    fn look(&self) -> String {
        let whole = Fabric::joined(self.bands.iter()).expect("there is a band");
        let is_awake = self.bands.iter().any(|band| band.next_awake(0).is_some());
        format!("{} {:?} {is_awake:?}", whole.hops(), whole.survey().leftovers())
    }
}

#[test]
fn nobody_can_tell_where_the_rows_are_cut() {
    let cuts: [&[usize]; 4] = [&[0, 2, 4], &[0, 1, 4], &[0, 1, 2, 3, 4], &[0, 3, 4]];
    let mut crossed = 0;
    for seed in 0..300 {
        let random = &mut Random(seed);
        let [mut whole, other, large, _] = equals(random);
        let mut others =
            [InBands::new(other, cuts[random.below(4)]), InBands::new(large, cuts[random.below(4)])];
        for round in 0..40 {
            let (pe, room) = (random.below(WIDTH * HEIGHT), [0, 3, 20, usize::MAX][random.below(4)]);
            let cycles = 1 + random.below(30) as u64;
            whole.sinks.room[pe] = room.max(whole.sinks.got[pe].len());
            whole.run(cycles);
            for other in &mut others {
                other.sinks.room[pe] = room.max(other.sinks.got[pe].len());
                other.run(cycles);
                assert_eq!(look(&whole), other.look(), "seed {seed}, round {round}");
            }
        }
        let is_south = |pe: usize| pe >= WIDTH * HEIGHT / 2;
        let starts: Vec<_> = whole.to_send.iter().map(|(pe, color, _)| (*color, is_south(*pe))).collect();
        for (pe, got) in whole.sinks.got.iter().enumerate() {
            let is_far = |(color, ..): &&(Color, u32, u64)| starts.contains(&(*color, !is_south(pe)));
            crossed += got.iter().filter(is_far).count();
        }
        assert!(others.iter().all(|other| other.sinks.got == whole.sinks.got), "seed {seed}");
    }
    assert!(crossed > 1000, "wavelets have crossed the middle: {crossed}");
}
