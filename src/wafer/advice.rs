//! What to do about a wait whose cause in the program is not known: advice by the kind of the wait.

use super::stall::{PeWait, Sender};
use crate::fabric::Obstacle;
use crate::pe::{Waiter, WaitsFor};

/// What to do about wavelets that do not come.
pub(super) fn wavelets_advice(
    reachable: bool,
    received: u64,
    senders: &[Sender],
    ends_at_control: bool,
) -> &'static str {
    if !reachable || senders.is_empty() {
        return "check the routes of the color: they must lead from a sender to this PE";
    }
    if senders.iter().all(|s| s.sent == 0) {
        return "check that both sides use this color, and that something starts the operation that sends";
    }
    if senders.iter().all(|s| s.sent > received) {
        return "wavelets went elsewhere: check the switches, filters and color swaps on the way";
    }
    match ends_at_control {
        true => "send a control wavelet at the end: one element through a fabout_dsd with `.control = true`",
        false => "both sides must agree on the number of wavelets",
    }
}

/// What to do about wavelets that nothing takes.
pub(super) fn space_advice(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::Pe | Obstacle::Full(_) => "something must receive the wavelets where they are blocked",
        Obstacle::Teardown => "end the teardown there: `tile_config.teardown.exit`",
        Obstacle::Switch { .. } => "move the switch to a position that accepts them",
        Obstacle::NoRoute | Obstacle::Closed(_) => "the route of the color must continue from there",
        Obstacle::Host => "the host must copy more words from this color, or the program must send fewer",
    }
}

/// What to change where PEs wait for each other; `first` is a wait of one of them.
pub(super) fn circle_advice(pes: usize, first: Option<&PeWait>) -> &'static str {
    let sends = first.is_some_and(|w| matches!(w.need, WaitsFor::Space { .. }));
    let is_async = first.is_some_and(|w| matches!(w.waiter, Waiter::Microthread(_)));
    // A receiver that has got a part is more often wrong about the number than about the order.
    if pes > 1 && !sends && first.is_some_and(|w| w.progress.is_some_and(|(done, _)| done > 0)) {
        return "both sides must agree on the number of wavelets; if they do, let one of these PEs send all of them \
                before it receives";
    }
    match (pes, sends, is_async) {
        (1, true, false) => "send with `.async = true`, so that the PE can receive what it sends to itself",
        (1, false, false) => "receive with `.async = true`, so that the PE can send what it waits for",
        (_, true, false) => "let one of these PEs receive before it sends, or send with `.async = true`",
        (_, false, false) => "let one of these PEs send before it receives, or receive with `.async = true`",
        (1, true, true) => {
            "start the code that receives before this operation ends, not because it has ended"
        }
        (1, false, true) => "start the code that sends before this operation ends, not because it has ended",
        (_, true, true) => "let one of these PEs start to receive before it has sent everything",
        (_, false, true) => "let one of these PEs start to send before it has received everything",
    }
}
