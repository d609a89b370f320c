//! Copies of a wafer, and wafers under a debugger: each copy goes on as the wafer would.

use super::Wafer;
use super::causes::{Cause, idle_task, send_span};
use super::repetition::wafer_state;
use super::worker_pool::WorkerPool;
use crate::arch::{Color, PeCoord};
use crate::fabric::SwitchState;
use crate::pe::{DebugOrders, Pe};
use crate::source::Span;
use std::sync::Arc;

/// A PE that can send a color to another.
#[derive(Clone, Debug)]
pub struct SenderState {
    /// The PE.
    pub pe: PeCoord,
    /// Wavelets that it has sent.
    pub sent: u64,
    /// An operation that sends them.
    pub span: Option<Span>,
    /// Why it does not come to that operation, where it is known.
    pub cause: Option<Cause>,
}

impl Wafer {
    /// A copy that continues exactly like this one, on one thread. It records nothing, and no choices are prescribed.
    pub fn fork(&self) -> Wafer {
        Wafer {
            program: self.program.clone(),
            pe_array: self.pe_array.clone(),
            bands: self.bands.fork(),
            launches: self.launches.clone(),
            findings: self.findings.clone(),
            pool: WorkerPool::new(1, 1),
            collectives: self.collectives.clone(),
            messages: self.messages.clone(),
            observers: super::Observers::default(),
            repetition: self.repetition.clone(),
            exploration: None,
            repeated: self.repeated.clone(),
            ..*self
        }
    }

    /// From now on PEs obey a debugger; before anything runs, if their history is of interest.
    pub fn debug(&mut self, orders: Arc<DebugOrders>) {
        self.bands.cut(&self.program, 1);
        self.pe_array.debug(orders);
    }

    /// All PEs to which something has happened, to change.
    pub fn made_mut(&mut self) -> impl Iterator<Item = &mut Pe> {
        self.pe_array.made_mut()
    }

    /// The PEs that can send a color to a PE.
    pub fn senders(&self, at: PeCoord, color: Color) -> Vec<SenderState> {
        let pe = self.program.pe_index(at);
        self.bands.look(|fabric| {
            let survey = fabric.survey();
            let state = |sender: usize| {
                let span = send_span(&self.pe_array, sender, color);
                let cause = span.and_then(|span| idle_task(&self.pe_array, sender, span));
                let (pe, sent) = (self.program.pe_coord(sender), survey.sent(sender, color));
                SenderState { pe, sent, span, cause }
            };
            survey.senders(pe, color).into_iter().map(state).collect()
        })
    }

    /// The PE at which the wavelets of a color that a PE sends are held up, and their color there.
    pub fn held_up_at(&self, at: PeCoord, color: Color) -> Option<(PeCoord, Color)> {
        let pe = self.program.pe_index(at);
        let blockage = self.bands.look(|fabric| fabric.survey().blockage(pe, color))?;
        Some((self.program.pe_coord(blockage.pe), blockage.color))
    }

    /// What the router of a PE does with a color now; `None` if it has not met it yet.
    pub fn switch(&self, at: PeCoord, color: Color) -> Option<SwitchState> {
        let pe = self.program.pe_index(at);
        self.bands.look(|fabric| fabric.survey().switch(pe, color))
    }

    /// How many lines and trace records there are.
    pub fn written(&self) -> u64 {
        self.findings.written()
    }

    /// How many different warnings there are.
    pub fn warned(&self) -> usize {
        self.findings.warned()
    }

    /// A hash of everything that decides how the run goes on.
    pub fn state(&self) -> u64 {
        let mut state = wafer_state(self.now, self.findings.written(), (&self.pe_array, true), &self.bands);
        state.add(self.launches.state(self.now));
        state.add_debug(&(self.findings.printed_by_pe(), &self.collectives, &self.messages));
        state.finish()
    }
}
