//! Queues whose configuration a program changes while it runs.
//!
//! In: the configuration word of a queue. Out: the color that the queue has from then on.
//! Never: moves a wavelet into the router or out of it.

use super::config::ConfigSpace;
use crate::arch::config::queue::{COLOR, INPUT_PRIORITY, OUTPUT_SHIFT, UNBOUND};
use crate::arch::{Color, InQueue, OutQueue};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{QUEUE_PRIORITY, QUEUE_REBOUND};
use crate::diagnostics::rules::tasks::QUEUE_COLOR_TWICE;
use crate::source::Span;
use std::fmt::Display;

impl ConfigSpace<'_> {
    /// The configuration word of an input queue; `None` if there is no such queue.
    pub fn input_queue_word(&self, queue: u16) -> Option<u16> {
        let priority = *self.configuration.input_priorities.get(usize::from(queue))?;
        (usize::from(queue) < self.arch.input_queue_depth.len()).then(|| {
            let color = self.queues.input_color(InQueue(queue as u8));
            color.map_or(UNBOUND, |c| c.0.into()) | priority
        })
    }

    /// The configuration word of an output queue; `None` if there is no such queue.
    pub fn output_queue_word(&self, queue: u16) -> Option<u16> {
        (usize::from(queue) < self.arch.output_queue_depth.len()).then(|| {
            let color = self.queues.output_color(OutQueue(queue as u8));
            color.map_or(UNBOUND, |c| c.0.into()) << OUTPUT_SHIFT
        })
    }

    /// Writes the configuration word of an input queue; false if there is no such queue or color.
    pub fn configure_input(&mut self, queue: u16, word: u16) -> Result<bool, Diag> {
        let Some(before) = self.input_queue_word(queue) else { return Ok(false) };
        let (number, n) = (word & COLOR, InQueue(queue as u8));
        let color = (number < u16::from(self.arch.routable_colors)).then_some(Color(number as u8));
        if color.is_none() && number != UNBOUND {
            return Ok(false);
        }
        let priority = word & INPUT_PRIORITY;
        if priority != before & INPUT_PRIORITY {
            self.configuration.input_priorities[usize::from(queue)] = priority;
            let c = QUEUE_PRIORITY.because(&[("id", &queue)]);
            self.checks.hazard(c)?;
        }
        let Some(color) = color.filter(|color| self.queues.input_color(n) != Some(*color)) else {
            return Ok(true);
        };
        if self.queues.inputs.iter().any(|i| i.color == color && i.queue.is_some()) {
            return Err(QUEUE_COLOR_TWICE.because(&[("color", &color)]));
        }
        let held = self.queues.bind_input(n, color);
        self.check_rebound(&format!("input queue {queue}"), held, color)?;
        Ok(true)
    }

    /// Writes the configuration word of an output queue; false if there is no such queue or color.
    pub fn configure_output(&mut self, queue: u16, word: u16) -> Result<bool, Diag> {
        let number = word >> OUTPUT_SHIFT & COLOR;
        if self.output_queue_word(queue).is_none() || number >= u16::from(self.arch.routable_colors) {
            return Ok(false);
        }
        let color = Color(number as u8);
        let held = self.queues.bind_output(OutQueue(queue as u8), color);
        self.check_rebound(&format!("output queue {queue}"), held, color)?;
        Ok(true)
    }

    /// Source location of the write to the register: the call of a function of another file, such as one of the
    /// library, or else the access itself.
    fn place_of_write(&self) -> Span {
        let (access, call) = (self.main.place(self.tile), self.main.caller_place(self.tile));
        if access.file == call.file { access } else { call }
    }

    /// A queue must be empty when it gets another color.
    fn check_rebound(
        &mut self,
        queue: &str,
        (held, count): (Option<Color>, usize),
        color: Color,
    ) -> Result<(), Diag> {
        let Some(held) = held.filter(|held| count > 0 && *held != color && self.checks.is_checked) else {
            return Ok(());
        };
        let facts: [(&str, &dyn Display); 4] =
            [("queue", &queue), ("color", &color), ("count", &count), ("held", &held)];
        let c = QUEUE_REBOUND.because(&facts).at(self.place_of_write());
        self.checks.hazard(c)
    }
}
