//! Words of the host at the edge of the rectangle.

use super::{Bench, bench, config};
use crate::arch::Color;
use crate::arch::Direction::{East, North, Ramp, South, West};
use crate::fabric::Wavelet;

fn word(data: u32) -> Wavelet {
    Wavelet { data, control: false }
}

/// Two PEs in a row, which pass color 1 from the west edge to the east edge; the second one takes it as well.
fn passage() -> Bench {
    let routes = vec![(0, 1, config(&[West], &[East])), (1, 1, config(&[West], &[Ramp, East]))];
    bench(2, 1, 2, routes)
}

#[test]
fn what_enters_at_the_edge_takes_the_route_like_any_wavelet() {
    let mut b = passage();
    for data in [5, 6] {
        assert!(b.fabric.enter_at_edge((0, Color(1), West), word(data), 0));
    }
    b.run(20);
    assert_eq!(b.words(1, 1), [5, 6]);
    assert!(b.fabric.survey().leftovers().is_empty());
}

#[test]
fn the_host_waits_while_the_first_router_is_full_and_may_then_go_on() {
    let mut b = passage();
    b.sinks.room[1] = 0;
    let mut sent = 0;
    for cycle in 0..40 {
        sent += u32::from(b.fabric.enter_at_edge((0, Color(1), West), word(sent), cycle));
        b.run(1);
    }
    assert!((2..20).contains(&sent), "{sent}");
    b.sinks.room[1] = usize::MAX;
    for cycle in 40..80 {
        sent += u32::from(b.fabric.enter_at_edge((0, Color(1), West), word(sent), cycle));
        b.run(1);
    }
    b.run(20);
    assert!(sent > 40, "{sent}");
    assert_eq!(b.words(1, 1), (0..sent).collect::<Vec<_>>());
}

#[test]
fn an_exit_gives_its_words_to_the_host_and_loses_none() {
    let mut b = passage();
    b.fabric.open_exit((1, Color(1), East));
    let control = Wavelet { data: 7, control: true };
    for (cycle, wavelet) in [word(1), control, word(2)].into_iter().enumerate() {
        assert!(b.fabric.enter_at_edge((0, Color(1), West), wavelet, cycle as u64));
        b.run(1);
    }
    b.run(20);
    let mut taken = Vec::new();
    while let Some(data) = b.fabric.take_at_exit((1, Color(1), East)) {
        taken.push(data);
    }
    assert_eq!(taken, [1, 2], "the control wavelet is for routers and tasks");
    assert!(b.fabric.losses().is_empty());
    assert_eq!(b.fabric.take_at_exit((1, Color(1), North)), None);
}

#[test]
fn edges_are_the_sides_without_a_neighbour_for_which_the_color_has_a_route() {
    let b = passage();
    assert_eq!(b.fabric.edge_sides(0, Color(1)), (vec![West], vec![]));
    assert_eq!(b.fabric.edge_sides(1, Color(1)), (vec![], vec![East]));
    let all = [North, South, East, West];
    let b = bench(1, 1, 2, vec![(0, 3, config(&all, &all))]);
    assert_eq!(b.fabric.edge_sides(0, Color(3)), (all.to_vec(), all.to_vec()));
}
