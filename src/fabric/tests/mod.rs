//! The fabric alone: routes, multicast, back-pressure, fairness, switches.

mod edge;
mod traffic;

use super::*;
use crate::arch::config::{ConfigWord, routes};
use crate::arch::{ArchName, Direction, MESSAGE_COLOR, PeCoord};
use crate::image::routes::{ColorConfig, Directions, PopMode, Position, Switches};
use crate::image::{FabricPlace, NO_TILE, RouteTable};
use crate::source::SourceMap;
use Direction::{East, North, Ramp as Pe, South, West};
use std::collections::VecDeque;

/// PEs that only have queues.
struct Sinks {
    pub got: Vec<Vec<(Color, u32, u64)>>,
    pub room: Vec<usize>,
    now: u64,
}

impl Offramps for Sinks {
    fn deliver(&mut self, pe: usize, color: Color, w: Wavelet) -> bool {
        let has_room = self.got[pe].len() < self.room[pe];
        if has_room {
            self.got[pe].push((color, w.data, self.now));
        }
        has_room
    }
}

struct Bench {
    pub fabric: Fabric,
    pub sinks: Sinks,
    pub to_send: Vec<(usize, Color, VecDeque<Wavelet>)>,
    reversed: bool,
}

impl Bench {
    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            let now = self.sinks.now;
            if self.reversed {
                self.fabric.schedule.reverse();
            }
            self.fabric.deliver(now, &mut self.sinks);
            for (pe, color, wavelets) in &mut self.to_send {
                let mut ramp = self.fabric.ramp(*pe, now);
                if wavelets.front().is_some_and(|w| ramp.send(*color, *w).is_ok()) {
                    wavelets.pop_front();
                }
                self.fabric.retry(*pe, u32::MAX);
            }
            if self.reversed {
                self.fabric.schedule.reverse();
            }
            for pe in 0..self.sinks.got.len() {
                self.fabric.retry(pe, u32::MAX);
            }
            self.fabric.step(now);
            self.sinks.now += 1;
        }
    }

    pub fn send(&mut self, pe: usize, color: u8, words: impl IntoIterator<Item = u32>) {
        let all = words.into_iter().map(|data| Wavelet { data, control: false }).collect();
        self.to_send.push((pe, Color(color), all));
    }

    pub fn words(&self, pe: usize, color: u8) -> Vec<u32> {
        self.sinks.got[pe].iter().filter(|(c, ..)| c.0 == color).map(|(_, w, _)| *w).collect()
    }
}

fn sides(all: &[Direction]) -> Directions {
    all.iter().copied().collect()
}

fn config(rx: &[Direction], tx: &[Direction]) -> ColorConfig {
    ColorConfig { rx: sides(rx), tx: sides(tx), ..ColorConfig::default() }
}

fn bench(width: u16, height: u16, depth: u8, routes: Vec<(usize, u8, ColorConfig)>) -> Bench {
    let pes = usize::from(width) * usize::from(height);
    let mut table = RouteTable::new(pes);
    for (pe, color, config) in routes {
        assert!(table.set(pe, Color(color), config, None));
    }
    let program = Arc::new(Program {
        arch: ArchName::Wse2,
        width,
        height,
        fabric: FabricPlace::default(),
        tiles: Vec::new(),
        place: vec![NO_TILE; pes],
        routes: table,
        exports: Vec::new(),
        memcpy: None,
        sdk_layout: None,
        origin: None,
        sources: SourceMap::default(),
    });
    let sinks = Sinks { got: vec![Vec::new(); pes], room: vec![usize::MAX; pes], now: 0 };
    let mut fabric = Fabric::new(&program);
    fabric.limit_links(depth);
    Bench { fabric, sinks, to_send: Vec::new(), reversed: false }
}

/// PE 0 sends east along a row; the last one takes it.
fn row(width: u16, depth: u8, colors: &[u8]) -> Bench {
    let last = usize::from(width) - 1;
    let mut routes = Vec::new();
    for color in colors {
        routes.push((0, *color, config(&[Pe], &[East])));
        routes.extend((1..last).map(|pe| (pe, *color, config(&[West], &[East]))));
        routes.push((last, *color, config(&[West], &[Pe])));
    }
    bench(width, 1, depth, routes)
}

#[test]
fn a_wavelet_takes_one_cycle_per_hop_and_two_per_ramp() {
    let mut b = row(4, 2, &[5]);
    b.send(0, 5, [77]);
    b.run(30);
    assert_eq!(b.sinks.got[3], [(Color(5), 77, 2 + 3 + 2)]);
    assert_eq!(b.fabric.hops(), 4);
    assert_eq!(b.fabric.next_awake(0), None);
}

#[test]
fn a_stream_flows_at_one_wavelet_per_cycle() {
    let mut b = row(4, 2, &[5]);
    b.send(0, 5, 0..100);
    b.run(120);
    let times: Vec<_> = b.sinks.got[3].iter().map(|(.., t)| *t).collect();
    assert_eq!(b.words(3, 5), (0..100).collect::<Vec<_>>());
    assert!(times.windows(2).all(|t| t[1] == t[0] + 1));
}

#[test]
fn multicast_copies_to_every_target_and_waits_for_the_slowest() {
    let mut b = bench(
        2,
        2,
        2,
        vec![
            (0, 1, config(&[Pe], &[East, South, Pe])),
            (1, 1, config(&[West], &[Pe])),
            (2, 1, config(&[North], &[Pe])),
        ],
    );
    b.sinks.room[2] = 3;
    b.send(0, 1, 0..40);
    b.run(80);
    assert_eq!(b.words(2, 1), [0, 1, 2]);
    assert!(b.words(1, 1).len() < 20);
    b.sinks.room[2] = usize::MAX;
    b.run(80);
    for pe in 0..3 {
        assert_eq!(b.words(pe, 1), (0..40).collect::<Vec<_>>());
    }
}

#[test]
fn a_full_queue_holds_up_the_sender_and_loses_nothing() {
    let mut b = row(3, 2, &[5]);
    b.sinks.room[2] = 0;
    b.send(0, 5, 0..50);
    b.run(100);
    assert!(b.fabric.hops() < 50);
    let stuck = b.fabric.survey().blockage(0, Color(5)).unwrap();
    assert_eq!((stuck.pe, stuck.obstacle), (2, Obstacle::Pe));
    b.sinks.room[2] = usize::MAX;
    b.run(100);
    assert_eq!(b.words(2, 5), (0..50).collect::<Vec<_>>());
}

#[test]
fn two_colors_share_a_link_evenly() {
    let mut b = row(3, 2, &[3, 7]);
    b.send(0, 3, 0..60);
    b.send(0, 7, 0..60);
    b.run(80);
    let (a, c) = (b.words(2, 3).len(), b.words(2, 7).len());
    assert!(a.abs_diff(c) <= 1 && a + c > 60, "{a} and {c}");
}

#[test]
fn one_blocked_color_does_not_block_another() {
    // Nobody takes color 3 on PE 1.
    let routes = vec![
        (0, 3, config(&[Pe], &[East])),
        (0, 7, config(&[Pe], &[East])),
        (1, 7, config(&[West], &[East])),
        (2, 7, config(&[West], &[Pe])),
    ];
    let mut b = bench(3, 1, 2, routes);
    b.send(0, 3, 0..20);
    b.send(0, 7, 0..20);
    b.run(60);
    assert_eq!(b.words(2, 7).len(), 20);
    assert_eq!(b.fabric.survey().blockage(0, Color(3)).unwrap().obstacle, Obstacle::NoRoute);
}

#[test]
fn results_depend_neither_on_buffer_depth_nor_on_the_order_of_visiting() {
    let run = |depth, reversed| {
        let mut b = row(5, depth, &[2, 4]);
        b.reversed = reversed;
        b.send(0, 2, 0..30);
        b.send(0, 4, 100..130);
        b.run(300);
        (b.words(4, 2), b.words(4, 4), b.sinks.got)
    };
    let (two, four, trace) = run(2, false);
    assert_eq!((two.len(), four.len()), (30, 30));
    assert_eq!(run(2, true).2, trace);
    for depth in [1, 3, 4] {
        let other = run(depth, false);
        assert_eq!((&other.0, &other.1), (&two, &four));
    }
}

#[test]
fn an_arrival_from_a_closed_side_waits_and_says_so() {
    let mut b = bench(2, 1, 2, vec![(0, 1, config(&[Pe], &[East])), (1, 1, config(&[East], &[Pe]))]);
    b.send(0, 1, [1]);
    b.run(20);
    let left = b.fabric.survey().leftovers();
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].pe, left[0].obstacle), (1, Obstacle::Closed(West)));
}

#[test]
fn wavelets_off_the_edge_are_lost_and_counted() {
    let mut b = bench(1, 1, 2, vec![(0, 1, config(&[Pe], &[North, South]))]);
    b.send(0, 1, [1, 2, 3]);
    b.run(20);
    assert!(b.fabric.survey().leftovers().is_empty());
    let loss = Loss { color: Color(1), pe: 0, side: North, count: 6, elsewhere: 0 };
    assert_eq!(b.fabric.losses(), [loss]);
}

#[test]
fn a_color_without_a_route_is_noticed_at_the_sender() {
    let mut b = bench(1, 1, 2, Vec::new());
    b.send(0, 9, [1]);
    b.run(3);
    assert_eq!(b.fabric.take_unrouted(), [(0, Color(9))]);
}

#[test]
fn senders_are_found_against_the_stream() {
    let b = row(4, 2, &[5]);
    assert_eq!(b.fabric.survey().senders(3, Color(5)), [0]);
    assert_eq!(b.fabric.survey().senders(0, Color(5)), [0]);
}

/// A ring of positions: north, west, east, south; starts at position 1.
fn switched(pop: PopMode) -> ColorConfig {
    let to = |d| Some(Position { rx: None, tx: Some(sides(&[d])) });
    ColorConfig {
        switches: Some(Switches {
            positions: [to(West), to(East), to(South)],
            current: 1,
            ring: true,
            pop,
            ..Switches::NONE
        }),
        ..config(&[Pe], &[North])
    }
}

#[test]
fn a_control_wavelet_moves_the_switch_behind_itself() {
    let take = |d| config(&[d], &[Pe]);
    let routes =
        vec![(4, 6, switched(PopMode::NoPop)), (3, 6, take(East)), (5, 6, take(West)), (7, 6, take(North))];
    let mut b = bench(3, 3, 2, routes);
    let advance = Wavelet { data: 31 << 16 | 1 << 22, control: true };
    let data = |data| Wavelet { data, control: false };
    let stream = [data(1), advance, data(2), advance, data(3)];
    b.to_send.push((4, Color(6), stream.into_iter().collect()));
    b.run(30);
    assert_eq!(b.words(3, 6), [1, advance.data]);
    assert_eq!(b.words(5, 6), [2, advance.data]);
    assert_eq!(b.words(7, 6), [3]);
}

#[test]
fn a_position_keeps_the_side_that_it_does_not_mention() {
    // Sends east, then to nobody but its own ramp, then takes from the west with that ramp.
    let side = |rx: Option<Direction>, tx: Option<Direction>| {
        Some(Position { rx: rx.map(Directions::only), tx: tx.map(Directions::only) })
    };
    let positions = [side(None, Some(Pe)), side(Some(West), None), None];
    let switches = Switches { positions, ring: true, pop: PopMode::AlwaysPop, ..Switches::NONE };
    let middle = ColorConfig { switches: Some(switches), ..config(&[Pe], &[East]) };
    let routes = vec![(0, 6, config(&[Pe], &[East])), (1, 6, middle), (2, 6, config(&[West], &[Pe]))];
    let mut b = bench(3, 1, 2, routes);
    let advance = Wavelet { data: 31 << 16 | 1 << 22 | 1 << 24, control: true };
    let data = |data| Wavelet { data, control: false };
    b.to_send.push((1, Color(6), [data(1), advance, data(2), advance].into_iter().collect()));
    b.send(0, 6, [3]);
    b.run(40);
    assert_eq!(b.words(1, 6), [2, 3]);
    assert_eq!(b.words(2, 6)[0], 1);
}

#[test]
fn popping_takes_the_command_from_the_routers_behind() {
    let routes = vec![(1, 6, switched(PopMode::OnAdvance)), (0, 6, config(&[East], &[Pe]))];
    let mut b = bench(2, 1, 2, routes);
    let advance = Wavelet { data: 31 << 16 | 1 << 22, control: true };
    b.to_send.push((1, Color(6), [advance].into_iter().collect()));
    b.run(30);
    assert_eq!(b.words(0, 6), [31 << 16]);
}

#[test]
fn the_last_wavelet_of_an_operation_may_advance_the_switch() {
    let routes = vec![(1, 6, switched(PopMode::NoPop)), (0, 6, config(&[East], &[Pe]))];
    let mut b = bench(3, 1, 2, routes);
    b.send(1, 6, [1]);
    b.run(1);
    b.fabric.ramp(1, 1).advance_switch(Color(6));
    b.send(1, 6, [2]);
    b.run(20);
    assert_eq!(b.words(0, 6), [1]);
    assert_eq!(b.fabric.survey().leftovers()[0].pe, 2);
}

#[test]
fn a_one_sided_swap_copies_the_partner() {
    // PE 1 swaps color 3 on the x axis only: what arrives on 2 is seen on 2 and 3.
    let mut three = config(&[West], &[Pe]);
    three.swap_x = true;
    let routes = vec![(0, 2, config(&[Pe], &[East])), (1, 2, config(&[West], &[Pe])), (1, 3, three)];
    let mut b = bench(2, 1, 2, routes);
    b.send(0, 2, [8, 9]);
    b.run(20);
    assert_eq!(b.words(1, 2), [8, 9]);
    assert_eq!(b.words(1, 3), [8, 9]);
}

#[test]
fn a_one_sided_swap_hands_all_to_the_partner_of_an_unknown_color() {
    // Color 2 has no route at PE 1, so that only color 3 gets its wavelets, and nothing holds them up.
    let mut three = config(&[West], &[Pe]);
    three.swap_x = true;
    let mut b = bench(2, 1, 2, vec![(0, 2, config(&[Pe], &[East])), (1, 3, three)]);
    b.send(0, 2, 0..20);
    b.run(60);
    assert_eq!(b.words(1, 3), (0..20).collect::<Vec<_>>());
    assert!(b.fabric.survey().leftovers().is_empty());
}

#[test]
fn a_one_sided_swap_waits_for_the_slower_of_both_colors() {
    let mut three = config(&[West], &[East]);
    three.swap_x = true;
    let routes = vec![
        (0, 2, config(&[Pe], &[East])),
        (1, 2, config(&[West], &[Pe])),
        (1, 3, three),
        (2, 3, config(&[West], &[Pe])),
    ];
    let mut b = bench(3, 1, 2, routes);
    b.sinks.room[2] = 0;
    b.send(0, 2, 0..40);
    b.run(80);
    assert!(b.words(1, 2).len() < 20);
    b.sinks.room[2] = usize::MAX;
    b.run(80);
    assert_eq!(b.words(1, 2), (0..40).collect::<Vec<_>>());
    assert_eq!(b.words(2, 3), (0..40).collect::<Vec<_>>());
}

#[test]
fn the_host_takes_words_from_the_ramp_of_a_pe_without_code() {
    let mut b = row(2, 2, &[5]);
    b.sinks.room[1] = 0;
    let [data, control] = [false, true].map(|control| move |data| Wavelet { data, control });
    let all = [data(1), control(2), data(3), data(4)];
    b.to_send.push((0, Color(5), all.into_iter().collect()));
    let mut taken = Vec::new();
    for cycle in 0..30 {
        b.run(1);
        taken.extend(b.fabric.receive_for_host(1, Color(5), cycle).map(|word| (cycle, word)));
    }
    // The control wavelet takes no time of the host.
    assert_eq!(taken, [(5, 1), (7, 3), (8, 4)]);
}

#[test]
fn a_message_is_told_of_once_with_its_sender_and_its_receiver() {
    let mut b = bench(3, 1, 2, Vec::new());
    b.fabric.ramp(2, 0).address_message(PeCoord { x: 0, y: 0 }, 2);
    b.send(2, MESSAGE_COLOR.0, [7, 8]);
    let mut told = Vec::new();
    for _ in 0..30 {
        b.run(1);
        told.extend(b.fabric.take_handed_over());
    }
    assert_eq!(told, [(2, 0)]);
    assert_eq!(b.words(0, MESSAGE_COLOR.0).len(), 3);
}

#[test]
fn a_run_that_is_stopped_and_goes_on_hands_over_what_was_left() {
    let mut b = row(4, 2, &[5]);
    (0..3).for_each(|pe| b.fabric.schedule.retry(pe));
    let delivering = b.fabric.take_delivering(0);
    assert_eq!(delivering, [0, 1, 2]);
    b.fabric.end_deliveries(delivering, 2);
    assert_eq!(b.fabric.take_delivering(1), [1, 2]);
}

#[test]
fn a_color_in_teardown_moves_nothing() {
    let mut b = bench(1, 1, 2, vec![(0, 1, ColorConfig { teardown: true, ..config(&[Pe], &[Pe]) })]);
    b.send(0, 1, [1]);
    b.run(20);
    assert_eq!(b.fabric.survey().leftovers()[0].obstacle, Obstacle::Teardown);
}

#[test]
fn a_stream_waits_at_a_router_that_is_torn_down_on_its_way_and_then_goes_on() {
    let mut b = row(20, 2, &[5]);
    b.send(0, 5, 0..100);
    b.run(40);
    let address = ConfigWord::address("routes").expect("routers have such words") + 5;
    let word = b.fabric.ramp(10, 40).config(address).expect("every router has this word");
    assert!(b.fabric.set_config(10, address, word | routes::TEARDOWN));
    b.run(100);
    let taken = b.words(19, 5).len();
    let stuck = b.fabric.survey().blockage(0, Color(5)).expect("the rest cannot be sent");
    assert_eq!((stuck.pe, stuck.obstacle), (10, Obstacle::Teardown));
    assert!(taken < 50, "{taken} of 100 words have passed");
    assert!(b.fabric.set_config(10, address, word));
    b.run(100);
    assert_eq!(b.words(19, 5), (0..100).collect::<Vec<_>>());
}

#[test]
fn an_idle_wafer_costs_little_per_pe() {
    let b = bench(256, 256, 2, Vec::new());
    // A line of the cache for each router.
    assert!(b.fabric.grid.host_bytes() / 65536 <= 64, "{}", b.fabric.grid.host_bytes() / 65536);
}
