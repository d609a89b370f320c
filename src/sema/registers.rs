//! Which data structure registers hold what: explicit ones as asked, the others by the compiler.
//!
//! The result is a table for people: the interpreter gives every operation registers of its own, so
//! running out of automatic registers only means that an operation reloads one.

use crate::arch::{Arch, DsrFile};
use crate::dsd::Dsd;
use crate::image::code::{DsdRef, Operand};
use crate::image::{RegisterUse, TileImage};
use crate::source::Span;

const FILES: [(DsrFile, &str); 3] =
    [(DsrFile::Dest, "dest"), (DsrFile::Src0, "src0"), (DsrFile::Src1, "src1")];

/// Fills `image.registers`.
pub fn allocate(arch: &Arch, image: &mut TileImage) {
    let mut table = Table { arch, rows: Vec::new(), explicit: [0; 3], next: [0; 3], held: Vec::new() };
    for f in &image.fifos {
        for file in [DsrFile::Dest, DsrFile::Src1] {
            table.explicit[file as usize] |= 1 << f.dsr;
            let text = format!("{} (fifo, {} elements)", f.name, f.capacity);
            table.row(register(file, f.dsr), text, "compiler", f.span);
        }
        table.row(format!("xdsr {}", f.xdsr), f.name.clone(), "compiler", f.span);
    }
    for load in &image.dsr_loads {
        let id = load.dsr.id;
        table.explicit[id.file as usize] |= 1 << id.number;
        let what = match load.dsd {
            DsdRef::Const(n) => describe(image, &image.dsds[n as usize]),
            DsdRef::At(_) => "a DSD known at run time".to_string(),
            DsdRef::Dsr(_) => continue,
        };
        table.row(register(id.file, id.number), what, "explicit", load.span);
    }
    for op in &image.vector_ops {
        if let Operand::Dsd(DsdRef::Const(n)) = op.dest {
            table.automatic(DsrFile::Dest, n, image, op.span);
        }
        let files: &[DsrFile] =
            if op.sources.len() > 1 { &[DsrFile::Src0, DsrFile::Src1] } else { &[DsrFile::Src1] };
        for (source, file) in op.sources.iter().zip(files) {
            if let Operand::Dsd(DsdRef::Const(n)) = source {
                table.automatic(*file, *n, image, op.span);
            }
        }
    }
    image.registers = table.rows;
}

struct Table<'a> {
    arch: &'a Arch,
    rows: Vec<RegisterUse>,
    /// Numbers taken in each file.
    explicit: [u32; 3],
    /// Where the search for a free one goes on.
    next: [u8; 3],
    /// DSD constants that have a register already.
    held: Vec<(DsrFile, u32)>,
}

impl Table<'_> {
    fn row(&mut self, register: String, holds: String, chosen_by: &str, span: Span) {
        let row = RegisterUse { register, holds, chosen_by: chosen_by.to_string(), span };
        let same = |r: &RegisterUse| r.register == row.register && r.holds == row.holds;
        if !self.rows.iter().any(same) {
            self.rows.push(row);
        }
    }

    /// Lowest number first, so the table reads in source order; starts over when all are in use.
    fn automatic(&mut self, file: DsrFile, dsd: u32, image: &TileImage, span: Span) {
        if matches!(image.dsds[dsd as usize], Dsd::Fifo(_)) || self.held.contains(&(file, dsd)) {
            return;
        }
        let count = self.arch.dsrs[file as usize];
        let start = self.next[file as usize];
        let free =
            (0..count).map(|i| (start + i) % count).find(|n| self.explicit[file as usize] & 1 << n == 0);
        let Some(number) = free else { return };
        self.next[file as usize] = (number + 1) % count;
        self.held.push((file, dsd));
        self.row(register(file, number), describe(image, &image.dsds[dsd as usize]), "compiler", span);
    }
}

fn register(file: DsrFile, number: u8) -> String {
    let (_, word) = FILES[file as usize];
    format!("{word} {number}")
}

fn describe(image: &TileImage, d: &Dsd) -> String {
    match d {
        Dsd::Mem(m) => {
            let symbol =
                image.symbols.iter().rev().find(|s| s.addr <= m.base && m.base < s.addr + s.words.max(1));
            let name = symbol.map_or("memory", |s| s.name.as_str());
            let kind = if m.dims == 1 { "mem1d" } else { "mem4d" };
            format!("{name} ({kind}, {} elements)", m.length())
        }
        Dsd::FabIn(f) => format!("fabin ({} elements)", f.extent),
        Dsd::FabOut(f) => format!("fabout ({} elements)", f.extent),
        Dsd::Fifo(id) => image.fifos.get(usize::from(id.0)).map_or("fifo".to_string(), |f| f.name.clone()),
    }
}
