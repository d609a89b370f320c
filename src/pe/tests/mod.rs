//! Small hand-made tiles on one PE.

mod code;
mod sends;
mod streams;
mod vectors;

use super::*;
use crate::arch::{ArchName, Color, InQueue, OutQueue, PeCoord, TaskId};
use crate::diagnostics::Diag;
use crate::dsd::{Dsd, FabIn, FabOut, Mem, MemKind, Priority, Simd};
use crate::exec::PreparedTile;
use crate::exec::memory::Memory;
use crate::fabric::{Ramp, Wavelet};
use crate::image::code::{DsdOperand, Op, VectorOp};
use crate::image::{FnId, Function, QueueBinding, TaskBinding, TaskKind, TileImage};
use crate::source::{FileId, Span};
use std::sync::Arc;

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn function(name: &str, params: u16, consts: &[u64], code: Vec<Op>) -> Function {
    Function {
        name: name.to_string(),
        span: span(),
        params,
        consts: consts.to_vec(),
        registers: 32,
        frame_words: 0,
        locals: Vec::new().into(),
        spans: vec![span(); code.len()].into(),
        code: code.into(),
    }
}

fn task(kind: TaskKind, id: u8, function: u32, params: &[crate::image::Scalar]) -> TaskBinding {
    TaskBinding {
        id: TaskId(id),
        kind,
        function: FnId(function),
        params: params.to_vec(),
        name: format!("task {id}"),
        span: span(),
    }
}

fn line(base: u16, count: u16) -> Dsd {
    Dsd::Mem(Mem {
        kind: MemKind::Mem1d,
        base,
        dims: 1,
        extent: [count, 1, 1, 1],
        step: [1, 0, 0, 0],
        index_offset: false,
        lo: 0,
        hi: 0x6000,
        has_soft_bounds: false,
        wrap: 0,
        origin: 0,
    })
}

fn fabin(color: u8, queue: u8, extent: u16) -> FabIn {
    FabIn {
        color: Some(Color(color)),
        queue: Some(InQueue(queue)),
        extent,
        control_transform: false,
        simd: Simd::Off,
        priority: Priority::Low,
    }
}

pub(super) fn fabout(color: u8, queue: u8, extent: u16) -> FabOut {
    FabOut {
        color: Some(Color(color)),
        queue: Some(OutQueue(queue)),
        extent,
        control: false,
        index_offset: false,
        advance_switch: false,
        control_transform: false,
        zero: None,
        simd: Simd::Off,
        priority: Priority::Low,
    }
}

fn in_queue(queue: u8, color: u8) -> QueueBinding<InQueue> {
    QueueBinding {
        queue: InQueue(queue),
        color: Color(color),
        priority: Priority::Low,
        explicit: true,
        span: span(),
    }
}

fn vector(name: &str, dest: DsdOperand, sources: &[DsdOperand]) -> VectorOp {
    VectorOp {
        op: crate::dsd::ops::lookup(name).unwrap(),
        dest,
        sources: sources.to_vec(),
        config: Default::default(),
        index: None,
        result: None,
        span: span(),
    }
}

/// A ramp that takes everything, or nothing.
#[derive(Default)]
struct RampSink {
    sent: Vec<(u64, Color, Wavelet)>,
    is_full: bool,
    now: u64,
    /// Colors whose switch was to advance, each with how many wavelets had been sent before.
    advanced: Vec<(Color, usize)>,
}

impl Ramp for RampSink {
    fn send(&mut self, color: Color, wavelet: Wavelet) -> Result<(), Wavelet> {
        if self.is_full {
            return Err(wavelet);
        }
        self.sent.push((self.now, color, wavelet));
        Ok(())
    }

    fn send_at(&mut self, _: Color, _: Wavelet, _: u64) -> bool {
        false
    }

    fn is_routed(&self, _: Color) -> bool {
        true
    }

    fn advance_switch(&mut self, color: Color) {
        self.advanced.push((color, self.sent.len()));
    }

    fn address_message(&mut self, _to: PeCoord, _length: u16) {}

    fn origin(&self, _: Color, _: usize) -> Option<crate::profile::Origin> {
        None
    }

    fn config(&mut self, _addr: u16) -> Option<u16> {
        None
    }

    fn set_config(&mut self, _addr: u16, _value: u16) -> bool {
        false
    }
}

/// A PE with what surrounds it.
struct PeBench {
    pe: Pe,
    sink: RampSink,
    log: PeLog,
    worker: Worker,
    now: u64,
}

impl PeBench {
    fn new(arch: ArchName, tile: TileImage) -> PeBench {
        let mut options = PeOptions::default();
        // What only warns must stop the run, so that a test can name it.
        options
            .levels
            .choose_flags(
                "-D division-overflow,length-mismatch,outside-array,outside-variable,unset-variable",
            )
            .expect("rules with a level");
        let pe = Pe::new(
            PeCoord { x: 1, y: 2 },
            arch.numbers(),
            Arc::new(PreparedTile::new(Arc::new(tile), Arc::default())),
            options,
        );
        PeBench { pe, sink: RampSink::default(), log: PeLog::default(), worker: Worker::default(), now: 0 }
    }

    /// Runs until only an event could change something; returns the last cycle.
    fn settle(&mut self) -> Result<u64, Diag> {
        loop {
            self.sink.now = self.now;
            match self.pe.cycle(self.now, &mut self.sink, &mut self.log, &mut self.worker)? {
                Wake::At(cycle) => self.now = cycle,
                Wake::OnEvent => return Ok(self.now),
            }
        }
    }

    fn run(&mut self) {
        self.settle().unwrap();
    }

    /// What the run complains about.
    fn rule(&mut self) -> String {
        self.settle().unwrap_err().rule().to_string()
    }

    fn deliver(&mut self, color: u8, words: &[u32]) {
        for word in words {
            let wavelet = Wavelet { data: *word, control: false };
            assert!(self.pe.deliver(self.now, Color(color), wavelet).is_some(), "no room for {word}");
            self.run();
        }
    }

    fn control(&mut self, color: u8, word: u32) {
        self.pe.deliver(self.now, Color(color), Wavelet { data: word, control: true });
        self.run();
    }

    fn memory(&self, at: usize, count: usize) -> &[u16] {
        let words = self.pe.memory().words();
        // What nobody has reached is zero.
        words.get(at..at + count).unwrap_or(&[0; 64][..count])
    }

    fn sent(&self) -> Vec<u32> {
        self.sink.sent.iter().map(|(_, _, wavelet)| wavelet.data).collect()
    }
}

impl Pe {
    /// Colors that the router has refused in the last cycle, bit = color.
    pub fn refused(&self) -> u32 {
        self.queues.refused
    }

    /// Whether nothing runs, waits in a microthread, or wants to leave.
    pub fn is_idle(&self) -> bool {
        self.main.is_free()
            && self.threads.is_empty()
            && !self.main.has_launches()
            && !self.queues.has_outgoing()
            && self.tasks.state.active & !self.tasks.state.blocked == 0
    }
}

#[test]
fn what_a_visit_looks_at_lies_in_few_lines_of_the_cache() {
    use crate::pe::{main_thread::MainThread, operation::Operation, queues::Queues, threads};
    use std::mem::offset_of;
    const LINE: usize = 64;
    let pe = |at: usize, bytes: usize| (at / LINE, (at + bytes - 1) / LINE);
    assert_eq!(pe(offset_of!(Pe, main), offset_of!(MainThread, calls) + size_of::<Vec<u8>>()), (1, 1));
    assert_eq!(pe(offset_of!(Pe, queues), offset_of!(Queues, inputs) + size_of::<Vec<u8>>()), (3, 3));
    let hot_tasks = size_of::<[u64; 3]>();
    let hot_lanes = size_of::<[u64; 5]>();
    assert_eq!(pe(offset_of!(Pe, threads) - hot_tasks, hot_tasks + hot_lanes), (7, 7));
    let flushing = size_of::<Vec<u8>>();
    assert_eq!(pe(offset_of!(Pe, memory) - flushing, flushing + size_of::<Memory>()), (11, 11));
    assert_eq!(pe(offset_of!(Pe, sanitizer) + size_of::<usize>(), size_of::<[usize; 2]>()), (12, 12));
    assert_eq!(offset_of!(threads::Thread, operation) + offset_of!(Operation, to), LINE);
    assert_eq!(offset_of!(threads::Thread, operation) + offset_of!(Operation, from), 2 * LINE);
    // PEs touch the same lines of their operations at about the same time. The allocator puts these at equal distances,
    // and an odd number of lines spreads them over all sets of a cache.
    assert_eq!(size_of::<threads::Thread>(), 7 * LINE);
    // The next larger block of the allocator has 24 lines, of which every eighth would be in the same sets.
    assert!(size_of::<Pe>() <= 20 * LINE, "{}", size_of::<Pe>());
}
