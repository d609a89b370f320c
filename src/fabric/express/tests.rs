//! Random traffic with express channels and without: nobody must be able to tell the difference.

use super::super::tests::{Bench, bench, config, row};
use crate::arch::Color;
use crate::arch::Direction::{self, East, North, Ramp, South, West};
use crate::arch::config::{ConfigWord, routes};
use crate::fabric::{Ramp as _, Wavelet};
use crate::image::routes::{ColorConfig, Filter};

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

/// Some that differ only in whether wavelets may use express channels, and whether routers are visited as on a large
/// grid.
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
    equals[1..3].iter_mut().for_each(|bench| bench.fabric.go_hop_by_hop());
    equals[2..].iter_mut().for_each(|bench| bench.fabric.is_large_from(0));
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
fn nobody_can_tell_whether_wavelets_use_express_channels_and_how_routers_are_visited() {
    let mut carried = 0;
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
        carried += equals[0].fabric.channels.all.iter().map(|channel| channel.carried).sum::<u64>();
        assert!(equals[1..].iter().all(|other| other.sinks.got == equals[0].sinks.got), "seed {seed}");
    }
    assert!(carried > 1000, "express channels were used: {carried}");
}

#[test]
fn a_stream_over_a_long_row_visits_only_its_ends() {
    let mut b = row(20, 2, &[5]);
    b.send(0, 5, 0..100);
    b.run(60);
    let channels = b.fabric.channels.all.iter().filter(|channel| !channel.lanes.is_empty());
    assert_eq!(channels.map(|channel| channel.lanes.len()).collect::<Vec<_>>(), [18]);
    assert_eq!(b.fabric.schedule.awake(), 2);
    b.run(80);
    assert_eq!(b.words(19, 5), (0..100).collect::<Vec<_>>());
    assert_eq!(b.fabric.hops(), 20 * 100);
    assert_eq!(b.fabric.next_awake(0), None);
}

#[test]
fn a_configuration_that_changes_on_the_way_is_met_where_it_was() {
    let [with, without] = [true, false].map(|channels| {
        let mut b = row(20, 2, &[5]);
        if !channels {
            b.fabric.go_hop_by_hop();
        }
        b.send(0, 5, 0..100);
        b.run(40);
        // The tenth router is closed for ten cycles.
        let address = ConfigWord::address("routes").expect("routers have such words") + 5;
        let word = b.fabric.ramp(10, 40).config(address).expect("every router has this word");
        assert!(b.fabric.set_config(10, address, word | routes::TEARDOWN));
        b.run(10);
        let stopped = look(&b);
        assert!(b.fabric.set_config(10, address, word));
        b.run(100);
        (stopped, look(&b), b.sinks.got)
    });
    assert!(with == without);
    assert_eq!(with.2[19].len(), 100);
}
