//! Checks of operations on memory whose DSDs are all known: elements outside of an array, and a destination that
//! overlaps a source.

use crate::diagnostics::rules::run::{MEMORY_OUT_OF_BOUNDS, OUTSIDE_VARIABLE, OVERLAP};
use crate::diagnostics::{Diag, Diagnostic, Rule};
use crate::dsd::access::AddressCursor;
use crate::dsd::ops::{Elem, OPS};
use crate::dsd::overlap;
use crate::dsd::{Dsd, Mem, MemKind};
use crate::image::code::{DsdOperand, DsdRef, VectorOp};
use crate::image::traffic::OpId;
use crate::image::{Program, Scalar, Symbol, TileImage};

/// Failures that are certain once an operation runs; whether it runs is not certain, because the host may never
/// launch the function.
pub fn possible(program: &Program) -> Vec<Diagnostic> {
    let of_tile = |tile: &TileImage| {
        let certain = tile.certain();
        let ops = tile.vector_ops.iter().enumerate().filter(|(n, _)| certain.contains(OpId::Vector(*n)));
        let known = ops.filter_map(|(_, op)| Some((op, Operands::of(tile, op)?)));
        let found = known
            .filter_map(|(op, known)| outside(tile, op, &known).or_else(|| overlap(program, op, &known)));
        found.map(Diagnostic::from).collect::<Vec<_>>()
    };
    let mut found: Vec<Diagnostic> = Vec::new();
    for diag in program.tiles.iter().flat_map(|tile| of_tile(tile)) {
        if !found.contains(&diag) {
            found.push(diag);
        }
    }
    found
}

/// The operands of an operation, all of which are known: the sources, then the destination.
struct Operands {
    dsds: Vec<(Option<Dsd>, Elem)>,
    /// Elements of the operation.
    count: u32,
}

impl Operands {
    fn of(tile: &TileImage, op: &VectorOp) -> Option<Operands> {
        // A control wavelet may end an operation early.
        if op.config.on_control.is_some() {
            return None;
        }
        let elements = op.form().sources.iter().map(|source| source.elem());
        let all = op.sources.iter().zip(elements).chain([(&op.dest, OPS[usize::from(op.op)].dest)]);
        let dsds: Vec<_> =
            all.map(|(operand, elem)| Some((known(tile, operand)?, elem))).collect::<Option<_>>()?;
        let count = dsds.iter().find_map(|(dsd, _)| elements_of(dsd.as_ref()?))?;
        Some(Operands { dsds, count })
    }
}

/// The first operand of an operation that leaves its array; to write there is worse than to read.
fn outside(tile: &TileImage, op: &VectorOp, operands: &Operands) -> Option<Diag> {
    let (dest, sources) = operands.dsds.split_last()?;
    let leaves = |(dsd, elem): &(Option<Dsd>, Elem), rule| {
        leaves(tile, op, dsd.as_ref()?, *elem, (operands.count, rule))
    };
    leaves(dest, &MEMORY_OUT_OF_BOUNDS)
        .or_else(|| sources.iter().find_map(|source| leaves(source, &OUTSIDE_VARIABLE)))
}

/// A destination that is so far ahead of a source in the same array that the machine reads elements before it has
/// written them (entry UB-020).
fn overlap(program: &Program, op: &VectorOp, operands: &Operands) -> Option<Diag> {
    let row = &OPS[usize::from(op.op)];
    let brought = |(dsd, elem): &(Option<Dsd>, Elem)| match dsd {
        Some(Dsd::FabIn(fabin)) => fabin.simd.elements(elem.words()),
        _ => u32::MAX,
    };
    let width = operands.dsds.iter().map(brought).fold(row.width(program.arch).into(), u32::min);
    let cursor = |(dsd, elem): &(Option<Dsd>, Elem)| match dsd {
        Some(Dsd::Mem(mem)) if !mem.index_offset => {
            Some(AddressCursor::new(mem, mem.base, elem.words(), (mem.lo, mem.hi)))
        }
        _ => None,
    };
    let (dest, sources) = operands.dsds.split_last()?;
    let dest = cursor(dest)?;
    let lags = sources.iter().filter_map(|source| overlap::lag(&dest, &cursor(source)?, operands.count));
    let lag = lags.min().filter(|lag| *lag < width)?;
    let c = OVERLAP.because(&[("lag", &lag)]).at(op.span);
    let note = format!("the machine processes up to {width} elements of `@{}` at once", row.name);
    Some(c.note(note).help("write to another array, or start at the other end"))
}

/// The DSD of an operand; `None` if it turns out at run time.
fn known(tile: &TileImage, operand: &DsdOperand) -> Option<Option<Dsd>> {
    match operand {
        DsdOperand::Dsd(DsdRef::Const(n)) => {
            let dsd = tile.dsds[*n as usize];
            (!matches!(dsd, Dsd::Fifo(_))).then_some(Some(dsd))
        }
        DsdOperand::Dsd(DsdRef::At(..) | DsdRef::Dsr(_)) => None,
        DsdOperand::Scalar(_) | DsdOperand::Pointer(_) | DsdOperand::Nowhere => Some(None),
    }
}

/// How many elements a DSD has; `None` if it has no end.
fn elements_of(dsd: &Dsd) -> Option<u32> {
    let extent = match dsd {
        Dsd::Mem(mem) => return Some(mem.length()),
        Dsd::FabIn(fabin) => fabin.extent,
        Dsd::FabOut(fabout) => fabout.extent,
        Dsd::Fifo(_) => return None,
    };
    (extent != crate::dsd::ENDLESS).then(|| extent.into())
}

fn leaves(
    tile: &TileImage,
    op: &VectorOp,
    dsd: &Dsd,
    elem: Elem,
    (count, rule): (u32, &'static Rule),
) -> Option<Diag> {
    let Dsd::Mem(mem @ Mem { kind: MemKind::Mem1d | MemKind::Mem4d, index_offset: false, .. }) = dsd else {
        return None;
    };
    let mut cursor = AddressCursor::new(mem, mem.base, elem.words(), (mem.lo, mem.hi));
    let outside = (0..count.min(mem.length())).find(|_| cursor.next_element().is_err())?;
    let owner = tile.symbols.iter().find(|s| s.addr == mem.lo && s.addr + s.words == mem.hi);
    let what = owner.map_or("its array".to_string(), |symbol| format!("`{}`", symbol.name));
    let address = cursor.position();
    let c = rule.because(&[("address", &address), ("what", &what)]).at(op.span);
    let c = c.note(format!("it would be element {outside}, counted from 0"));
    let c = match owner {
        Some(s) => c.also(s.span, format!("{what} occupies words {} to {}", s.addr, s.addr + s.words - 1)),
        None => c,
    };
    let made = tile.origins.get(usize::from(mem.origin).wrapping_sub(1)).copied();
    let c = match made {
        Some(span) => c.also(span, "this DSD was made or changed here"),
        None => c,
    };
    let other = owner.and_then(|symbol| for_its_elements(symbol, op, elem));
    Some(match other {
        Some(other) => c.help(other),
        None => c,
    })
}

/// What to write if the operation takes wider or narrower elements than the array has.
fn for_its_elements(symbol: &Symbol, op: &VectorOp, elem: Elem) -> Option<String> {
    let scalar = symbol.element?;
    let own = match scalar {
        Scalar::I16 | Scalar::U16 => Elem::Int16,
        Scalar::I32 | Scalar::U32 => Elem::Int32,
        Scalar::F16 | Scalar::Bf16 | Scalar::Cb16 => Elem::F16,
        Scalar::F32 => Elem::F32,
        Scalar::Bool | Scalar::I8 | Scalar::U8 | Scalar::I64 | Scalar::U64 => return None,
    };
    if own.words() == elem.words() {
        return None;
    }
    let row = &OPS[usize::from(op.op)];
    let instead = match OPS.iter().find(|other| other.doc == row.doc && other.dest == own) {
        Some(other) => format!("use `@{}`", other.name),
        None => format!("make it an array of `{}`", elem.name()),
    };
    let (name, words) = (&symbol.name, elem.name());
    Some(format!(
        "`@{}` takes elements of {words}, and `{name}` has `{}`: {instead}",
        row.name,
        scalar.name()
    ))
}
