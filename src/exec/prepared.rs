//! Tiles and functions in the form that PEs execute: the data of a call is in one place, frequent sequences of
//! operations are superinstructions, and DSD operations whose operands are constants have a plan.
//!
//! In: the image of a tile, which never changes. Out: prepared functions and plans, computed when a PE first
//! needs them. All PEs of a tile share them.

use super::cycles::cycles_before;
use super::jump_table::JumpTable;
use super::superinstructions::combined;
use super::vector::known::{KnownOperations, OperationCache};
use super::vector::map_code::LaneCode;
use super::vector::plan::VectorPlan;
use super::vector::site::VectorSite;
use crate::arch::Arch;
use crate::image::code::{Op, Reg};
use crate::image::{FnId, Function, Shared, TileImage};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Registers that every call sets, whether its function has so many constants or not: most have fewer, and a loop over
/// their number takes longer.
pub(super) const FIRST: usize = 4;

/// A function that has run at least once.
#[derive(Clone, Debug)]
pub(crate) struct PreparedFunction {
    /// The code with superinstructions.
    pub code: Box<[Op]>,
    /// Before each operation, and behind the last one: the cycles of all that stand before it.
    pub cycles_before: Box<[u32]>,
    /// The tables of its `Op::Switch`.
    pub switches: Box<[JumpTable]>,
    /// Constants, which a call copies into the registers after the parameters.
    pub consts: Box<[u64]>,
    /// Register of the first constant.
    pub params: Reg,
    /// What the registers from `params` on hold when the function begins. Zeros follow few constants: no caller needs
    /// what is in the registers of a call.
    pub first: [u64; FIRST],
    /// The registers after these: the other constants, and zeros for all others if the code may read one before it writes
    /// it.
    pub next: Box<[u64]>,
    /// Size of its frame, in words of memory.
    pub frame_words: u16,
    /// The registers that it uses.
    pub registers: u16,
}

/// The prepared functions of a program, and what is known of its DSD operations. Most tiles have the same code, even if
/// their constants differ in a few functions; PEs that share it find it in a cache of the processor.
#[derive(Default)]
pub struct CodeCache {
    operations: OperationCache,
    /// Functions by the address of their code, which is kept.
    functions: Mutex<FxHashMap<usize, Vec<KnownFunction>>>,
    /// Functions run without superinstructions.
    is_plain: bool,
}

#[derive(Debug)]
struct KnownFunction {
    code: Shared<Op>,
    prepared: Arc<PreparedFunction>,
}

impl KnownFunction {
    fn is_of(&self, function: &Function) -> bool {
        let its = &*self.prepared;
        self.code.is_same(&function.code)
            && (its.params, its.registers, its.frame_words)
                == (function.params, function.registers, function.frame_words)
            && *its.consts == *function.consts
    }
}

impl CodeCache {
    /// No function has run. `is_plain`: without superinstructions.
    pub fn new(is_plain: bool) -> CodeCache {
        CodeCache { is_plain, ..CodeCache::default() }
    }

    /// A function that runs for the first time in its tile.
    pub(crate) fn prepared(&self, function: &Function, arch: &Arch) -> Arc<PreparedFunction> {
        let mut known = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.entry(function.code.as_ptr() as usize).or_default();
        if let Some(same) = known.iter().find(|known| known.is_of(function)) {
            return Arc::clone(&same.prepared);
        }
        let prepared = Arc::new(PreparedFunction::new(function, arch, self.is_plain));
        known.push(KnownFunction { code: function.code.clone(), prepared: Arc::clone(&prepared) });
        prepared
    }
}

/// The code of one iteration of an `@map`, computed when it first begins.
type Iteration = OnceLock<Option<Arc<LaneCode>>>;

/// A tile with its prepared functions and plans; it dereferences to the [`TileImage`] that it holds.
pub struct PreparedTile {
    image: Arc<TileImage>,
    functions: OnceLock<Box<[OnceLock<Arc<PreparedFunction>>]>>,
    cache: Arc<CodeCache>,
    operations: OnceLock<Arc<KnownOperations>>,
    /// For each of `maps` the code of its iteration, if that can be done for many elements at a time.
    maps: OnceLock<Box<[Iteration]>>,
    often_used: OnceLock<Box<[u16]>>,
}

impl Deref for PreparedTile {
    type Target = TileImage;

    fn deref(&self) -> &TileImage {
        &self.image
    }
}

impl PreparedTile {
    /// A tile of which nothing has run, and the functions that tiles of its program have run.
    pub fn new(image: Arc<TileImage>, cache: Arc<CodeCache>) -> PreparedTile {
        PreparedTile {
            image,
            functions: OnceLock::new(),
            cache,
            operations: OnceLock::new(),
            maps: OnceLock::new(),
            often_used: OnceLock::new(),
        }
    }

    /// Whether it runs without superinstructions and plans.
    pub(crate) fn is_plain(&self) -> bool {
        self.cache.is_plain
    }

    /// Addresses of variables that code names most often, a cache line or more apart, as far as they are below `end`.
    #[inline]
    pub(crate) fn often_used(&self, end: usize) -> impl Iterator<Item = usize> {
        let addresses = self.often_used.get_or_init(|| often_used(&self.image));
        addresses.iter().map(|address| usize::from(*address)).filter(move |address| *address < end)
    }

    /// The functions that tiles of its program have run.
    #[inline]
    pub(crate) fn cache(&self) -> &CodeCache {
        &self.cache
    }

    /// The functions that have run, by number.
    #[inline]
    pub(crate) fn functions(&self) -> &[OnceLock<Arc<PreparedFunction>>] {
        self.functions.get_or_init(|| self.image.functions.iter().map(|_| OnceLock::new()).collect())
    }

    /// The iteration of `maps[n]`, whose `MapNext` is at `next` of a function; `None` if it must be done element by
    /// element.
    pub(crate) fn lane_code(&self, n: u32, (f, next): (FnId, usize), arch: &Arch) -> Option<&Arc<LaneCode>> {
        let maps = self.maps.get_or_init(|| self.image.maps.iter().map(|_| OnceLock::new()).collect());
        let code = maps[n as usize].get_or_init(|| {
            let inputs = self.image.maps[n as usize].inputs.len();
            LaneCode::new((&self.image, arch), f, next, inputs).map(Arc::new)
        });
        code.as_ref().filter(|code| code.place == (f, next))
    }

    /// What is known of `vector_ops[n]`.
    #[inline]
    pub(crate) fn site(&self, n: u32, arch: &Arch) -> &VectorSite {
        &self.operations(arch).sites[n as usize]
    }

    /// For each of `vector_ops` its plan; `None` where not all operands are known.
    #[inline]
    pub(crate) fn plans(&self, arch: &Arch) -> &[Option<VectorPlan>] {
        &self.operations(arch).plans
    }

    #[inline]
    fn operations(&self, arch: &Arch) -> &KnownOperations {
        self.operations.get_or_init(|| self.cache.operations.of(&self.image, arch, self.is_plain()))
    }
}

/// The addresses of variables that the code of a tile names most often, of each cache line the lowest.
fn often_used(image: &TileImage) -> Box<[u16]> {
    /// Cache lines of which they are at most.
    const MOST: usize = 6;
    /// Words of a cache line.
    const LINE: u16 = 32;
    let mut lines = BTreeMap::new();
    for op in image.functions.iter().flat_map(|function| function.code.iter()) {
        if let Op::LoadAt { addr, .. } | Op::StoreAt { addr, .. } = op {
            let (lowest, count) = lines.entry(addr / LINE).or_insert((*addr, 0_u32));
            (*lowest, *count) = ((*lowest).min(*addr), *count + 1);
        }
    }
    let mut lines: Vec<(u16, u32)> = lines.into_values().collect();
    lines.sort_by_key(|(_, count)| Reverse(*count));
    lines.into_iter().take(MOST).map(|(address, _)| address).collect()
}

/// Number of registers that the search for reads before writes tracks.
const TRACKED: u16 = 128;

impl PreparedFunction {
    /// Prepares a function. `is_plain`: without superinstructions.
    pub fn new(function: &Function, arch: &Arch, is_plain: bool) -> PreparedFunction {
        let given = function.params + function.consts.len() as u16;
        let cleared = cleared(function, given);
        let mut start = function.consts.clone();
        start.resize(start.len().max(FIRST).max(usize::from(cleared.saturating_sub(function.params))), 0);
        let (first, next) = start.split_first_chunk().expect("it has at least so many");
        let plainly = || (function.code.as_slice().into(), Box::default());
        let (code, switches) = if is_plain { plainly() } else { combined(function) };
        PreparedFunction {
            code,
            cycles_before: cycles_before(function, &arch.costs),
            switches,
            consts: function.consts.clone().into_boxed_slice(),
            params: function.params,
            first: *first,
            next: next.into(),
            frame_words: function.frame_words,
            registers: function.registers,
        }
    }
}

/// One past the last register that a call must set, of which those before `given` have values: no more than these if the
/// code writes every other register before it reads it.
pub(super) fn cleared(function: &Function, given: Reg) -> Reg {
    if reads_old_registers(function, given) { function.registers } else { given }
}

/// Whether some path through the code may read a register from `given` on before it writes it.
fn reads_old_registers(function: &Function, given: Reg) -> bool {
    // Clearing registers is always correct, only slower, so the difficult functions are not analysed.
    if function.registers > TRACKED || function.code.iter().any(names_registers_elsewhere) {
        return true;
    }
    // The registers written on every path to an operation; each newly found path can only remove registers.
    let mut written = vec![u128::MAX; function.code.len() + 1];
    written[0] = bits_below(given);
    // A backward jump can remove registers from an operation that was already visited, so the loop runs until
    // nothing changes.
    loop {
        let mut settled = true;
        for (at, op) in function.code.iter().enumerate() {
            let (reads, writes) = reads_and_writes(*op);
            if reads & !written[at] != 0 {
                return true;
            }
            let after = written[at] | writes;
            let ends = matches!(op, Op::Jump { .. } | Op::Ret | Op::Trap { .. });
            let mut op = *op;
            let target = op.target_mut().map(|to| *to as usize);
            for next in target.into_iter().chain((!ends).then_some(at + 1)) {
                settled &= written[next] & !after == 0;
                written[next] &= after;
            }
        }
        if settled {
            return false;
        }
    }
}

fn bits_below(reg: Reg) -> u128 {
    if reg >= TRACKED { u128::MAX } else { (1 << reg) - 1 }
}

/// Whether side tables say which registers the operation reads.
fn names_registers_elsewhere(op: &Op) -> bool {
    use Op::*;
    matches!(op, Vector { .. } | MapBegin { .. } | MapNext { .. } | MapPut { .. } | MapEnd { .. })
        || matches!(op, LoadDsr { .. } | Intrinsic { .. })
}

/// The registers that an operation reads and writes, bit = register.
fn reads_and_writes(mut op: Op) -> (u128, u128) {
    /// Placeholder for an operand that is only written.
    const NOWHERE: Reg = Reg::MAX;
    let bit = |reg: Reg| 1u128.checked_shl(reg.into()).unwrap_or(0);
    match op {
        // The arguments have already been moved to the registers where the callee reads them.
        Op::Call { base, .. } => return (0, bit(base)),
        Op::CallPtr { a, base } => return (bit(a), bit(base)),
        Op::Unset { d, .. } => return (0, bit(d)),
        _ => {}
    }
    let mut writes = 0;
    if let Some(d) = op.dest_mut() {
        writes = bit(*d);
        *d = NOWHERE;
    }
    let reads = Cell::new(0);
    op.map_registers(|reg| {
        reads.set(reads.get() | bit(reg));
        reg
    });
    (reads.get(), writes)
}
