//! A PE whose only business is one end of a stream: it does many cycles at once.

use super::Pe;
use super::operation::{From, Intake, Operation, Outlet, Surroundings, To};
use crate::arch::Color;
use crate::diagnostics::Diag;
use crate::dsd::Simd;
use crate::dsd::access::AddressCursor;
use crate::dsd::local::{Dest, Source};
use crate::fabric::Wavelet;

impl Pe {
    /// In how many of the next cycles it does nothing but send one element on a color.
    pub fn sends_steadily(&self, color: Color, now: u64) -> Option<u64> {
        let operation = self.only_operation()?;
        let To::Fabric(outlet) = &operation.to else { return None };
        let is_local = operation.sources().iter().all(|from| matches!(from, From::Local(_)));
        let fits = is_local && outlet.color == color && outlet.is_steady(now);
        fits.then(|| operation.steady_elements())
    }

    /// In how many of the next cycles it does nothing but take one wavelet of a color, if they come.
    pub fn takes_steadily(&self, color: Color, now: u64) -> Option<u64> {
        let operation = self.only_operation()?;
        let mut intakes = operation.intakes();
        let input = intakes.next().filter(|intake| intake.is_steady(now))?.input;
        let is_only = intakes.next().is_none();
        let is_local = matches!(operation.to, To::Local(_))
            && !operation.sources().iter().any(|from| matches!(from, From::Fifo(_)));
        let count = operation.steady_elements();
        let inbox = &self.queues.inputs[input];
        (is_only && is_local && inbox.color == color && inbox.takes_plain()).then_some(count)
    }

    /// The operation that is alone on this PE, if nothing else can begin by itself.
    fn only_operation(&self) -> Option<&Operation> {
        let main = &self.main;
        let tasks_rest =
            main.is_free() && self.launches.is_empty() && self.tasks.active & !self.tasks.blocked == 0;
        let is_quiet = self.trace_buffer.is_none()
            && !self.duties.has_flushes()
            && !main.is_stalled()
            && (main.waiting || tasks_rest)
            && !self.queues.has_outgoing()
            && self.queues.inputs.iter().all(|inbox| inbox.len() == 0);
        self.threads.only_place().filter(|_| is_quiet)?;
        let (_, thread) = self.threads.iter().next()?;
        thread.stalled.is_none().then_some(&thread.operation)
    }

    /// Sends one element in each of the next cycles.
    pub fn send_steadily(&mut self, now: u64, cycles: u64, words: &mut Vec<Wavelet>) -> Result<(), Diag> {
        self.run_steadily(|operation, around| {
            let output = operation.output().expect("only asked of operations that send");
            for cycle in now..now + cycles {
                around.now = cycle;
                operation.element(around)?;
                words.push(around.queues.outputs[output].take().expect("an element is a wavelet").wavelet());
            }
            Ok(())
        })
    }

    /// Takes one of these words in each of the next cycles.
    pub fn take_steadily(&mut self, now: u64, color: Color, words: &[Wavelet]) -> Result<(), Diag> {
        self.run_steadily(|operation, around| {
            for (cycle, word) in (now..).zip(words) {
                around.now = cycle;
                around.queues.deliver(cycle, color, *word);
                operation.element(around)?;
            }
            Ok(())
        })
    }

    fn run_steadily(
        &mut self,
        run: impl FnOnce(&mut Operation, &mut Surroundings<'_>) -> Result<(), Diag>,
    ) -> Result<(), Diag> {
        let Pe { memory, queues, fifos, tasks, threads, .. } = self;
        let place = threads.only_place().expect("an operation is alone");
        let thread = threads.slot(place).as_mut().expect("only live threads run");
        run(&mut thread.operation, &mut Surroundings { memory, queues, fifos, tasks, now: 0 })
    }
}
