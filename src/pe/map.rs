//! `@map`: iterates over operands, while ordinary code computes the elements.

use super::fabric_operands::{FabInOperand, FabOutOperand};
use super::main_thread::Served;
use super::queue::SendOperation;
use super::registers::Use;
use super::stall::Stall;
use super::trace_buffer::TraceBuffer;
use super::vector_unit::{BoundsCheck, VectorUnit};
use crate::arch::{Color, DsrId};
use crate::diagnostics::rules::dsd::{MAP_FIFO, MAP_OPERAND};
use crate::diagnostics::{At, Diag};
use crate::dsd::access::AddressCursor;
use crate::dsd::footprint::Footprint;
use crate::dsd::{Dsd, ENDLESS};
use crate::exec::memory::{load, store};
use crate::exec::vector::map::{MapInput, MapIterations};
use crate::image::code::{Access, DsdOperand, DsdRef, Reg, Target, word_of};
use crate::source::Span;

/// A map that has not ended.
#[derive(Clone, Debug)]
pub(super) struct MapState {
    inputs: Vec<Side>,
    output: Option<Side>,
    /// Number of elements; `None` if there is no end.
    of: Option<u32>,
}

impl MapState {
    fn left(&self) -> Option<u32> {
        self.inputs.iter().chain(&self.output).filter_map(|side| side.left).min()
    }

    /// What the scalar loop needs to read and write the elements itself; empty unless all operands are
    /// scalars, or lines whose elements are all in bounds.
    pub fn iterations(&self) -> MapIterations {
        let Some(count) = self.of else { return MapIterations::default() };
        let line = |side: &Side| match &side.place {
            MapOperand::AddressCursor(cursor) if !side.kind.is_byte() => cursor.whole_line(count),
            MapOperand::AddressCursor(_) | MapOperand::Value(_) | MapOperand::In(_) | MapOperand::Out(_) => {
                None
            }
        };
        let input = |side: &Side| match &side.place {
            MapOperand::Value(value) => Some(MapInput::Value(*value)),
            _ => Some(MapInput::Line(line(side)?, side.kind)),
        };
        let Some(inputs) = self.inputs.iter().map(input).collect() else { return MapIterations::default() };
        match &self.output {
            // The PE writes a scalar output itself, because it must mark the words as having a value.
            None | Some(Side { place: MapOperand::Value(_), .. }) => {
                MapIterations::new(inputs, None, count as usize)
            }
            Some(output) => match line(output) {
                Some(row) => MapIterations::new(inputs, Some((row, output.kind)), count as usize),
                None => MapIterations::default(),
            },
        }
    }

    /// Accounts for elements that the scalar loop has processed itself.
    pub fn pass(&mut self, elements: usize) {
        for side in self.inputs.iter_mut().chain(&mut self.output).filter(|_| elements > 0) {
            side.left = side.left.map(|left| left - elements as u32);
            if let MapOperand::AddressCursor(cursor) = &mut side.place
                && let Some(row) = cursor.whole_line(elements as u32)
            {
                cursor.pass(&row);
            }
        }
    }
}

/// An input or the output.
#[derive(Clone, Debug)]
struct Side {
    place: MapOperand,
    kind: Access,
    /// Elements left; scalars never end.
    left: Option<u32>,
    saved: Option<DsrId>,
}

#[derive(Clone, Debug)]
enum MapOperand {
    /// An argument, or the address of the scalar that takes the result.
    Value(u64),
    AddressCursor(AddressCursor),
    In(FabInOperand),
    Out(FabOutOperand),
}

impl VectorUnit<'_> {
    /// Starts the iteration of `tile.maps[n]`.
    pub fn map_begin(
        &mut self,
        n: u32,
        maps: &mut Vec<MapState>,
        trace: Option<&mut TraceBuffer>,
        now: u64,
    ) -> Result<(), Diag> {
        let map = &self.tile.maps[n as usize];
        let inputs = map.inputs.iter().map(|(operand, kind)| self.input_side(*operand, *kind));
        let inputs = inputs.collect::<Result<Vec<_>, _>>().at(map.span)?;
        let output = map.output.map(|(operand, kind)| self.output_side(operand, kind));
        let output = output.transpose().at(map.span)?;
        self.checks.check_map(inputs.iter().filter_map(|side| side.left), map.span)?;
        if let Some(Side { place: MapOperand::Out(fabout), .. }) = &output {
            let sender = SendOperation { color: fabout.color, span: map.span, is_async: false };
            self.queues.outputs[fabout.output].sent_by = Some(sender);
        }
        let mut state = MapState { inputs, output, of: None };
        state.of = state.left();
        if let Some(count) = state.of {
            let sides = state.output.iter_mut().map(|side| (0, side)).chain((1..).zip(&mut state.inputs));
            let cursors = sides.filter_map(|(operand, side)| match &mut side.place {
                MapOperand::AddressCursor(cursor) => Some((operand, cursor)),
                MapOperand::Value(_) | MapOperand::In(_) | MapOperand::Out(_) => None,
            });
            let asked = BoundsCheck { elements: 0..count, runs_now: false, clears: false, span: map.span };
            self.check_reach(cursors, &asked)?;
        }
        if self.races.is_on {
            self.check_sides(&state, map.span)?;
        }
        let sides = state.inputs.iter().chain(&state.output);
        let colors = sides.filter_map(|side| self.color_of(side)).fold(0, |all, color| all | 1 << color.0);
        if let Some(trace) = trace {
            trace.map_start(state.of, colors, map.span, now);
        }
        maps.push(state);
        Ok(())
    }

    /// Looks for races of the operands of a map.
    #[cold]
    fn check_sides(&mut self, map: &MapState, span: Span) -> Result<(), Diag> {
        let sides = map.inputs.iter().map(|side| (side, false));
        if let Some(Side { place: MapOperand::Value(address), kind, .. }) = &map.output {
            let word = word_of(*address as u16 as usize);
            self.check_access(&Footprint::words(word, kind.words().into()), true, None, span)?;
        }
        for (side, is_write) in sides.chain(map.output.iter().map(|side| (side, true))) {
            if let MapOperand::AddressCursor(cursor) = &side.place
                && let Some(words) = Footprint::new(cursor, map.of.unwrap_or(u32::MAX).min(cursor.elements()))
            {
                self.check_access(&words, is_write, None, span)?;
            }
        }
        Ok(())
    }

    fn color_of(&self, side: &Side) -> Option<Color> {
        match &side.place {
            MapOperand::In(fabin) => Some(self.queues.inputs[fabin.input].color),
            MapOperand::Out(fabout) => Some(fabout.color),
            MapOperand::Value(_) | MapOperand::AddressCursor(_) => None,
        }
    }

    /// Checks the direction of an input: memory may hold another DSD than the type of the variable says.
    fn input_side(&mut self, operand: DsdOperand, kind: Access) -> Result<Side, Diag> {
        let side = self.side(operand, kind)?;
        match (&side.place, operand) {
            (MapOperand::Out(_), DsdOperand::Dsd(dsd)) => {
                let diag = MAP_OPERAND.because(&[("dsd", &"fabout_dsd"), ("position", &"input")]);
                let help = "copy a DSD by assignment, not through a pointer of another type";
                Err(self.registers.loaded_here(dsd, diag.help(help)))
            }
            _ => Ok(side),
        }
    }

    /// Checks the direction of the output: a dsr_src0 may be a destination, and only now is it known what it
    /// holds.
    fn output_side(&mut self, operand: DsdOperand, kind: Access) -> Result<Side, Diag> {
        let side = self.side(operand, kind)?;
        match (&side.place, operand) {
            (MapOperand::In(_), DsdOperand::Dsd(dsd)) => {
                let diag = MAP_OPERAND.because(&[("dsd", &"fabin_dsd"), ("position", &"output")]);
                let help = "a fabin_dsd receives: write to memory or to a fabout_dsd";
                Err(self.registers.loaded_here(dsd, diag.help(help)))
            }
            _ => Ok(side),
        }
    }

    fn side(&mut self, operand: DsdOperand, kind: Access) -> Result<Side, Diag> {
        let dsd = match operand {
            DsdOperand::Dsd(dsd) => dsd,
            DsdOperand::Nowhere => unreachable!("`@map` puts its results somewhere"),
            DsdOperand::Scalar(reg) | DsdOperand::Pointer(reg) => {
                let place = MapOperand::Value(self.main.register(reg));
                return Ok(Side { place, kind, left: None, saved: None });
            }
        };
        let resolved = self.operand(dsd, Use::Map)?;
        let extent = |extent: u16| (extent != ENDLESS).then_some(u32::from(extent));
        let words = kind.words();
        let (place, left) = match &resolved.dsd {
            Dsd::Mem(mem) => {
                (MapOperand::AddressCursor(self.cursor(mem, resolved.at, words, None)?), Some(mem.length()))
            }
            Dsd::FabIn(fabin) => (MapOperand::In(self.fabin(fabin, words)?), extent(fabin.extent)),
            Dsd::FabOut(fabout) => {
                (MapOperand::Out(self.fabout(fabout, words, None)?), extent(fabout.extent))
            }
            Dsd::Fifo(_) => match dsd {
                DsdRef::Dsr(dsr) => return Err(self.registers.get(dsr)?.fifo_in_map()),
                DsdRef::Const(_) | DsdRef::At(..) => return Err(MAP_FIFO.plain()),
            },
        };
        Ok(Side { place, kind, left, saved: resolved.saved })
    }

    /// Loads the next element of every input into `base..`.
    pub fn map_next(
        &mut self,
        map: &mut MapState,
        base: Reg,
        done: Target,
        (now, cycles): (u64, u64),
        ran_ahead: bool,
    ) -> Result<Served, Diag> {
        if map.inputs.iter().chain(&map.output).any(|side| side.left == Some(0)) {
            return Ok(Served::Jump(done, cycles));
        }
        for side in &map.inputs {
            if let MapOperand::In(fabin) = &side.place {
                if ran_ahead {
                    return Ok(Served::Later);
                }
                if fabin.half.is_none() && self.queues.inputs[fabin.input].head().is_none() {
                    return Ok(Served::Retry(Stall::Input(fabin.input)));
                }
            }
        }
        for (k, side) in map.inputs.iter_mut().enumerate() {
            let value = match &mut side.place {
                MapOperand::Value(value) => *value,
                MapOperand::AddressCursor(cursor) => {
                    let at = cursor.next_element().map_err(|c| self.blame_operand(c, k + 1, cursor))?;
                    load(self.memory.words(), at, side.kind)?
                }
                MapOperand::In(fabin) => extended(fabin.take(self.queues, now), side.kind),
                MapOperand::Out(_) => unreachable!("`input_side` lets nobody read from a fabout DSD"),
            };
            side.left = side.left.map(|left| left - 1);
            self.main.set_register(base + k as Reg, value);
        }
        Ok(Served::Done(cycles))
    }

    /// Adds to a diagnostic which operand has left its variable, and where its DSD was made.
    #[cold]
    fn blame_operand(&self, diag: Diag, operand: usize, cursor: &AddressCursor) -> Diag {
        self.reach().explain(diag, std::iter::once((operand, cursor)), 0..cursor.elements())
    }

    /// Writes a result.
    pub fn map_put(
        &mut self,
        map: &mut MapState,
        s: Reg,
        time: (u64, u64),
        ran_ahead: bool,
    ) -> Result<Served, Diag> {
        let value = self.main.register(s);
        let output = map.output.as_mut().expect("only maps with an output put");
        self.write_output(output, value, time, ran_ahead)
    }

    fn write_output(
        &mut self,
        output: &mut Side,
        value: u64,
        (now, cycles): (u64, u64),
        ran_ahead: bool,
    ) -> Result<Served, Diag> {
        match &mut output.place {
            MapOperand::Value(address) => {
                let at = *address as u16 as usize;
                let word = if output.kind.is_byte() { word_of(at) } else { at };
                self.memory.reach(word + usize::from(output.kind.words()));
                self.sanitizer.give_value(word, output.kind.words().into());
                store(self.memory.words_mut(), at, output.kind, value)?;
            }
            MapOperand::AddressCursor(cursor) => {
                let at = cursor.next_element().map_err(|c| self.blame_operand(c, 0, cursor))?;
                store(self.memory.words_mut(), at, output.kind, value)?
            }
            MapOperand::Out(_) if ran_ahead => return Ok(Served::Later),
            MapOperand::Out(fabout) if self.queues.outputs[fabout.output].space() == 0 => {
                return Ok(Served::Retry(Stall::Output(fabout.output)));
            }
            MapOperand::Out(fabout) => {
                let is_last = output.left == Some(1);
                fabout.put(value as u32, is_last, self.queues, now);
            }
            MapOperand::In(_) => unreachable!("`output_side` lets nobody write to a fabin DSD"),
        }
        output.left = output.left.map(|left| left - 1);
        Ok(Served::Done(cycles))
    }

    /// Ends the iteration.
    pub fn map_end(&mut self, map: &MapState, trace: Option<&mut TraceBuffer>, now: u64) {
        let left = map.left().unwrap_or(0);
        if let Some(trace) = trace {
            trace.map_end(map.of.map_or(0, |of| of - left), now);
        }
        for side in map.inputs.iter().chain(&map.output) {
            if let (Some(dsr), MapOperand::AddressCursor(cursor)) = (side.saved, &side.place) {
                self.registers.save_position(dsr, cursor.position());
            }
        }
    }
}

/// An element of the fabric as a register holds it.
fn extended(bits: u32, kind: Access) -> u64 {
    match kind {
        Access::S16 => bits as i16 as u64,
        Access::S32 => bits as i32 as u64,
        Access::S8 => bits as i8 as u64,
        Access::U8 => (bits as u8).into(),
        Access::U16 | Access::U32 | Access::W64 => bits.into(),
    }
}
