//! Operations of the code that need the PE as a whole: tasks, DSDs, assertions.

use super::bindings::activated;
use super::checks::Activator;
use super::element::{Environment, Pe};
use super::intrinsics::needs_clock;
use super::main_thread::Served;
use super::map::MapState;
use super::reach::wrong_cast;
use super::vector::LaunchTiming;
use crate::arch::TaskId;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::comptime::INACTIVE_VARIANT;
use crate::diagnostics::rules::run::{ASSERTION_FAILED, TRAP};
use crate::diagnostics::rules::tasks::{CONFIG_OUTSIDE, ID_OUT_OF_RANGE};
use crate::dsd::footprint::Footprint;
use crate::exec::PreparedTile;
use crate::exec::calls::Worker;
use crate::exec::cycles::served_cycles;
use crate::exec::interface::Meter;
use crate::exec::vector::map::{MapIterations, RegisterValues};
use crate::image::TileImage;
use crate::image::code::{Op, Reg};

/// Whether an operation with an effect outside of the PE must wait for the clock. If it need not wait, its
/// effect may give another part of the wafer work, so that the PE is not alone any more.
fn is_too_early(op: &Op, meter: &Meter, worker: &mut Worker) -> bool {
    let is_seen = needs_clock(*op);
    if is_seen {
        worker.alone_until = 0;
    }
    is_seen && meter.spent > 0
}

impl Pe {
    /// Executes an operation that the scalar loop has handed back.
    pub(super) fn service(
        &mut self,
        tile: &PreparedTile,
        op: &Op,
        now: u64,
        meter: &Meter,
        environment: &mut Environment<'_>,
    ) -> Result<Served, Diag> {
        if is_too_early(op, meter, environment.worker) {
            return Ok(Served::Later);
        }
        let time = now + meter.spent;
        self.races.cycle = time;
        if let Op::Vector { n } = *op {
            let timing = LaunchTiming::new(time, meter.spent > 0, environment.worker.unobserved_until);
            return self.start_vector(tile, n, timing, environment.ramp);
        }
        let cycles = served_cycles(*op, &self.arch.costs);
        match *op {
            Op::MapBegin { .. } | Op::MapNext { .. } | Op::MapPut { .. } | Op::MapEnd { .. } => {
                return self.map((*op, cycles), time, meter.spent > 0);
            }
            Op::Intrinsic { id, base } => {
                self.intrinsic(tile, id, base, time, environment)?;
            }
            Op::Assert { a, .. } if self.main.register(a) != 0 => {
                environment.log.asserts_held.insert(self.main.place(tile));
            }
            Op::Assert { text, .. } => {
                let c = ASSERTION_FAILED.because(&[("text", &tile.strings[text as usize])]);
                self.checks.hazard(c.at(self.main.place(tile)))?;
            }
            Op::Trap { text } => return Err(TRAP.because(&[("text", &tile.strings[text as usize])])),
            Op::Zero { a, words } => self.zero(a, words)?,
            Op::UnsetWords { .. }
            | Op::CheckId { .. }
            | Op::CheckVariant { .. }
            | Op::CheckConfig { .. }
            | Op::CheckCast { .. } => self.check(tile, *op)?,
            Op::PutDsd { a, n } => {
                let at = self.main.address(a);
                self.vector_unit().put_dsd(at, &tile.dsds[n as usize])?;
            }
            Op::EditDsd { a, b, edit, origin, .. } => self.vector_unit().edit_dsd((a, b), edit, origin)?,
            Op::LoadDsr { n } => self.load_dsr(&tile.dsr_loads[n as usize])?,
            Op::SetDsrBase { dsr, a } => {
                let (mut unit, threads) = self.vector_unit_and_threads();
                unit.set_dsr_base(dsr, a, threads)?;
            }
            Op::FifoLength { fifo, access, a } => {
                let length = self.main.register(a) as u16;
                self.fifos[usize::from(fifo.0)].set_length(access, length);
            }
            task => self.task_state(tile, task)?,
        }
        Ok(Served::Done(cycles))
    }

    /// Lets the scalar loop do many elements of the innermost `@map` at a time, if its code allows that.
    fn use_lanes(&mut self, n: u32) {
        let (Some(iterations), Some(frame)) = (self.map_iterations.last_mut(), self.main.calls.last()) else {
            return;
        };
        if !iterations.takes() {
            return;
        }
        let place = (frame.function, frame.pc + 1);
        let Some(code) = self.tile.lane_code(n, place, self.arch) else { return };
        if self.main.calls.have_room(code.depth, code.top) {
            let of = &|reg| self.main.register(reg);
            let registers = RegisterValues { of, no_value: self.sanitizer.no_value() };
            let has_output = self.tile.maps[n as usize].output.is_some();
            iterations.use_lanes(code, self.tile.data_end.into(), has_output, registers);
        }
    }

    /// Starts or ends an `@map`, or reads or writes an element of it. `ran_ahead`: the main thread is ahead
    /// of the clock.
    fn map(&mut self, (op, cycles): (Op, u64), time: u64, ran_ahead: bool) -> Result<Served, Diag> {
        match op {
            Op::MapBegin { n } => {
                let mut maps = std::mem::take(&mut self.maps);
                let mut observer = std::mem::take(&mut self.observer);
                let begun = self.vector_unit().map_begin(n, &mut maps, observer.trace(), time);
                (self.maps, self.observer) = (maps, observer);
                begun?;
                let map = self.maps.last().filter(|_| !self.tile.is_plain());
                let iterations = map.map_or_else(MapIterations::default, MapState::iterations);
                self.map_iterations.push(iterations);
                self.use_lanes(n);
            }
            Op::MapNext { base, done, .. } => {
                let mut map = self.maps.pop().expect("a map was begun");
                let served = self.vector_unit().map_next(&mut map, base, done, (time, cycles), ran_ahead);
                self.maps.push(map);
                return served;
            }
            Op::MapPut { s, .. } => {
                let mut map = self.maps.pop().expect("a map was begun");
                let served = self.vector_unit().map_put(&mut map, s, (time, cycles), ran_ahead);
                self.maps.push(map);
                return served;
            }
            Op::MapEnd { .. } => {
                let mut map = self.maps.pop().expect("a map was begun");
                map.pass(self.map_iterations.pop().map_or(0, |iterations| iterations.done()));
                let mut observer = std::mem::take(&mut self.observer);
                self.vector_unit().map_end(&map, observer.trace(), time);
                self.observer = observer;
            }
            other => unreachable!("{other:?} is no part of a map"),
        }
        Ok(Served::Done(cycles))
    }

    /// Operations that only check for undefined behaviour, or record data for such checks; they take no time.
    fn check(&mut self, tile: &TileImage, op: Op) -> Result<(), Diag> {
        match op {
            Op::CheckId { a, low, high, what } => {
                let id = self.main.register(a);
                if self.checks.is_checked && !(u64::from(low)..=u64::from(high)).contains(&id) {
                    let facts: [(&str, &dyn std::fmt::Display); 4] = [
                        ("kind", &tile.strings[what as usize]),
                        ("value", &id),
                        ("low", &low),
                        ("high", &high),
                    ];
                    return Err(ID_OUT_OF_RANGE
                        .because(&facts)
                        .for_good()
                        .help("the number is computed while the program runs: check it first"));
                }
            }
            Op::UnsetWords { a, words } => {
                let at = self.main.address(a);
                self.sanitizer.take_value(self.memory.slice_mut(at, words.into())?, at);
            }
            Op::CheckVariant { a, off, mark, names } => {
                self.check_variant(
                    self.main.address(a) + usize::from(off),
                    mark,
                    &tile.strings[names as usize],
                )?;
            }
            Op::CheckConfig { a, low, high } => {
                let address = self.main.address(a) as u16;
                if self.checks.is_checked && !(low..=high).contains(&address) {
                    self.checks.hazard(CONFIG_OUTSIDE.because(&[("address", &format!("{address:#06x}"))]))?;
                }
            }
            Op::CheckCast { a, words, ty } => {
                let address = self.main.address(a);
                if self.checks.is_checked
                    && let Some(diag) = wrong_cast(tile, address, words, &tile.strings[ty as usize])
                {
                    self.checks.hazard(diag)?;
                }
            }
            other => unreachable!("{other:?} checks nothing"),
        }
        Ok(())
    }

    fn task_state(&mut self, tile: &TileImage, op: Op) -> Result<(), Diag> {
        let id = |a: Reg| TaskId(self.main.register(a) as u8);
        match op {
            Op::Activate { a } => {
                let (id, span) = (id(a), self.main.place(tile));
                self.checks.check_activation(id, Activator::Code, span, tile, &self.tasks)?;
                activated(tile, self.tasks.activate_by_code(id), id)?;
            }
            Op::BlockUt { a } => self.threads.blocked |= 1 << (id(a).0 & 7),
            Op::UnblockUt { a } => self.threads.blocked &= !(1 << (id(a).0 & 7)),
            other => unreachable!("the scalar loop does {other:?} itself"),
        }
        Ok(())
    }

    fn zero(&mut self, a: Reg, words: u16) -> Result<(), Diag> {
        let at = self.main.address(a);
        if self.races.is_on {
            let span = self.main.place(&self.tile);
            self.vector_unit().check_access(&Footprint::words(at, words.into()), true, None, span)?;
        }
        self.memory.slice_mut(at, words.into())?.fill(0);
        Ok(())
    }

    /// Checks the use of a field of a union; the word at `at` holds the number of the active field. A union
    /// without a value gets this field as its active one.
    fn check_variant(&mut self, at: usize, mark: u16, names: &str) -> Result<(), Diag> {
        if !self.checks.is_checked {
            return Ok(());
        }
        let word = &mut self.memory.slice_mut(at, 1)?[0];
        let name = |mark: u16| names.split(',').nth(usize::from(mark.checked_sub(1)?));
        match name(*word) {
            Some(_) if *word == mark => {}
            Some(active) => {
                let wanted = name(mark).unwrap_or_default();
                return Err(INACTIVE_VARIANT.because(&[("name", &wanted), ("active", &active)]));
            }
            None => {
                *word = mark;
                self.sanitizer.give_value(at, 1);
            }
        }
        Ok(())
    }
}
