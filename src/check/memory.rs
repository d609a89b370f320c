//! Checks that the elements of an operation lie in the arrays of its DSDs, where all of that is known.

use crate::diagnostics::rules::run::MEMORY_OUT_OF_BOUNDS;
use crate::diagnostics::{Diag, Diagnostic};
use crate::dsd::access::AddressCursor;
use crate::dsd::ops::{Elem, OPS};
use crate::dsd::{Dsd, Mem, MemKind};
use crate::image::code::{DsdOperand, DsdRef, VectorOp};
use crate::image::traffic::OpId;
use crate::image::{Program, TileImage};

/// Operations that are certain to leave an array when they run. The host may never launch the function.
pub fn possible(program: &Program) -> Vec<Diagnostic> {
    let of_tile = |tile: &TileImage| {
        let certain = tile.certain();
        let ops = tile.vector_ops.iter().enumerate().filter(|(n, _)| certain.contains(OpId::Vector(*n)));
        ops.filter_map(|(_, op)| outside(tile, op)).map(Diagnostic::from).collect::<Vec<_>>()
    };
    let mut found: Vec<Diagnostic> = Vec::new();
    for diag in program.tiles.iter().flat_map(|tile| of_tile(tile)) {
        if !found.contains(&diag) {
            found.push(diag);
        }
    }
    found
}

/// The first operand of an operation that leaves its array.
fn outside(tile: &TileImage, op: &VectorOp) -> Option<Diag> {
    let row = &OPS[usize::from(op.op)];
    let elements = op.form().sources.iter().map(|source| source.elem());
    let sources: Vec<(&DsdOperand, Elem)> = op.sources.iter().zip(elements).collect();
    let all = || sources.iter().copied().chain([(&op.dest, row.dest)]);
    let dsds: Vec<Option<Dsd>> = all().map(|(operand, _)| known(tile, operand)).collect::<Option<_>>()?;
    let count = dsds.iter().flatten().find_map(elements_of)?;
    // A control wavelet may end an operation early.
    if op.config.on_control.is_some() {
        return None;
    }
    let operands = dsds.iter().zip(all());
    operands.filter_map(|(dsd, (_, elem))| leaves(tile, op, dsd.as_ref()?, elem, count)).next()
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

fn leaves(tile: &TileImage, op: &VectorOp, dsd: &Dsd, elem: Elem, count: u32) -> Option<Diag> {
    let Dsd::Mem(mem @ Mem { kind: MemKind::Mem1d | MemKind::Mem4d, index_offset: false, .. }) = dsd else {
        return None;
    };
    let mut cursor = AddressCursor::new(mem, mem.base, elem.words(), (mem.lo, mem.hi));
    let outside = (0..count.min(mem.length())).find(|_| cursor.next_element().is_err())?;
    let owner = tile.symbols.iter().find(|s| s.addr == mem.lo && s.addr + s.words == mem.hi);
    let what = owner.map_or("its array".to_string(), |symbol| format!("`{}`", symbol.name));
    let address = cursor.position();
    let c = MEMORY_OUT_OF_BOUNDS.because(&[("address", &address), ("what", &what)]).at(op.span);
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
    Some(c.help("shorten the DSD, or move it back, so that it ends inside"))
}
