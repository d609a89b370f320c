//! Runs with a prescribed schedule, and the decisions that PEs make in them (`cslrun explore`, `--schedule`).

use super::{Candidate, Decision, Deviation, ExplorationEnd, Failure, Runner, VisitedStates, failure};
use crate::arch::{PeCoord, TaskId};
use crate::image::{TaskKind, TileImage};
use crate::state_hash::StateHash;

/// A decision of a PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenDecision {
    /// The PE.
    pub pe: PeCoord,
    /// How many decisions the PE has made before.
    pub number: u32,
    /// What it has decided.
    pub decision: Decision,
}

impl Runner {
    /// Prescribes decisions of PEs: these deviations, and the default for all others. Call it before the run starts.
    /// With `met`, the run is interrupted when it reaches one of these states after the last deviation, or when PEs
    /// wait for something that does not come.
    pub fn follow(&mut self, deviations: &[Deviation], met: Option<VisitedStates>) {
        self.wafer.follow(deviations, met);
    }

    /// Why the run was interrupted, if its script is the reason.
    pub fn script_end(&self) -> Option<ExplorationEnd> {
        self.wafer.script_end()
    }

    /// The states that the run has met, each with the number of decisions by then.
    pub fn states(&self) -> &[(u64, u64)] {
        self.wafer.states()
    }

    /// Whether a PE has made more decisions than are noted.
    pub fn has_lost_decisions(&self) -> bool {
        self.wafer.has_lost_decisions()
    }

    /// What all PEs have decided, in the order of cycles, PEs and numbers.
    pub fn decisions(&self) -> Vec<SeenDecision> {
        let of_pe = |(pe, decisions): (PeCoord, &[Decision])| {
            let numbered = decisions.iter().zip(0..);
            let seen =
                numbered.map(|(decision, number)| SeenDecision { pe, number, decision: decision.clone() });
            seen.collect::<Vec<_>>()
        };
        let mut all: Vec<SeenDecision> = self.wafer.decisions().flat_map(of_pe).collect();
        all.sort_by_key(|seen| (seen.decision.cycle, seen.pe.y, seen.pe.x, seen.number));
        all
    }

    /// The candidates of a decision in words, such as "task one", the usual first; no two are equal.
    pub fn candidates(&self, seen: &SeenDecision) -> Vec<String> {
        let Some(tile) = self.program.tile_at(seen.pe) else { return Vec::new() };
        let mut names: Vec<String> = Vec::new();
        for candidate in &seen.decision.candidates {
            let name = name(tile, *candidate);
            let equal = names.iter().filter(|other| other.strip_prefix(&name).is_some_and(is_number)).count();
            names.push(if equal == 0 { name } else { format!("{name} ({})", equal + 1) });
        }
        names
    }

    /// Nothing happens any more while PEs wait because of their scripts. The command stream of `<memcpy>` does not wait
    /// for a wafer that does nothing; without one, the host does.
    pub(super) fn go_on_without_held(&mut self, has_moved: bool) -> Result<bool, Failure> {
        let host_goes_on = self.program.memcpy.is_some() && !self.stream.is_empty();
        if has_moved || self.await_channels() || host_goes_on && self.try_command(true)? {
            return Ok(true);
        }
        self.wafer.release_held();
        match self.wafer.script_end() {
            Some(_) => Err(failure(self.wafer.interrupted())),
            None => Ok(true),
        }
    }

    /// Passes the state of the host to the wafer.
    pub(super) fn note_host_state(&mut self) {
        let mut state = StateHash::new(self.wafer.now());
        state.add(self.stream_state());
        // The words of a host stream are in flight in many places.
        if !self.ports.are_done() {
            state.add(self.wafer.now());
        }
        self.wafer.note_host(state.finish());
    }
}

/// Whether this is what tells a name from an equal one.
fn is_number(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(" (")
}

/// A candidate in words.
fn name(tile: &TileImage, candidate: Candidate) -> String {
    let task = |id: TaskId, kind: TaskKind| match tile
        .tasks
        .iter()
        .find(|task| (task.id, task.kind) == (id, kind))
    {
        Some(task) => format!("task {}", task.name),
        None => format!("task {id}"),
    };
    match candidate {
        Candidate::Local(id) => task(id, TaskKind::Local),
        Candidate::Wavelet { id, kind, .. } => task(id, kind),
        Candidate::Launch(function) => format!("launch of {}", tile.functions[function.0 as usize].name),
        Candidate::Turns => "turns".to_string(),
        Candidate::Thread(8) => "main thread".to_string(),
        Candidate::Thread(number) => format!("microthread {number}"),
    }
}
