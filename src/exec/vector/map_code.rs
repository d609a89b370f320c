//! The code of one iteration of an `@map` as a list of steps for many elements at a time: calls are expanded, and
//! every register of the iteration becomes a row of lanes, one lane for each element.
//!
//! In: the image of a tile. Out: [`LaneCode`], or nothing if an iteration does what lanes cannot: it writes through
//! pointers, repeats code, waits, or needs words of its frame.

use crate::arch::Arch;
use crate::exec::cycles::op_cycles;
use crate::image::TileImage;
use crate::image::code::{FnId, Intrinsic, Op, Reg};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::Range;

/// The number of a row of lanes.
pub(crate) type Lane = u16;

/// Elements of a block.
pub(crate) const LANES: usize = 64;
/// Lanes that are computed together.
pub(crate) const GROUP: usize = 8;

/// One number for each element of a block.
pub(crate) type Lanes = [[u64; GROUP]; LANES / GROUP];

/// Most rows of lanes: more would not stay in the cache.
const MOST_LANES: Lane = 96;
/// Most steps: longer code gains little.
const MOST_STEPS: usize = 500;
/// Most calls within each other.
const MOST_CALLS: usize = 8;

/// One step of an iteration.
#[derive(Copy, Clone, Debug)]
pub(crate) struct LaneStep {
    pub action: Action,
    /// Cycles of one element.
    pub cycles: i64,
    reads: [Option<Lane>; 3],
    writes: Option<Lane>,
}

/// What a step does.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Action {
    /// An operation whose registers are rows of lanes, and whose target is a step.
    Run(Op),
    /// A constant of a function that is called.
    Constant { d: Lane, value: u64 },
    /// A function of `<math>`.
    Math { is_half: bool, d: Lane, function: Lane, x: Lane, y: Lane },
    /// Nothing, but it takes time.
    Pass,
    /// The iteration must not get here.
    Leave,
}

/// An operation of an iteration.
#[derive(Copy, Clone, Debug)]
pub(crate) struct LaneOp {
    pub function: FnId,
    pub at: u32,
    /// The step that does it, if steps jump.
    pub step: usize,
}

/// A read through a pointer.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PointerRead {
    /// The address, without the offset.
    pub address: Lane,
    /// In words.
    pub offset: u16,
    pub words: u16,
}

/// One iteration.
#[derive(Debug)]
pub(crate) struct LaneCode {
    /// The function and the place of the `MapNext` in it.
    pub place: (FnId, usize),
    /// The steps. Those of `serial` are done element by element, because each needs what the one before has written.
    pub steps: Vec<LaneStep>,
    pub serial: Range<usize>,
    /// The operations that an iteration runs, in the order of the code.
    pub ops: Vec<LaneOp>,
    /// Whether steps jump; then no memory is written.
    pub branches: bool,
    /// Number of rows of lanes.
    pub lanes: Lane,
    /// The rows of the inputs, and that of the result.
    pub inputs: Vec<Lane>,
    pub result: Option<Lane>,
    /// Rows that hold a register of the calling function, the same for all elements.
    pub uniform: Vec<(Lane, Reg)>,
    /// The words that it reads and writes.
    pub loads: Vec<Range<usize>>,
    pub stores: Vec<Range<usize>>,
    pub pointers: Vec<PointerRead>,
    /// Cycles of an element on the longest path.
    pub most_cycles: i64,
    /// How deep it calls, and one past the last register that it names.
    pub depth: usize,
    pub top: usize,
}

impl LaneCode {
    /// The iteration that begins with the `MapNext` at `next` of a function, with this many inputs; `None` if lanes
    /// cannot do it.
    pub fn new((tile, arch): (&TileImage, &Arch), f: FnId, next: usize, inputs: usize) -> Option<LaneCode> {
        let build = |branches| LaneCodeBuilder::new((tile, arch), (f, next), branches).iteration(inputs);
        build(false).or_else(|| build(true))
    }
}

struct LaneCodeBuilder<'t> {
    tile: &'t TileImage,
    arch: &'t Arch,
    code: LaneCode,
    /// The row of each register that has been named, counted from register 0 of the function with the `@map`.
    known: FxHashMap<usize, Lane>,
    /// The first register that a call may have changed.
    called: usize,
}

impl<'t> LaneCodeBuilder<'t> {
    fn new(
        (tile, arch): (&'t TileImage, &'t Arch),
        place: (FnId, usize),
        branches: bool,
    ) -> LaneCodeBuilder<'t> {
        let code = LaneCode {
            place,
            branches,
            steps: Vec::new(),
            serial: 0..0,
            ops: Vec::new(),
            lanes: 0,
            inputs: Vec::new(),
            result: None,
            uniform: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
            pointers: Vec::new(),
            most_cycles: 0,
            depth: 0,
            top: 0,
        };
        LaneCodeBuilder { tile, arch, code, known: FxHashMap::default(), called: usize::MAX }
    }

    fn iteration(mut self, inputs: usize) -> Option<LaneCode> {
        let (f, next) = self.code.place;
        let code = &self.tile.functions[f.0 as usize].code;
        let Op::MapNext { base, done, .. } = *code.get(next)? else { return None };
        let end = (done as usize).checked_sub(1)?;
        if code.get(end) != Some(&Op::Jump { to: next as u32 }) {
            return None;
        }
        for k in 0..inputs {
            let lane = self.write(usize::from(base) + k)?;
            self.code.inputs.push(lane);
        }
        let cycles = op_cycles(&self.tile.functions[f.0 as usize], &self.arch.costs);
        // The beginning of the iteration, and the jump back.
        self.code.ops.push(LaneOp { function: f, at: next as u32, step: 0 });
        self.pass((cycles[next] + cycles[end]).into());
        self.body((f, code, &cycles), next + 1..end, (0, 0))?;
        self.code.ops.push(LaneOp { function: f, at: end as u32, step: 0 });
        let mut code = self.code;
        code.most_cycles = code.steps.iter().map(|step| step.cycles).sum();
        if code.branches { code.is_written_before_read().then_some(code) } else { code.in_groups() }
    }

    /// The operations of a function whose register 0 is `base`, `depth` calls below the `@map`.
    fn body(
        &mut self,
        (function, code, op_cycles): (FnId, &[Op], &[u32]),
        range: Range<usize>,
        (base, depth): (usize, usize),
    ) -> Option<()> {
        let (mut starts, mut jumps) = (Vec::new(), Vec::new());
        for at in range.clone() {
            starts.push(self.code.steps.len());
            self.code.ops.push(LaneOp { function, at: at as u32, step: self.code.steps.len() });
            let mut op = code[at];
            let cycles = i64::from(op_cycles[at]);
            match op {
                Op::Ret if depth == 0 => return None,
                Op::Ret if !self.code.branches => {
                    self.pass(cycles);
                    return Some(());
                }
                Op::Ret => {
                    jumps.push((self.code.steps.len(), range.end));
                    self.step(Action::Run(Op::Jump { to: 0 }), cycles, [None; 3], None)?;
                }
                Op::Trap { .. } if self.code.branches => {
                    self.step(Action::Leave, 0, [None; 3], None)?;
                }
                Op::Call { f, base: window } => {
                    self.pass(cycles);
                    self.call(f, base + usize::from(window), depth + 1)?;
                }
                Op::MapPut { s, .. } if depth == 0 && at + 1 == range.end => {
                    self.code.result = Some(self.read(base + usize::from(s), true)?);
                    self.pass(cycles);
                }
                Op::Intrinsic { id, base: first } => {
                    self.math(id, base + usize::from(first), (depth, cycles))?
                }
                _ => {
                    if let Some(to) = op.target_mut() {
                        let to = *to as usize;
                        let is_forward = to > at && to <= range.end;
                        (is_forward && self.code.branches).then_some(())?;
                        jumps.push((self.code.steps.len(), to));
                    }
                    self.operation(op, base, (depth, cycles))?;
                }
            }
        }
        starts.push(self.code.steps.len());
        for (step, to) in jumps {
            let Action::Run(op) = &mut self.code.steps[step].action else { continue };
            *op.target_mut()? = starts[to - range.start] as u32;
        }
        Some(())
    }

    fn call(&mut self, f: FnId, base: usize, depth: usize) -> Option<()> {
        let function = &self.tile.functions[f.0 as usize];
        if depth > MOST_CALLS || function.frame_words > 0 {
            return None;
        }
        self.code.depth = self.code.depth.max(depth);
        self.called = self.called.min(base);
        self.code.top = self.code.top.max(base + usize::from(function.registers));
        let params = base + usize::from(function.params);
        // What other calls left in these registers is none of its business.
        self.known.retain(|register, _| *register < params);
        for (value, register) in function.consts.iter().zip(params..) {
            let d = self.write(register)?;
            self.step(Action::Constant { d, value: *value }, 0, [None; 3], Some(d))?;
        }
        let cycles = op_cycles(function, &self.arch.costs);
        self.body((f, &function.code, &cycles), 0..function.code.len(), (base, depth))
    }

    fn math(&mut self, id: Intrinsic, first: usize, (depth, cycles): (usize, i64)) -> Option<()> {
        let is_half = match id {
            Intrinsic::Math32 => false,
            Intrinsic::Math16 => true,
            _ => return None,
        };
        let mut argument = |k| self.read(first + k, depth == 0);
        let (function, x, y) = (argument(0)?, argument(1)?, argument(2)?);
        let d = self.write(first)?;
        let action = Action::Math { is_half, d, function, x, y };
        self.step(action, cycles, [Some(function), Some(x), Some(y)], Some(d))
    }

    /// Any other operation; `None` if lanes cannot do it.
    fn operation(&mut self, mut op: Op, base: usize, (depth, cycles): (usize, i64)) -> Option<()> {
        self.note_memory(op)?;
        let dest = dest_of(&mut op).map(|d| base + usize::from(std::mem::replace(d, NOWHERE)));
        let reads = self.renumber(&mut op, base, depth)?;
        if let Op::Load { a, off, kind, .. } = op {
            self.code.pointers.push(PointerRead { address: a, offset: off, words: kind.words() });
        }
        let writes = match dest {
            Some(register) => Some(self.write(register)?),
            None => None,
        };
        if let (Some(lane), Some(d)) = (writes, dest_of(&mut op)) {
            *d = lane;
        }
        self.step(Action::Run(op), cycles, reads, writes)
    }

    /// Notes the words that an operation reads or writes; `None` if lanes cannot do the operation.
    fn note_memory(&mut self, mut op: Op) -> Option<()> {
        let words = |at: u16, count: u16| usize::from(at)..usize::from(at) + usize::from(count);
        match op {
            Op::LoadAt { kind, .. }
            | Op::StoreAt { kind, .. }
            | Op::LoadElem { kind, .. }
            | Op::Load { kind, .. }
                if kind.is_byte() =>
            {
                return None;
            }
            Op::LoadAt { addr, kind, .. } => self.code.loads.push(words(addr, kind.words())),
            Op::LoadElem { base, len, kind, .. } => {
                self.code.loads.push(words(base, len.checked_mul(kind.words())?));
            }
            Op::StoreAt { addr, kind, .. } if !self.code.branches => {
                self.code.stores.push(words(addr, kind.words()));
            }
            Op::Element { .. } | Op::Frame { .. } => return None,
            Op::Unset { .. } | Op::CheckSet { .. } => {}
            _ => {
                let computes_or_jumps = op.target_mut().is_some() || op.dest_mut().is_some();
                computes_or_jumps.then_some(())?;
            }
        }
        Some(())
    }

    /// Puts rows in the place of the registers that an operation reads, and returns them.
    fn renumber(&mut self, op: &mut Op, base: usize, depth: usize) -> Option<[Option<Lane>; 3]> {
        let state = RefCell::new((self, [None; 3], 0, true));
        op.map_registers(|reg| {
            let (builder, reads, count, known) = &mut *state.borrow_mut();
            if reg == NOWHERE {
                return reg;
            }
            let lane = builder.read(base + usize::from(reg), depth == 0);
            *known &= lane.is_some();
            reads[*count] = lane;
            *count += 1;
            lane.unwrap_or(0)
        });
        let (_, reads, _, known) = state.into_inner();
        known.then_some(reads)
    }

    /// The row of a register that is read.
    fn read(&mut self, register: usize, is_of_caller: bool) -> Option<Lane> {
        if let Some(lane) = self.known.get(&register) {
            return Some(*lane);
        }
        // Only the function with the `@map` has registers from before.
        let reg = Reg::try_from(register).ok().filter(|_| is_of_caller && register < self.called)?;
        let lane = self.fresh()?;
        self.known.insert(register, lane);
        self.code.uniform.push((lane, reg));
        Some(lane)
    }

    /// The row of a register that is written.
    fn write(&mut self, register: usize) -> Option<Lane> {
        let before = self.known.get(&register).copied();
        // What one iteration leaves for the next is in no row.
        if self.code.uniform.iter().any(|(lane, _)| Some(*lane) == before) {
            return None;
        }
        self.code.top = self.code.top.max(register + 1);
        // Without jumps each value has a row of its own, so that steps can be put into another order.
        let lane = match before {
            Some(lane) if self.code.branches => lane,
            Some(_) | None => self.fresh()?,
        };
        self.known.insert(register, lane);
        Some(lane)
    }

    fn fresh(&mut self) -> Option<Lane> {
        self.code.lanes += 1;
        (self.code.lanes <= MOST_LANES).then_some(self.code.lanes - 1)
    }

    fn pass(&mut self, cycles: i64) {
        self.code.steps.push(LaneStep { action: Action::Pass, cycles, reads: [None; 3], writes: None });
    }

    fn step(
        &mut self,
        action: Action,
        cycles: i64,
        reads: [Option<Lane>; 3],
        writes: Option<Lane>,
    ) -> Option<()> {
        self.code.steps.push(LaneStep { action, cycles, reads, writes });
        (self.code.steps.len() <= MOST_STEPS).then_some(())
    }
}

/// Stands for a destination while sources are renumbered.
const NOWHERE: Reg = Reg::MAX;

/// The register that an operation sets.
fn dest_of(op: &mut Op) -> Option<&mut Reg> {
    match op {
        Op::Unset { d, .. } => Some(d),
        other => other.dest_mut(),
    }
}

/// Whether two ranges have a word in common.
pub(crate) fn meet(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

impl LaneCode {
    /// Whether each row is written on all paths to where it is read.
    fn is_written_before_read(&self) -> bool {
        let bit = |lane: Lane| 1u128 << lane;
        let given = self.inputs.iter().chain(self.uniform.iter().map(|(lane, _)| lane));
        let mut written = vec![u128::MAX; self.steps.len() + 1];
        written[0] = given.fold(0, |all, lane| all | bit(*lane));
        for (at, step) in self.steps.iter().enumerate() {
            if step.reads.iter().flatten().any(|lane| written[at] & bit(*lane) == 0) {
                return false;
            }
            let after = step.writes.map_or(written[at], |lane| written[at] | bit(lane));
            let mut ends = matches!(step.action, Action::Leave);
            if let Action::Run(mut op) = step.action
                && let Some(to) = op.target_mut()
            {
                written[*to as usize] &= after;
                ends = matches!(op, Op::Jump { .. });
            }
            if !ends {
                written[at + 1] &= after;
            }
        }
        self.result.is_none_or(|lane| written[self.steps.len()] & bit(lane) != 0)
    }

    /// Puts the steps in order: first those that do not depend on what the element before has written, then those
    /// that do and on which the next element depends, at last the rest.
    fn in_groups(mut self) -> Option<LaneCode> {
        self.steps.retain(|step| !matches!(step.action, Action::Pass));
        let stores = &self.stores;
        let is_written = |range: &Range<usize>| stores.iter().any(|store| meet(store, range));
        let mut depends = [false; MOST_LANES as usize];
        let mut needed = [false; MOST_LANES as usize];
        let mut group = vec![0; self.steps.len()];
        for (step, group) in self.steps.iter().zip(&mut group) {
            let is_carried = match step.action {
                Action::Run(Op::LoadAt { addr, kind, .. }) => {
                    is_written(&(addr.into()..usize::from(addr + kind.words())))
                }
                Action::Run(Op::LoadElem { base, len, kind, .. }) => {
                    let end = usize::from(base) + usize::from(len) * usize::from(kind.words());
                    if is_written(&(base.into()..end)) {
                        return None;
                    }
                    false
                }
                _ => false,
            };
            let depends_here = step.reads.iter().flatten().any(|lane| depends[usize::from(*lane)]);
            if let Some(lane) = step.writes {
                depends[usize::from(lane)] = is_carried || depends_here;
            }
            *group = match step.action {
                _ if is_carried => 1,
                Action::Run(Op::StoreAt { .. }) => 1,
                _ => {
                    if depends_here {
                        2
                    } else {
                        0
                    }
                }
            };
        }
        for (step, group) in self.steps.iter().zip(&mut group).rev() {
            let is_store = matches!(step.action, Action::Run(Op::StoreAt { .. }));
            if is_store || step.writes.is_some_and(|lane| needed[usize::from(lane)]) {
                step.reads.iter().flatten().for_each(|lane| needed[usize::from(*lane)] = true);
                *group = (*group).min(1);
            }
        }
        let part = |wanted: u8| {
            let steps = self.steps.iter().zip(&group).filter(move |(_, group)| **group == wanted);
            steps.map(|(step, _)| *step)
        };
        let (before, serial) = (part(0).count(), part(1).count());
        let steps = part(0).chain(part(1)).chain(part(2)).collect();
        self.serial = before..before + serial;
        self.steps = steps;
        Some(self)
    }
}
