//! In which order the acts of all scripts can be done, many PEs at a time.
//!
//! What is done in one round needs nothing of other PEs but what was sent in the rounds before.

use super::Misfit;
use super::axis::Axis;
use super::twins::Twins;
use crate::pe::{Ready, Script};
use std::collections::BTreeMap;

/// Elements that come from one operation of a PE at a distance.
#[derive(Copy, Clone, Debug)]
pub(super) struct Input {
    /// Columns to the east.
    pub dx: isize,
    /// Rows to the south.
    pub dy: isize,
    /// The operation.
    pub serial: u32,
    /// Its first element that is meant.
    pub first: usize,
    /// How many.
    pub count: usize,
    /// Where they lie with whoever sends them; `None` if that depends on the place.
    pub sent: Option<Sent>,
}

/// An act in a round.
pub(super) struct Step {
    pub act: Ready,
    pub inputs: Vec<Input>,
    /// Where what it sends lies among all that the PE sends in this round.
    pub at: usize,
}

/// What the PEs do in a round, by number on the small wafer.
#[derive(Default)]
pub(super) struct Round {
    pub steps: Vec<Vec<Step>>,
    /// Wavelets that they send.
    pub room: Vec<usize>,
    /// The last round that needs them.
    pub needed_in: usize,
}

/// Where the wavelets of an operation lie.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub round: usize,
    pub at: usize,
    count: usize,
}

/// All rounds.
pub(super) struct Plan {
    pub rounds: Vec<Round>,
    /// By PE of the small wafer and operation.
    pub sent: Vec<Vec<Option<Sent>>>,
}

/// Both axes, and up to which distances all that is left out has the neighbours that stand for it.
pub(super) struct Folding<'a> {
    pub columns: &'a Axis,
    pub rows: &'a Axis,
    pub reach: (usize, usize),
}

type Inputs = BTreeMap<u32, Vec<Input>>;

impl Plan {
    /// Makes a plan of the scripts of all PEs of the small wafer, whose acts are ready; does not if a
    /// wavelet comes from too far away, or nobody has taken it. If PEs keep words, there is a round at least.
    pub fn new(
        scripts: &[Option<Script>],
        acts: Vec<Vec<Ready>>,
        twins: &Twins,
        folding: &Folding<'_>,
        keeps: bool,
    ) -> Result<Plan, Misfit> {
        let inputs: Vec<Inputs> = (scripts.iter().enumerate())
            .map(|(pe, script)| match script {
                Some(script) => inputs_of(pe, script, twins, folding),
                None => Ok(Inputs::new()),
            })
            .collect::<Result<_, _>>()?;
        let of_all = acts.into_iter().enumerate();
        let mut acts: Vec<(usize, Ready)> =
            of_all.flat_map(|(pe, acts)| acts.into_iter().map(move |act| (pe, act))).collect();
        // Those of one PE stay in order.
        acts.sort_by_key(|(pe, act)| (act.cycle, *pe));
        let mut planner = Planner::new(scripts.len(), inputs, folding);
        if keeps {
            planner.reach_round(0);
        }
        for (pe, act) in acts {
            planner.place(pe, act).ok_or(Misfit::Never)?;
        }
        Ok(planner.plan)
    }

    /// How many rows away at most what a PE takes comes from.
    pub fn reach(&self) -> usize {
        let steps = self.rounds.iter().flat_map(|round| &round.steps).flatten();
        steps.flat_map(|step| &step.inputs).map(|input| input.dy.unsigned_abs()).max().unwrap_or(0)
    }
}

/// What each operation of a PE takes.
fn inputs_of(pe: usize, script: &Script, twins: &Twins, folding: &Folding<'_>) -> Result<Inputs, Misfit> {
    let width = folding.columns.folded();
    let place = |pe: usize| ((pe % width) as isize, (pe / width) as isize);
    let (x, y) = place(pe);
    let mut inputs = Inputs::new();
    for (color, runs) in script.taken() {
        let mut numbers = twins.come(pe, color);
        for (serial, count) in runs {
            let (now, later) = numbers.split_at_checked(*count as usize).ok_or(Misfit::Never)?;
            numbers = later;
            let all = inputs.entry(*serial).or_default();
            for number in now {
                let origin = twins.origin_of(*number);
                let (from_x, from_y) = place(origin.pe);
                let (dx, dy) = (from_x - x, from_y - y);
                let is_near = dx.unsigned_abs() <= folding.reach.0 && dy.unsigned_abs() <= folding.reach.1;
                let (serial, first) = (origin.serial, origin.element as usize);
                match all.last_mut() {
                    _ if !is_near => return Err(Misfit::TooSmall),
                    Some(last)
                        if (last.dx, last.dy, last.serial, last.first + last.count)
                            == (dx, dy, serial, first) =>
                    {
                        last.count += 1;
                    }
                    _ => all.push(Input { dx, dy, serial, first, count: 1, sent: None }),
                }
            }
        }
        if !numbers.is_empty() {
            return Err(Misfit::Never);
        }
    }
    Ok(inputs)
}

struct Planner<'a> {
    plan: Plan,
    inputs: Vec<Inputs>,
    folding: &'a Folding<'a>,
    /// The round that each PE has come to.
    reached: Vec<usize>,
    /// Which columns and rows stand for those at a distance of all that one stands for.
    beside: [BTreeMap<(usize, isize), Vec<usize>>; 2],
}

impl Planner<'_> {
    fn new<'a>(pes: usize, inputs: Vec<Inputs>, folding: &'a Folding<'a>) -> Planner<'a> {
        let plan = Plan { rounds: Vec::new(), sent: vec![Vec::new(); pes] };
        Planner { plan, inputs, folding, reached: vec![0; pes], beside: Default::default() }
    }

    fn place(&mut self, pe: usize, act: Ready) -> Option<()> {
        let inputs = act.serial.filter(|_| act.taken > 0).and_then(|s| self.inputs[pe].remove(&s));
        let mut inputs = inputs.unwrap_or_default();
        for input in &mut inputs {
            let sent = self.sent(pe, input)?;
            let last = sent.iter().map(|sent| sent.round + 1).max().unwrap_or(0);
            self.reached[pe] = self.reached[pe].max(last);
            input.sent = sent.first().copied().filter(|first| sent.iter().all(|sent| sent == first));
        }
        let round = self.reached[pe];
        self.reach_round(round);
        let room = &mut self.plan.rounds[round].room[pe];
        let (at, count) = (*room, act.sent as usize);
        *room += count;
        if let Some(serial) = act.serial.filter(|_| count > 0) {
            let sent = &mut self.plan.sent[pe];
            sent.resize(sent.len().max(serial as usize + 1), None);
            sent[serial as usize] = Some(Sent { round, at, count });
        }
        for input in &inputs {
            self.keep(pe, input, round);
        }
        self.plan.rounds[round].steps[pe].push(Step { act, inputs, at });
        Some(())
    }

    fn reach_round(&mut self, round: usize) {
        let pes = self.reached.len();
        while self.plan.rounds.len() <= round {
            let steps = (0..pes).map(|_| Vec::new()).collect();
            self.plan.rounds.push(Round { steps, room: vec![0; pes], needed_in: 0 });
        }
    }

    /// The PEs of the small wafer that an input may come from.
    fn sources(&mut self, pe: usize, input: &Input) -> Vec<usize> {
        let (columns, rows) = (self.folding.columns, self.folding.rows);
        let width = columns.folded();
        let [beside_x, beside_y] = &mut self.beside;
        let near = |axis: &Axis, known: &mut BTreeMap<_, Vec<usize>>, at: usize, far: isize| {
            let found = known.entry((at, far));
            found.or_insert_with(|| axis.neighbours(at, far).into_iter().collect()).clone()
        };
        let xs = near(columns, beside_x, pe % width, input.dx);
        let ys = near(rows, beside_y, pe / width, input.dy);
        ys.iter().flat_map(|y| xs.iter().map(move |x| y * width + x)).collect()
    }

    /// Where all that may be an input lies; `None` if it is not sent before.
    fn sent(&mut self, pe: usize, input: &Input) -> Option<Vec<Sent>> {
        let sources = self.sources(pe, input).into_iter();
        let sent = sources.map(|source| self.plan.sent[source].get(input.serial as usize).copied().flatten());
        sent.map(|sent| sent.filter(|sent| sent.count >= input.first + input.count)).collect()
    }

    fn keep(&mut self, pe: usize, input: &Input, until: usize) {
        for source in self.sources(pe, input) {
            if let Some(Some(sent)) = self.plan.sent[source].get(input.serial as usize) {
                let needed_in = &mut self.plan.rounds[sent.round].needed_in;
                *needed_in = until.max(*needed_in);
            }
        }
    }
}
