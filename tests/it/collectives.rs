//! The estimate of cycles beside what is published about WSE-2.

#[path = "../../benches/ratios/collectives.rs"]
mod model;

use model::{ALL, Collective};

#[test]
fn the_estimate_of_collectives_is_at_most_a_fifth_off_the_published_model() {
    for collective in ALL {
        for (width, n) in [(8, 1), (8, 64), (16, 16), (32, 1), (32, 256), (64, 8)] {
            let off = collective.deviation(width, n);
            assert!(off.abs() <= 0.2, "{} of {n} words on {width} PEs: {off:+.3}", collective.name());
        }
    }
}

#[test]
fn the_estimate_of_a_broadcast_is_that_of_the_model() {
    for (width, n) in [(8, 1), (32, 64)] {
        assert_eq!(Collective::Broadcast.cycles(width, n), Collective::Broadcast.model(width, n));
    }
}
