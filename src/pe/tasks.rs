//! Active and blocked tasks, and the task picker.

use super::queue::Inbox;
use super::queues::{Queues, members};
use super::seed::ScheduleSeed;
use crate::arch::{ArchName, NULL_TASK, TEARDOWN_TASK, TaskId};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::TASK_UNBOUND;
use crate::exec::interface::TaskState;
use crate::fabric::Wavelet;
use crate::image::{FnId, Rotation, TaskKind, TileImage};
use crate::state_hash::StateHash;

/// The state of all task ids of a PE, bit = id. Fields that every visit reads come last.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Tasks {
    /// The task or function that the main thread started last, and in which cycle.
    pub function: Option<FnId>,
    pub since: u64,
    /// Few programs have any.
    rotations: Option<Box<Rotations>>,
    /// Ids of control tasks, bit = id.
    control: u64,
    /// Decides the order of equally ready tasks, instead of their ids, if the run has a seed. Boxed, because few runs
    /// have one.
    pub schedule: Option<Box<ScheduleSeed>>,
    /// How many tasks have started.
    pub started: u64,
    /// Tasks that have started at least once.
    pub begun: u64,
    /// Tasks that something else than code has activated or unblocked since a script has looked, bit = id.
    pub woken: u64,
    /// Ids that go first (`task_priority`).
    pub high: u64,
    pub state: TaskState,
    data: u64,
}

/// Rotating tasks with their counters.
#[derive(Clone, Debug)]
struct Rotations(Box<[(Rotation, u32)]>);

/// What happens when an operation ends.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum CompletionAction {
    #[default]
    Nothing,
    Activate(TaskId),
    Unblock(TaskId),
}

/// The choice of the picker.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Picked {
    /// The local task of this id.
    Local(TaskId),
    /// The task of this id, for the oldest wavelet of an input: a data or control task, or on WSE-2 any task
    /// that a control wavelet names.
    Wavelet { id: TaskId, kind: TaskKind, input: u8 },
}

impl Picked {
    /// The task.
    pub fn id(self) -> TaskId {
        match self {
            Picked::Local(id) | Picked::Wavelet { id, .. } => id,
        }
    }
}

impl Tasks {
    pub fn new(tile: &TileImage) -> Tasks {
        let bound = |kind| tile.tasks.iter().filter(|t| t.kind == kind).fold(0, |mask, t| mask | bit(t.id));
        let system = if tile.handlers.is_empty() { 0 } else { bit(TaskId(TEARDOWN_TASK)) };
        Tasks {
            function: None,
            since: 0,
            high: 0,
            state: TaskState {
                active: tile.active,
                blocked: tile.blocked,
                local: bound(TaskKind::Local) | system,
                // The turn of the lowest one comes first.
                last_by_wavelet: 63,
                ..TaskState::default()
            },
            data: bound(TaskKind::Data),
            control: bound(TaskKind::Control),
            rotations: (!tile.rotations.is_empty())
                .then(|| Box::new(Rotations(tile.rotations.iter().map(|r| (*r, r.init)).collect()))),
            schedule: None,
            started: 0,
            begun: 0,
            woken: 0,
        }
    }

    /// Adds what decides how it goes on to the hash of a state. `has_turns`: which of several ready tasks starts
    /// depends on which one was the last.
    pub fn add_state(&self, state: &mut StateHash, has_turns: bool) {
        let TaskState { active, blocked, again, since_again, last, running, last_by_wavelet, .. } =
            self.state;
        [active, blocked, self.high, again, since_again].into_iter().for_each(|mask| state.add(mask));
        let turns = (last, last_by_wavelet);
        state.add_debug(&(Some(turns).filter(|_| has_turns), running, &self.rotations));
    }

    /// Whether a local task may start.
    pub fn are_active(&self) -> bool {
        self.state.active & !self.state.blocked != 0
    }

    /// Whether the next task is a local one, whatever wavelets arrive before it starts: one that did not activate itself,
    /// where neither priorities nor a schedule nor a teardown decide. `ended`: what follows the end of operations until
    /// then.
    pub fn have_certain(&self, ended: impl Iterator<Item = CompletionAction>) -> bool {
        let TaskState { mut active, mut blocked, again, local, .. } = self.state;
        for done in ended {
            match done {
                CompletionAction::Nothing => {}
                CompletionAction::Activate(id) => active |= bit(id),
                CompletionAction::Unblock(id) => blocked &= !bit(id),
            }
        }
        active & local & !blocked & !again != 0
            && self.high == 0
            && local & bit(TaskId(TEARDOWN_TASK)) == 0
            && self.schedule.is_none()
    }

    /// Makes a local task active, from code that runs.
    pub fn activate_by_code(&mut self, id: TaskId) -> Result<(), Diag> {
        self.state.again |= if self.state.running == Some(id) { bit(id) } else { 0 };
        self.make_active(id)
    }

    /// Makes a local task active, because an operation has ended or a FIFO has changed.
    pub fn activate(&mut self, id: TaskId) -> Result<(), Diag> {
        self.woken |= bit(id);
        self.make_active(id)
    }

    fn make_active(&mut self, id: TaskId) -> Result<(), Diag> {
        if self.state.local & bit(id) == 0 {
            return Err(TASK_UNBOUND.because(&[("id", &id)]).for_good());
        }
        self.state.active |= bit(id);
        Ok(())
    }

    /// Makes the teardown task active, if there is one.
    pub fn tear_down(&mut self) {
        let task = self.state.local & bit(TaskId(TEARDOWN_TASK));
        (self.state.active, self.woken) = (self.state.active | task, self.woken | task);
    }

    /// Clears the activation, because the task starts.
    pub fn start(&mut self, id: TaskId) {
        self.state.active &= !bit(id);
        if self.state.again == 0 || self.state.again & bit(id) != 0 {
            // A new round: tasks that have activated themselves have let all others go first.
            (self.state.again, self.state.since_again) = (0, 0);
        }
        self.begun |= bit(id);
        (self.state.last, self.state.running) = (Some(id), Some(id));
    }

    /// Records that a wavelet starts a task, or the host a function.
    pub fn start_other(&mut self, task: Option<TaskId>) {
        self.state.running = None;
        match task {
            Some(id) => {
                self.begun |= bit(id);
                self.state.last_by_wavelet = id.0;
                self.state.since_again |= bit(id);
                // One that cannot start now does not poll.
                self.state.again &= self.state.active & !self.state.blocked;
            }
            // Tasks that have activated themselves have let the host go first.
            None => (self.state.again, self.state.since_again) = (0, 0),
        }
    }

    /// The task that starts in place of a data task: for rotating tasks, this is sometimes the alternative.
    pub fn rotate(&mut self, id: TaskId) -> (TaskKind, TaskId) {
        let mut all = self.rotations.iter_mut().flat_map(|rotations| rotations.0.iter_mut());
        let Some((pair, count)) = all.find(|(pair, _)| pair.main == id) else {
            return (TaskKind::Data, id);
        };
        if *count == pair.limit {
            *count = 0;
            return (TaskKind::Control, pair.alternative);
        }
        *count += 1;
        (TaskKind::Data, id)
    }

    /// Local tasks that are active but blocked.
    pub fn stuck(&self) -> impl Iterator<Item = TaskId> {
        let stuck = self.state.active & self.state.blocked;
        (0..64).map(TaskId).filter(move |id| stuck & bit(*id) != 0)
    }

    /// Picks the next task: tasks with high priority first, then local tasks in rotation, then wavelets.
    /// Local tasks that have activated themselves come after one wavelet of each ready task (docs/decisions.md). Inputs
    /// in `claimed` belong to operations in progress. The picker drops wavelets that no task receives.
    pub fn pick(&self, arch: ArchName, queues: &mut Queues, claimed: u64, now: u64) -> Option<Picked> {
        let local = self.state.active & !self.state.blocked;
        let mut best = self.first(local).map(|id| Picked::Local(TaskId(id)));
        let holding = queues.holding(!claimed);
        if holding == 0 {
            return best;
        }
        if self.schedule.is_none() && self.high == 0 && !queues.have_command() {
            let goes_first = local & !self.state.again != 0;
            let by_wavelet = if goes_first { None } else { self.first_data(arch, queues, holding) };
            let has_had_turn =
                |ready: &Picked| best.is_some() && self.state.since_again & bit(ready.id()) != 0;
            return by_wavelet.filter(|ready| !has_had_turn(ready)).or(best);
        }
        for input in members(holding) {
            let Some(ready) = self.by_wavelet(arch, queues, input, now) else { continue };
            let earlier = |other: Picked| self.rank(ready) < self.rank(other);
            if best.is_none_or(earlier) {
                best = Some(ready);
            }
        }
        best
    }

    /// The next data task, in turn, that a data wavelet at the head of one of these inputs starts.
    fn first_data(&self, arch: ArchName, queues: &Queues, inputs: u64) -> Option<Picked> {
        let ready = |input| Some((self.wants(arch, queues, input)?, input));
        let (id, input) = members(inputs)
            .filter_map(ready)
            .min_by_key(|(id, _)| (self.state.since_again & bit(*id) != 0, self.behind(*id)))?;
        Some(Picked::Wavelet { id, kind: TaskKind::Data, input: input as u8 })
    }

    /// Whether the picker would find a task; `None` where a control wavelet is the oldest, which it may have to drop.
    pub fn has_ready(&self, arch: ArchName, queues: &Queues, claimed: u64) -> Option<bool> {
        let mut is_any_ready = self.are_active();
        for input in queues.filled() {
            let Some(head) = queues.inputs[input].head() else { continue };
            if head.control {
                return None;
            }
            let is_claimed = claimed & 1 << input != 0;
            is_any_ready |= !is_claimed && self.wants(arch, queues, input).is_some();
        }
        Some(is_any_ready)
    }

    /// The tasks that could start but `picked`, in the order of their ids.
    pub fn others(&self, arch: ArchName, queues: &mut Queues, claimed: u64, picked: Picked) -> Vec<TaskId> {
        let inputs = members(queues.holding(!claimed)).filter_map(|input| self.wants(arch, queues, input));
        let local = self.state.active & !self.state.blocked;
        let all = inputs.fold(local, |all, id| all | bit(id)) & !bit(picked.id());
        (0..64).map(TaskId).filter(|id| all & bit(*id) != 0).collect()
    }

    /// Whether any data task may run.
    pub fn want_data(&self) -> bool {
        self.data & !self.state.blocked != 0
    }

    /// The data task for the oldest wavelet of an input.
    pub fn wants(&self, arch: ArchName, queues: &Queues, input: usize) -> Option<TaskId> {
        let inbox = &queues.inputs[input];
        let id = TaskId(inbox.channel(arch)?);
        let is_data = inbox.head().is_some_and(|head| !head.control);
        (is_data && self.data & !self.state.blocked & bit(id) != 0).then_some(id)
    }

    /// Whether the only wavelet of an input, a data wavelet, starts a task.
    pub fn starts_for(&self, arch: ArchName, inbox: &Inbox) -> bool {
        let ready = self.data & !self.state.blocked;
        inbox.len() == 1 && inbox.channel(arch).is_some_and(|channel| ready & bit(TaskId(channel)) != 0)
    }

    /// Whether the control wavelet that is the oldest one of an input names a task that is bound.
    pub fn have_control_task(&self, arch: ArchName, inbox: &Inbox) -> bool {
        let bound = match arch {
            ArchName::Wse2 => self.control | self.data | self.state.local,
            ArchName::Wse3 => self.control,
        };
        let named = inbox.head().filter(|head| head.control && !inbox.is_mailbox).map(control_id);
        let named = named.filter(|id| id.0 != NULL_TASK);
        named.is_some_and(|id| bound & bit(table_entry(inbox, id)) != 0)
    }

    /// The control task that the oldest wavelet of an input names while its channel is blocked.
    pub fn held_back(&self, arch: ArchName, inbox: &Inbox) -> Option<TaskId> {
        let channel = inbox.channel(arch)?;
        let head = inbox.head().filter(|head| head.control && self.state.blocked & 1 << channel != 0)?;
        Some(control_id(head))
    }

    /// The task for the oldest wavelet of an input. It drops wavelets before it that no task receives.
    pub fn by_wavelet(&self, arch: ArchName, queues: &mut Queues, input: usize, now: u64) -> Option<Picked> {
        let inbox = &mut queues.inputs[input];
        let channel = inbox.channel(arch)?;
        if self.state.blocked & 1 << channel != 0 {
            return None;
        }
        loop {
            let head = inbox.head()?;
            if !head.control {
                let id = TaskId(channel);
                return (self.data & bit(id) != 0).then_some(Picked::Wavelet {
                    id,
                    kind: TaskKind::Data,
                    input: input as u8,
                });
            }
            let named = control_id(head);
            let has_done_all = inbox.head_has_ended_operation && !self.have_control_task(arch, inbox);
            if named.0 != NULL_TASK && !inbox.is_mailbox && !has_done_all {
                let id = table_entry(inbox, named);
                return Some(Picked::Wavelet { id, kind: self.kind_of(id, arch), input: input as u8 });
            }
            // A wavelet with the null task carries only commands for routers, the last wavelet of a message starts no
            // task, and one that has ended an operation need not name one: nothing on this PE receives it.
            inbox.take(now);
        }
    }

    /// The kind of task that a control wavelet runs. WSE-2 has one table of tasks, so that it may name any.
    fn kind_of(&self, id: TaskId, arch: ArchName) -> TaskKind {
        match arch {
            ArchName::Wse2 if self.data & bit(id) != 0 => TaskKind::Data,
            ArchName::Wse2 if self.state.local & bit(id) != 0 => TaskKind::Local,
            ArchName::Wse2 | ArchName::Wse3 => TaskKind::Control,
        }
    }

    // Active local tasks come before new wavelets, because programs rely on that. But a task that activates
    // itself in order to poll must not starve the data task that it waits for.
    fn rank(&self, ready: Picked) -> (bool, bool, bool, u64) {
        let id = ready.id();
        let (again, waits) = match ready {
            _ if self.schedule.is_some() => (false, false),
            Picked::Local(_) => (self.state.active & !self.state.blocked & !self.state.again == 0, false),
            Picked::Wavelet { id, .. } => (self.state.since_again & bit(id) != 0, true),
        };
        let turn = match ready {
            Picked::Wavelet { .. } if self.schedule.is_none() => self.behind(id).into(),
            Picked::Wavelet { .. } | Picked::Local(_) => self.turn(id.0),
        };
        (self.high & bit(id) == 0, again, waits, turn)
    }

    fn first(&self, mask: u64) -> Option<u8> {
        if mask == 0 {
            return None;
        }
        let preferred = if mask & self.high != 0 { mask & self.high } else { mask };
        match &self.schedule {
            // Round robin: the next id above that of the previous task, or else the lowest.
            None => {
                let above = preferred & self.state.last.map_or(0, |id| (u64::MAX << (id.0 & 63)) << 1);
                let next = if above != 0 { above } else { preferred };
                (next != 0).then(|| next.trailing_zeros() as u8)
            }
            Some(_) => (0..64).filter(|id| preferred & 1 << id != 0).min_by_key(|id| self.turn(*id)),
        }
    }

    /// How far a task is behind the last one that a wavelet has started. Each gets its turn, however fast the queues
    /// of others refill.
    fn behind(&self, id: TaskId) -> u8 {
        id.0.wrapping_sub(self.state.last_by_wavelet + 1) & 63
    }

    /// The rank of an id among equally ready tasks: its number, or with a seed a new one at every start.
    fn turn(&self, id: u8) -> u64 {
        let question = self.started << 6 | u64::from(id);
        self.schedule.as_ref().map_or(id.into(), |schedule| schedule.number(question))
    }
}

/// The bit of an id.
pub(super) fn bit(id: TaskId) -> u64 {
    1 << (id.0 & 63)
}

/// The task that a control wavelet names: bits 21..16 (ruling OQ-40).
fn control_id(wavelet: Wavelet) -> TaskId {
    TaskId((wavelet.data >> 16 & 63) as u8)
}

/// The task that a control wavelet in an input runs; each input may have its own part of the table.
fn table_entry(inbox: &Inbox, named: TaskId) -> TaskId {
    TaskId((named.0 + inbox.control_table) & 63)
}

#[cfg(test)]
mod tests;
