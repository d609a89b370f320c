//! For how many cycles after its launch nothing can interfere with an asynchronous operation.

use super::line_shape::VectorShape;
use crate::arch::{Arch, OutQueue};
use crate::exec::cycles::start_cycles;
use crate::image::TileImage;
use crate::image::code::{Op, VectorOp};

/// For each of `vector_ops`, the cycles after its launch in which neither code nor another operation changes memory,
/// uses its queue or moves an element; `shapes` is what is known of each.
pub(super) fn undisturbed_cycles(tile: &TileImage, shapes: &[VectorShape], arch: &Arch) -> Vec<u64> {
    let is_called = called(tile);
    let mut quiet = vec![None; tile.vector_ops.len()];
    for (function, is_called) in tile.functions.iter().zip(is_called) {
        for (at, op) in function.code.iter().enumerate() {
            let Op::Vector { n } = *op else { continue };
            let cycles = behind(tile, shapes, n, &function.code[at + 1..], arch, is_called);
            let known = &mut quiet[n as usize];
            *known = Some(known.unwrap_or(u64::MAX).min(cycles));
        }
    }
    quiet.into_iter().map(Option::unwrap_or_default).collect()
}

/// For each function whether code calls it, or may.
fn called(tile: &TileImage) -> Vec<bool> {
    let code = || tile.functions.iter().flat_map(|function| function.code.iter());
    let has_pointers = code().any(|op| matches!(op, Op::CallPtr { .. }));
    let mut called = vec![has_pointers; tile.functions.len()];
    for op in code() {
        if let Op::Call { f, .. } = op {
            called[f.0 as usize] = true;
        }
    }
    called
}

/// The same for operation `n`, with `code` behind it. `is_called`: its function may return to other code.
fn behind(
    tile: &TileImage,
    shapes: &[VectorShape],
    n: u32,
    code: &[Op],
    arch: &Arch,
    is_called: bool,
) -> u64 {
    for op in code {
        match op {
            // They change registers and the states of tasks.
            Op::Mov { .. } | Op::LoadAt { .. } => {}
            Op::Block { .. } | Op::Unblock { .. } | Op::Activate { .. } => {}
            // Another one that sends does its first element once it has started.
            Op::Vector { n: next } => {
                let (own, other) = (sends_to(tile, shapes, n), sends_to(tile, shapes, *next));
                let is_apart = own.zip(other).is_some_and(|(own, other)| own.0 & 7 != other.0 & 7);
                let next = &tile.vector_ops[*next as usize];
                return if is_apart { start_cycles(next, &arch.costs.vectors) } else { 0 };
            }
            // The next task takes its time to start.
            Op::Ret if !is_called => return arch.costs.tasks.start.min(arch.costs.tasks.data_start).into(),
            _ => return 0,
        }
    }
    0
}

/// The queue that an operation sends to, in the microthread of that queue.
fn sends_to(tile: &TileImage, shapes: &[VectorShape], n: u32) -> Option<OutQueue> {
    let VectorOp { config, .. } = &tile.vector_ops[n as usize];
    match &shapes[n as usize] {
        VectorShape::Send(shape) if config.ut.is_none() => Some(shape.to.1),
        _ => None,
    }
}
