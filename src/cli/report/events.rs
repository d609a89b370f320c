//! Events of a run as the tables of its report.

use super::tables::{MoveTable, Notes, Numbered, QueueTable, SwitchTable, ThreadTable};
use super::{payloads::Payloads, words};
use crate::trace::{CodeLines, Event, EventKind, Names, TaskCause, ThreadId, TracedWavelet};
use crate::{PeCoord, Program, Span};

/// Fills the tables.
pub struct Events<'p> {
    program: &'p Program,
    /// What `text` columns name.
    pub texts: Numbered<String>,
    /// What `span` columns name.
    pub spans: Numbered<Span>,
    /// How wavelets move.
    pub moves: MoveTable,
    /// How many wavelets queues hold.
    pub queues: QueueTable,
    /// How switches move.
    pub switches: SwitchTable,
    /// What the wavelets of each color hold.
    pub payloads: Payloads,
    notes: Vec<(u64, u32, u32)>,
    lines: CodeLines<'p>,
    /// What threads do, not in order yet: the lines of a piece of code are known when it begins.
    rows: Vec<ThreadRow>,
}

/// A row of the table of threads.
struct ThreadRow {
    cycle: u64,
    pe: u32,
    thread: u8,
    what: u8,
    text: i32,
    span: i32,
    on: u8,
}

impl<'p> Events<'p> {
    /// Nothing has happened.
    pub fn new(program: &'p Program) -> Events<'p> {
        Events {
            program,
            texts: Numbered::default(),
            spans: Numbered::default(),
            moves: MoveTable::default(),
            queues: QueueTable::default(),
            switches: SwitchTable::default(),
            payloads: Payloads::default(),
            notes: Vec::new(),
            lines: CodeLines::new(program),
            rows: Vec::new(),
        }
    }

    /// Takes the next event.
    pub fn push(&mut self, event: &Event) {
        let Event { pe, what, .. } = *event;
        let names = Names(self.program);
        match what {
            EventKind::TaskStart { function, cause } => {
                let tile = self.program.tile_at(pe);
                let span = tile.and_then(|t| t.functions.get(function.0 as usize)).map(|f| f.span);
                let name = words::task(names.function(pe, function), cause);
                self.thread(event, ThreadId::Main, 0, Some(name), span);
                if let TaskCause::Wavelet(color) = cause {
                    self.payloads.of_task(color, self.program, pe, function);
                }
            }
            EventKind::TaskEnd { function, .. } => {
                let name = names.function(pe, function).to_string();
                self.thread(event, ThreadId::Main, 1, Some(name), None);
            }
            EventKind::Code { function, from, to } => {
                let lines = self.lines.of(self.program.pe_index(pe), function, from, to);
                for (after, span) in lines {
                    let at = Event { cycle: event.cycle + after, ..*event };
                    self.thread(&at, ThreadId::Main, 6, None, Some(span));
                }
            }
            EventKind::Start(operation) => {
                let name = words::operation(&operation);
                self.thread(event, operation.thread, 2, Some(name), Some(operation.span));
                self.payloads.of_operation(&operation, self.program);
            }
            EventKind::Stall { thread, on } => {
                self.thread(event, thread, 3, Some(names.reason(pe, on)), None);
                self.rows.last_mut().expect("the event has just been added").on = words::wait(on);
            }
            EventKind::Resume { thread, .. } => self.thread(event, thread, 4, None, None),
            EventKind::End { operation, done, .. } => {
                self.thread(event, operation.thread, 5, Some(words::end(&operation, done)), None);
            }
            _ => self.router_event(event),
        }
    }

    /// What happens between threads.
    fn router_event(&mut self, event: &Event) {
        match event.what {
            EventKind::Hop { wavelet, to, .. } => self.moved(event, wavelet, to as u8),
            EventKind::Sent(wavelet) => self.moved(event, wavelet, 5),
            EventKind::Delivered { wavelet, .. } => self.moved(event, wavelet, 6),
            EventKind::FromHost(wavelet) => self.moved(event, wavelet, 7),
            EventKind::ToHost(wavelet) => self.moved(event, wavelet, 8),
            EventKind::Dropped(wavelet) => self.moved(event, wavelet, 9),
            EventKind::Depth { queue, color, depth } => {
                let pe = self.pe(event.pe);
                let table = &mut self.queues;
                table.cycle.push(event.cycle);
                table.pe.push(pe);
                table.queue.push(words::queue(queue, color.0));
                table.color.push(color.0);
                table.depth.push(depth);
            }
            EventKind::Switch { color, position } => {
                let pe = self.pe(event.pe);
                let table = &mut self.switches;
                table.cycle.push(event.cycle);
                table.pe.push(pe);
                table.color.push(color.0);
                table.position.push(position);
                self.note(
                    event.cycle,
                    event.pe,
                    format!("the switch of color {color} moves to position {position}"),
                );
            }
            EventKind::Teardown { color } => {
                self.note(event.cycle, event.pe, format!("color {color} goes into teardown"))
            }
            _ => {}
        }
    }

    fn thread(
        &mut self,
        event: &Event,
        thread: ThreadId,
        what: u8,
        text: Option<String>,
        span: Option<Span>,
    ) {
        let pe = self.pe(event.pe);
        let text = text.map_or(-1, |text| self.texts.number(text) as i32);
        let span = span.map_or(-1, |span| self.spans.number(span) as i32);
        let thread = match thread {
            ThreadId::Main => 0,
            ThreadId::Micro(id) => 1 + id.0,
        };
        self.rows.push(ThreadRow { cycle: event.cycle, pe, thread, what, text, span, on: 0 });
    }

    /// What threads do up to a cycle, in order.
    pub fn threads(&mut self, last: u64) -> ThreadTable {
        self.rows.retain(|row| row.cycle <= last);
        self.rows.sort_by_key(|row| row.cycle);
        let mut table = ThreadTable::default();
        for row in self.rows.drain(..) {
            let ThreadRow { cycle, pe, thread, what, text, span, on } = row;
            table.cycle.push(cycle);
            table.pe.push(pe);
            table.thread.push(thread);
            table.what.push(what);
            table.text.push(text);
            table.span.push(span);
            table.on.push(on);
        }
        table
    }

    fn moved(&mut self, event: &Event, wavelet: TracedWavelet, what: u8) {
        let pe = self.pe(event.pe);
        let table = &mut self.moves;
        table.cycle.push(event.cycle);
        table.pe.push(pe);
        table.what.push(what);
        table.color.push(wavelet.color.0);
        table.data.push(wavelet.data);
        table.control.push(u8::from(wavelet.control));
    }

    /// Something of which there is only a text.
    pub fn note(&mut self, cycle: u64, pe: PeCoord, text: String) {
        let row = (cycle, self.pe(pe), self.texts.number(text));
        self.notes.push(row);
    }

    /// What there is only a text of, in order.
    pub fn notes(&self) -> Notes {
        let mut rows = self.notes.clone();
        rows.sort_by_key(|(cycle, pe, _)| (*cycle, *pe));
        let mut table = Notes::default();
        for (cycle, pe, text) in rows {
            table.cycle.push(cycle);
            table.pe.push(pe);
            table.text.push(text);
        }
        table
    }

    fn pe(&self, at: PeCoord) -> u32 {
        self.program.pe_index(at) as u32
    }
}
