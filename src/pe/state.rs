//! The state of a PE as a hash, for the search for states that repeat (`wafer/repetition.rs`).
//!
//! What only reports or caches is left out. A part that also holds past cycles is added as it is: then a state is
//! perhaps not found to repeat, and never found to repeat wrongly.

use super::element::Pe;
use super::operation::{ElementDest, ElementSource, Operation};
use super::stall::Stall;
use super::threads::{Thread, Threads};
use crate::state_hash::StateHash;

impl Pe {
    /// Adds everything that decides how the PE goes on. `has_turns`: also whose turn it is among equal tasks and
    /// microthreads. It does not matter where every order is tried.
    pub fn add_state(&self, state: &mut StateHash, has_turns: bool) {
        state.add_words(self.memory.words());
        self.tasks.add_state(state, has_turns);
        self.queues.add_state(state);
        self.threads.add_state(state, has_turns);
        state.add_cycle(self.main.busy_until);
        state.add(u64::from(self.main.waiting) | u64::from(self.main.command_stream_blocked) << 1);
        state.add_debug(&self.main.stalled.as_ref().map(|stalled| stalled.0));
        for launch in self.main.launches() {
            state.add_debug(&(launch.function, &launch.arguments));
            state.add_cycle(launch.due);
        }
        self.main.calls.add_state(state);
        for part in self.rare_parts() {
            state.add_debug(part);
        }
        if let Some(script) = &self.script {
            script.add_state(state);
            self.races.add_state(state);
        }
    }

    /// The parts that most PEs do not use, or that are small.
    fn rare_parts(&self) -> [&dyn std::fmt::Debug; 10] {
        [
            &self.maps,
            &self.map_iterations,
            &self.rare.configuration,
            &self.duties,
            &self.sanitizer,
            &self.fifos,
            &self.registers,
            &self.rare.clock,
            &self.rare.random,
            &self.rare.line.text,
        ]
    }

    /// Keeps the PE from running ahead of the clock from now on.
    pub fn stop_running_ahead(&mut self) {
        self.threads.expected.clear();
        self.threads.must_not_run_ahead = true;
    }
}

/// Adds an operation in progress.
fn add_thread(thread: &Thread, state: &mut StateHash) {
    // That it waits for a wavelet shows in its queue.
    let stall = thread.stalled.map(|stalled| stalled.0).filter(|stall| !matches!(stall, Stall::Input(_)));
    state.add_debug(&stall);
    state.add_debug(&(thread.completion, thread.on_control, thread.result, thread.is_async));
    state.add_debug(&(thread.span, &thread.registers));
    state.add_cycle(thread.started + 1);
    add_operation(&thread.operation, state);
}

fn add_operation(operation: &Operation, state: &mut StateHash) {
    let Operation { total, done, carried, cleared, room, steps, .. } = operation;
    state.add_debug(&(operation.op.name, total, done, carried, cleared, room, steps));
    for from in operation.sources() {
        match from {
            ElementSource::Local(source) => state.add_debug(source),
            ElementSource::Fabric(fabin) => {
                state.add_debug(&(fabin.input, fabin.half, fabin.paired, fabin.control_transform));
            }
            ElementSource::Fifo(end) => state.add_debug(end),
        }
    }
    match &operation.to {
        ElementDest::Local(dest) => state.add_debug(dest),
        ElementDest::Fabric(fabout) => {
            let settings = (fabout.control, fabout.control_transform, fabout.advance_switch, fabout.index);
            state.add_debug(&(fabout.output, fabout.color, fabout.half, settings));
        }
        ElementDest::Fifo(end) => state.add_debug(end),
        ElementDest::Nowhere => state.add(0),
    }
}

impl Threads {
    /// Adds the operations in progress.
    fn add_state(&self, state: &mut StateHash, has_turns: bool) {
        let latest = if has_turns { self.latest } else { 0 };
        state.add(u64::from(self.live) | u64::from(latest) << 16 | u64::from(self.blocked) << 24);
        for (place, thread) in self.iter() {
            state.add(place as u64);
            add_thread(thread, state);
        }
        for ending in self.pending_completions() {
            state.add_cycle(ending.cycle);
            state.add_debug(&ending.done);
        }
    }
}
