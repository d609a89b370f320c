//! Which data structure registers hold what: explicit ones as asked, the others by the compiler.
//!
//! The interpreter reads only the registers of FIFOs from here: every operation works on its own copy
//! of its descriptors. The rest are tables for people, and the proof that the registers suffice.

mod operands;
mod table;

use crate::arch::Arch;
use crate::diagnostics::Diag;
use crate::image::TileImage;
use table::Table;

/// Gives the FIFOs their registers, and fills `image.registers` and `image.operands`.
pub fn allocate(arch: &Arch, image: &mut TileImage) -> Vec<Diag> {
    let mut table = Table::new(arch, image);
    let (explicit, automatic): (Vec<usize>, Vec<usize>) =
        (0..image.fifos.len()).partition(|n| image.fifos[*n].explicit);
    for n in explicit.into_iter().chain(automatic) {
        table.fifo(image, n);
    }
    table.loads(image);
    table.operands(image);
    table.rows.sort_by_key(|(bank, number, _)| (*bank as u8, *number));
    image.registers = table.rows.into_iter().map(|(_, _, row)| row).collect();
    image.operands = table.operands.into();
    table.diags
}
