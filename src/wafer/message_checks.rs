//! Whether messages of `<message_passing>` fit what they are sent from and received into.

use super::findings::Findings;
use crate::arch::{MESSAGE_WORDS, PeCoord};
use crate::diagnostics::rules::run::{MESSAGE_LENGTH, MESSAGE_TARGET};
use crate::diagnostics::{Diag, Moment};
use crate::fabric::Fabric;
use crate::image::Program;
use crate::pe::{MessageCall, MessageEnd};
use crate::source::{SourceMap, Span};
use std::collections::{BTreeMap, VecDeque};

/// `<message_passing>` calls whose other end has not been seen yet.
#[derive(Clone, Debug, Default)]
pub struct MessageChecks {
    /// Sent, and not handed over, by sender.
    sent: BTreeMap<usize, VecDeque<MessageCall>>,
    /// Handed over, and not received, by receiver.
    arrived: BTreeMap<usize, VecDeque<MessageCall>>,
    /// Waiting for a message, by receiver.
    expected: BTreeMap<usize, VecDeque<MessageCall>>,
}

impl MessageChecks {
    /// Takes note of the calls of a cycle, and of the messages that the fabric has handed over.
    #[inline]
    pub(super) fn step(&mut self, findings: &mut Findings, fabric: &mut Fabric, program: &Program) {
        let calls = findings.take_message_calls();
        if !calls.is_empty() {
            self.note(calls, program).err().into_iter().for_each(|diag| findings.error(diag));
        }
        for (from, to) in fabric.take_handed_over() {
            let paired = self.hand_over(from as usize, to as usize, &program.sources);
            paired.err().into_iter().for_each(|diag| findings.error(diag));
        }
    }

    /// Notes calls; an error about the first one that is wrong.
    fn note(&mut self, mut calls: Vec<MessageCall>, program: &Program) -> Result<(), Diag> {
        calls.sort_by_key(|l| (l.cycle, l.pe.y, l.pe.x));
        for message in calls {
            let pe = program.pe_index(message.pe);
            match message.end {
                MessageEnd::Send { to, length } => {
                    check_sent(&message, to, length, program)?;
                    self.sent.entry(pe).or_default().push_back(message);
                }
                MessageEnd::Receive => {
                    self.expected.entry(pe).or_default().push_back(message);
                    self.pair(pe, &program.sources)?;
                }
            }
        }
        Ok(())
    }

    /// A PE has been handed the oldest message of another one.
    fn hand_over(&mut self, from: usize, to: usize, sources: &SourceMap) -> Result<(), Diag> {
        let sent = self.sent.get_mut(&from).and_then(VecDeque::pop_front);
        self.arrived.entry(to).or_default().extend(sent);
        self.pair(to, sources)
    }

    /// The call of the program that waits for a message.
    pub fn waiting_call(&self, pe: usize, sources: &SourceMap) -> Option<Span> {
        call(self.expected.get(&pe)?.front()?, sources)
    }

    /// The n-th message that a PE is handed goes to its n-th receiving call.
    fn pair(&mut self, pe: usize, sources: &SourceMap) -> Result<(), Diag> {
        let arrived = self.arrived.entry(pe).or_default();
        let expected = self.expected.entry(pe).or_default();
        if arrived.is_empty() || expected.is_empty() {
            return Ok(());
        }
        let (Some(sent), Some(receive)) = (arrived.pop_front(), expected.pop_front()) else { return Ok(()) };
        match sent.end {
            MessageEnd::Send { length, .. } if length > receive.room => {
                Err(too_long(&sent, length, &receive, sources))
            }
            MessageEnd::Send { .. } | MessageEnd::Receive => Ok(()),
        }
    }
}

fn check_sent(sent: &MessageCall, to: PeCoord, length: u16, program: &Program) -> Result<(), Diag> {
    let (width, height) = (program.width, program.height);
    if to.x >= width || to.y >= height {
        let rectangle = format!("{width} x {height}");
        let c = MESSAGE_TARGET.because(&[("pe", &to), ("rectangle", &rectangle)]);
        let help = format!("columns go from 0 to {}, rows from 0 to {}", width - 1, height - 1);
        return Err(place(c, sent, &program.sources).help(help));
    }
    let longest = MESSAGE_WORDS.min(sent.room);
    if length == 0 || length > longest {
        let whose = match sent.room < MESSAGE_WORDS {
            true => format!("its buffer has {}", sent.room),
            false => format!("a message has at most {MESSAGE_WORDS}"),
        };
        let c = MESSAGE_LENGTH.because(&[("length", &length), ("whose", &whose)]);
        return Err(place(c, sent, &program.sources).help(format!("send 1 to {longest} elements")));
    }
    Ok(())
}

fn too_long(sent: &MessageCall, length: u16, receive: &MessageCall, sources: &SourceMap) -> Diag {
    let whose = format!("the receiving buffer has {}", receive.room);
    let c = place(MESSAGE_LENGTH.because(&[("length", &length), ("whose", &whose)]), receive, sources);
    let c = match call(sent, sources) {
        Some(span) => c.also(span, format!("{} sends {length} elements", sent.pe)),
        None => c,
    };
    c.help(format!("receive into an array of {length} elements"))
}

fn place(c: Diag, message: &MessageCall, sources: &SourceMap) -> Diag {
    let c = c.on(Moment { x: message.pe.x, y: message.pe.y, cycle: message.cycle });
    match call(message, sources) {
        Some(span) => c.at(span),
        None => c,
    }
}

/// Where the program calls the library.
fn call(message: &MessageCall, sources: &SourceMap) -> Option<Span> {
    sources.outside_library(&message.calls)
}
