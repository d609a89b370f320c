//! Random programs on several PEs: wavelets go along random trees, and PEs pass them on, add to them
//! or keep them.
//!
//! The model knows nothing of cycles and buffers. It says what every array holds in the end, and
//! whether the program could end at all if nothing were ever full.

use super::choices::Choices;
use cslrun::Arch;

/// Operations of one PE: each needs queues of its own.
const MOST_OPS: usize = 5;

/// Operations use queues 0 to 5: output queues of WSE-2 end there.
const QUEUES: u8 = 6;

/// The side on which a neighbour lies.
const SIDES: [(Direction, i32, i32); 4] =
    [(Direction::East, 1, 0), (Direction::South, 0, 1), (Direction::West, -1, 0), (Direction::North, 0, -1)];

/// A side of a router; the library keeps its own type to itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    North,
    South,
    East,
    West,
    Ramp,
}

impl Direction {
    /// The name in CSL.
    pub fn name(self) -> &'static str {
        match self {
            Direction::North => "NORTH",
            Direction::South => "SOUTH",
            Direction::East => "EAST",
            Direction::West => "WEST",
            Direction::Ramp => "RAMP",
        }
    }

    /// The side of the neighbour that a wavelet comes in on.
    pub fn opposite(self) -> Direction {
        match self {
            Direction::North => Direction::South,
            Direction::South => Direction::North,
            Direction::East => Direction::West,
            Direction::West => Direction::East,
            Direction::Ramp => Direction::Ramp,
        }
    }
}

/// A random program.
pub struct Network {
    pub arch: Arch,
    pub width: usize,
    pub height: usize,
    /// The most routers that are added to a tree.
    reach: u32,
    /// The most wavelets of a flow.
    longest: u32,
    pub flows: Vec<Flow>,
    /// The operations of each PE, in the order in which its task starts them.
    pub pes: Vec<Vec<Op>>,
}

/// Wavelets of one color: from one PE along a tree to others. Flow n has color n + 1.
pub struct Flow {
    pub tree: Vec<Node>,
    pub length: usize,
}

/// A router of a tree.
pub struct Node {
    pub pe: usize,
    /// The ramp for the first.
    pub from: Direction,
    /// Without the ramp.
    pub to: Vec<Direction>,
    pub takes: bool,
}

/// What a PE does with wavelets.
pub struct Op {
    pub kind: Kind,
    pub is_async: bool,
    /// The number of its queues and of its microthread.
    pub queue: u8,
}

/// Flows by number.
pub enum Kind {
    /// Sends data from memory.
    Send { flow: usize, data: Vec<u16> },
    /// Sends on what comes, and adds a number or what comes on another color.
    Forward { flow: usize, of: usize, add: Addend },
    /// Stores what comes, or adds it to what is there.
    Keep { flow: usize, onto: Option<u16> },
}

/// What a forwarding PE adds.
#[derive(Copy, Clone)]
pub enum Addend {
    Number(u16),
    /// What comes with another flow.
    Flow(usize),
}

impl Op {
    /// The flows that it waits for.
    pub fn inputs(&self) -> Vec<usize> {
        match self.kind {
            Kind::Send { .. } => Vec::new(),
            Kind::Forward { of, add: Addend::Flow(other), .. } => vec![of, other],
            Kind::Forward { of: flow, .. } | Kind::Keep { flow, .. } => vec![flow],
        }
    }

    /// The flow that it sends.
    pub fn output(&self) -> Option<usize> {
        match self.kind {
            Kind::Send { flow, .. } | Kind::Forward { flow, .. } => Some(flow),
            Kind::Keep { .. } => None,
        }
    }
}

impl Network {
    /// A network of up to 12 PEs and 6 flows.
    pub fn any(choices: &mut Choices, arch: Arch) -> Network {
        let size = (2 + choices.below(3) as usize, 1 + choices.below(3) as usize);
        Network::of_size(choices, arch, size, (6, 20))
    }

    /// A network of up to 48 PEs with long ways.
    pub fn wide(choices: &mut Choices, arch: Arch) -> Network {
        let size = (6 + choices.below(7) as usize, 1 + choices.below(4) as usize);
        let longest = if choices.once_in(3) { 20 } else { 200 };
        Network::of_size(choices, arch, size, (20, longest))
    }

    fn of_size(
        choices: &mut Choices,
        arch: Arch,
        (width, height): (usize, usize),
        (reach, longest): (u32, u32),
    ) -> Network {
        let pes = (0..width * height).map(|_| Vec::new()).collect();
        let mut network = Network { arch, width, height, reach, longest, flows: Vec::new(), pes };
        // What has arrived at a PE and is not used yet.
        let mut arrived: Vec<(usize, usize)> = Vec::new();
        for _ in 0..1 + choices.below(6) {
            network.flow(choices, &mut arrived);
        }
        for (pe, flow) in arrived {
            let onto = choices.once_in(2).then(|| choices.below(1000) as u16);
            network.start(choices, pe, Kind::Keep { flow, onto });
        }
        network.number_queues(choices);
        network
    }

    /// Begins where an earlier flow arrives, or with data of its own.
    fn flow(&mut self, choices: &mut Choices, arrived: &mut Vec<(usize, usize)>) {
        let new = self.flows.len();
        let earlier = (!arrived.is_empty() && choices.below(3) > 0)
            .then(|| choices.below(arrived.len() as u32) as usize);
        let origin = match earlier {
            Some(n) => arrived[n].0,
            None => choices.below(self.pes.len() as u32) as usize,
        };
        let tree = self.tree(choices, origin);
        let receivers: Vec<usize> = tree.iter().filter(|n| n.takes).map(|n| n.pe).collect();
        let load = |pe: usize| self.pes[pe].len() + arrived.iter().filter(|(p, _)| *p == pe).count();
        let busier = receivers.iter().chain(earlier.is_none().then_some(&origin));
        if busier.into_iter().any(|pe| load(*pe) == MOST_OPS) {
            return;
        }
        let (length, kind) = match earlier {
            Some(n) => {
                let (pe, of) = arrived.remove(n);
                let add = self.addend(choices, arrived, (pe, of));
                (self.flows[of].length, Kind::Forward { flow: new, of, add })
            }
            None => {
                let length = 1 + choices.below(self.longest) as usize;
                let (first, step) = (choices.below(1000) as u16, 1 + choices.below(1000) as u16);
                let data = (0..length as u16).map(|n| first.wrapping_add(n.wrapping_mul(step))).collect();
                (length, Kind::Send { flow: new, data })
            }
        };
        self.flows.push(Flow { tree, length });
        self.start(choices, origin, kind);
        arrived.extend(receivers.into_iter().map(|pe| (pe, new)));
    }

    fn addend(
        &self,
        choices: &mut Choices,
        arrived: &mut Vec<(usize, usize)>,
        (pe, of): (usize, usize),
    ) -> Addend {
        let length = self.flows[of].length;
        let other = arrived.iter().position(|(p, f)| *p == pe && self.flows[*f].length == length);
        let has_two = self.pes[pe].iter().any(|op| op.inputs().len() > 1);
        match other {
            // WSE-3 reads one queue at a time.
            Some(at) if self.arch == Arch::Wse2 && !has_two && choices.below(3) > 0 => {
                Addend::Flow(arrived.remove(at).1)
            }
            _ => Addend::Number(choices.below(1000) as u16),
        }
    }

    /// Puts an operation somewhere among those of a PE.
    fn start(&mut self, choices: &mut Choices, pe: usize, kind: Kind) {
        let is_async = !choices.once_in(3);
        let at = self.pes[pe].len() - choices.below(self.pes[pe].len() as u32 + 1) as usize;
        self.pes[pe].insert(at, Op { kind, is_async, queue: 0 });
    }

    /// A tree that begins at a PE and has at least one more.
    fn tree(&self, choices: &mut Choices, origin: usize) -> Vec<Node> {
        let mut tree = vec![Node { pe: origin, from: Direction::Ramp, to: Vec::new(), takes: false }];
        for _ in 0..1 + choices.below(self.reach) {
            let mut edges = Vec::new();
            for (n, node) in tree.iter().enumerate() {
                for (side, dx, dy) in SIDES {
                    let next = self.neighbour(node.pe, dx, dy);
                    edges.extend(next.filter(|pe| tree.iter().all(|n| n.pe != *pe)).map(|pe| (n, side, pe)));
                }
            }
            if edges.is_empty() {
                break;
            }
            // The last ones lead on from the end of a line.
            let (n, side, pe) = edges[edges.len() - 1 - choices.below(edges.len() as u32) as usize];
            tree[n].to.push(side);
            let takes = choices.once_in(3);
            tree.push(Node { pe, from: side.opposite(), to: Vec::new(), takes });
        }
        for node in &mut tree[1..] {
            node.takes |= node.to.is_empty();
        }
        tree
    }

    fn neighbour(&self, pe: usize, dx: i32, dy: i32) -> Option<usize> {
        let (x, y) = ((pe % self.width) as i32 + dx, (pe / self.width) as i32 + dy);
        let inside = (0..self.width as i32).contains(&x) && (0..self.height as i32).contains(&y);
        inside.then(|| y as usize * self.width + x as usize)
    }

    /// Queues differ in their depths.
    fn number_queues(&mut self, choices: &mut Choices) {
        for ops in &mut self.pes {
            let first = choices.below(QUEUES.into()) as u8;
            for (op, n) in ops.iter_mut().zip(first..) {
                op.queue = n % QUEUES;
            }
        }
    }
}

impl Network {
    /// Gives all operations queues of other depths.
    pub fn rotate_queues(&mut self) {
        self.pes.iter_mut().flatten().for_each(|op| op.queue = (op.queue + 3) % QUEUES);
    }
}

/// What the program must leave behind.
pub struct Outcome {
    /// The array of each operation that keeps something: PE, flow, elements.
    pub kept: Vec<(usize, usize, Vec<u16>)>,
    /// Whether all operations end if no buffer is ever full.
    pub ends: bool,
    /// Whether they end however small the buffers are: everything moves at once and waits for one thing.
    pub surely: bool,
}

impl Network {
    /// What must come out.
    pub fn outcome(&self) -> Outcome {
        let sent = self.sent();
        let mut kept = Vec::new();
        for (pe, ops) in self.pes.iter().enumerate() {
            for op in ops {
                if let Kind::Keep { flow, onto } = op.kind {
                    let values = sent[flow].iter().map(|v| v.wrapping_add(onto.unwrap_or(0)));
                    kept.push((pe, flow, values.collect()));
                }
            }
        }
        let all = || self.pes.iter().flatten();
        let surely = all().all(|op| op.is_async && op.inputs().len() < 2);
        Outcome { kept, ends: self.ends(), surely }
    }

    /// The values of each flow; a flow is made of earlier ones.
    fn sent(&self) -> Vec<Vec<u16>> {
        let mut sent: Vec<Vec<u16>> = Vec::new();
        for flow in 0..self.flows.len() {
            let op = self.pes.iter().flatten().find(|op| op.output() == Some(flow));
            let values = match &op.expect("somebody sends each flow").kind {
                Kind::Send { data, .. } => data.clone(),
                Kind::Forward { of, add, .. } => {
                    let second = |k: usize| match add {
                        Addend::Number(n) => *n,
                        Addend::Flow(other) => sent[*other][k],
                    };
                    sent[*of].iter().enumerate().map(|(k, v)| v.wrapping_add(second(k))).collect()
                }
                Kind::Keep { .. } => unreachable!("it sends nothing"),
            };
            sent.push(values);
        }
        sent
    }

    /// An operation ends if it begins and its flows are sent to their end; it begins when the
    /// synchronous ones before it have ended.
    fn ends(&self) -> bool {
        let mut complete = vec![false; self.flows.len()];
        loop {
            let before = complete.clone();
            let mut all = true;
            for ops in &self.pes {
                let mut begins = true;
                for op in ops {
                    let ended = begins && op.inputs().iter().all(|flow| complete[*flow]);
                    all &= ended;
                    begins &= ended || op.is_async;
                    if let (Some(flow), true) = (op.output(), ended) {
                        complete[flow] = true;
                    }
                }
            }
            if all || complete == before {
                return all;
            }
        }
    }
}
