//! The registers of a tile, and who has each.

use crate::arch::{Arch, DsrFile};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::dsd as rules;
use crate::dsd::{Dsd, MemKind};
use crate::image::code::{DsdRef, DsrLoad};
use crate::image::{FifoRegisters, OperandRegisters, RegisterUse, TileImage};
use crate::source::Span;
use crate::value::ty::Ty;
use std::fmt::Write;
use std::sync::Arc;

const FEWER_FIFOS: &str = "use fewer FIFOs: each keeps its registers for as long as the program runs";

/// The five kinds of registers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Bank {
    Dest,
    Src0,
    Src1,
    Xdsr,
    Stride,
}

impl Bank {
    pub(super) const ALL: [Bank; 5] = [Bank::Dest, Bank::Src0, Bank::Src1, Bank::Xdsr, Bank::Stride];

    pub(super) fn name(self) -> &'static str {
        match self {
            Bank::Dest => "dest",
            Bank::Src0 => "src0",
            Bank::Src1 => "src1",
            Bank::Xdsr => "xdsr",
            Bank::Stride => "sr",
        }
    }

    /// The type of such a register in CSL.
    pub(super) fn ty(self) -> &'static str {
        match self {
            Bank::Dest => "dsr_dest",
            Bank::Src0 => "dsr_src0",
            Bank::Src1 => "dsr_src1",
            Bank::Xdsr => "xdsr",
            Bank::Stride => "sr",
        }
    }

    pub(super) fn count(self, arch: &Arch) -> u8 {
        match self {
            Bank::Dest | Bank::Src0 | Bank::Src1 => arch.dsrs[self as usize],
            Bank::Xdsr => arch.xdsrs,
            Bank::Stride => arch.stride_registers,
        }
    }
}

impl From<DsrFile> for Bank {
    fn from(file: DsrFile) -> Bank {
        match file {
            DsrFile::Dest => Bank::Dest,
            DsrFile::Src0 => Bank::Src0,
            DsrFile::Src1 => Bank::Src1,
        }
    }
}

/// A register that is never free again.
#[derive(Clone, Debug)]
pub(super) struct Holder {
    /// Such as `fifo` or `a load`.
    what: String,
    span: Span,
}

/// What the compiler has loaded into a register: the number of a DSD constant (`None` for one that is
/// known at run time only), and the text for people.
pub(super) type Content = (Option<u32>, Arc<str>);

pub(super) struct Table<'a> {
    pub(super) arch: &'a Arch,
    pub(super) rows: Vec<(Bank, u8, RegisterUse)>,
    pub(super) operands: Vec<OperandRegisters>,
    pub(super) diags: Vec<Diag>,
    /// Who has each register for good, by bank and number.
    pub(super) held: [Vec<Option<Holder>>; 5],
    /// What the compiler has put into the others, by bank and number.
    pub(super) automatic: [Vec<Option<Content>>; 5],
    /// Where the search for a free one goes on.
    pub(super) next: [u8; 5],
    /// Banks of which the program was told that they do not suffice.
    pub(super) told: Vec<Bank>,
    /// The texts for DSD constants that were asked for.
    pub(super) texts: Vec<Option<Arc<str>>>,
}

impl<'a> Table<'a> {
    /// Everything that the program names is taken.
    pub(super) fn new(arch: &'a Arch, image: &TileImage) -> Table<'a> {
        let mut table = Table {
            arch,
            rows: Vec::new(),
            operands: Vec::new(),
            diags: Vec::new(),
            held: Bank::ALL.map(|b| vec![None; b.count(arch).into()]),
            automatic: Bank::ALL.map(|b| vec![None; b.count(arch).into()]),
            next: [0; 5],
            told: Vec::new(),
            texts: vec![None; image.dsds.len()],
        };
        for load in &image.dsr_loads {
            let holder = Holder { what: "loaded here".to_string(), span: load.span };
            for (bank, number) in registers_of(load) {
                table.hold(bank, number, holder.clone());
            }
        }
        table
    }

    pub(super) fn hold(&mut self, bank: Bank, number: u8, holder: Holder) {
        self.held[bank as usize][usize::from(number)].get_or_insert(holder);
    }

    pub(super) fn is_free(&self, bank: Bank, number: u8) -> bool {
        self.held[bank as usize].get(usize::from(number)).is_some_and(Option::is_none)
    }

    /// A FIFO keeps a dest and a src1 DSR of equal number and an XDSR.
    pub(super) fn fifo(&mut self, image: &mut TileImage, n: usize) {
        let fifo = &mut image.fifos[n];
        let holder = Holder { what: format!("the FIFO `{}`", fifo.name), span: fifo.span };
        if fifo.explicit {
            self.check_taken(fifo.registers, fifo.span);
        } else {
            // From the top, as people number from the bottom.
            let both = |dsr: &u8| self.is_free(Bank::Dest, *dsr) && self.is_free(Bank::Src1, *dsr);
            let dsr = (0..self.arch.dsrs[0].min(self.arch.dsrs[2])).rev().find(both);
            let xdsr = (0..self.arch.xdsrs).rev().find(|n| self.is_free(Bank::Xdsr, *n));
            match (dsr, xdsr) {
                (Some(dsr), Some(xdsr)) => fifo.registers = FifoRegisters { dsr, xdsr },
                (None, _) => return self.exhausted(Bank::Dest, 1, &holder.what, fifo.span, FEWER_FIFOS),
                (_, None) => return self.exhausted(Bank::Xdsr, 1, &holder.what, fifo.span, FEWER_FIFOS),
            }
        }
        let FifoRegisters { dsr, xdsr } = fifo.registers;
        let text = format!("{} (fifo, {} elements)", fifo.name, fifo.capacity).into();
        for (bank, number) in [(Bank::Dest, dsr), (Bank::Src1, dsr), (Bank::Xdsr, xdsr)] {
            self.hold(bank, number, holder.clone());
            self.row(bank, number, &text, fifo.explicit, fifo.span);
        }
    }

    /// Registers that the program gives to a FIFO are not loaded with anything else.
    fn check_taken(&mut self, registers: FifoRegisters, span: Span) {
        let FifoRegisters { dsr, xdsr } = registers;
        for (bank, number) in [(Bank::Dest, dsr), (Bank::Src1, dsr), (Bank::Xdsr, xdsr)] {
            if let Some(holder) = &self.held[bank as usize][usize::from(number)] {
                let diag = rules::REGISTER_TAKEN
                    .because(&[("register", &format!("{} {number}", bank.ty()))])
                    .at(span)
                    .also(holder.span, holder.what.clone())
                    .help("choose another number");
                return self.diags.push(diag);
            }
        }
    }

    pub(super) fn loads(&mut self, image: &TileImage) {
        for load in &image.dsr_loads {
            let text = self.contents(image, load.dsd);
            for (bank, number) in registers_of(load) {
                self.row(bank, number, &text, true, load.span);
            }
        }
    }

    pub(super) fn row(&mut self, bank: Bank, number: u8, holds: &Arc<str>, explicit: bool, span: Span) {
        if self.rows.iter().any(|(b, n, r)| (*b, *n) == (bank, number) && r.holds == *holds) {
            return;
        }
        let register = listed(&[(bank, number)]);
        let chosen_by = if explicit { "the program" } else { "the compiler" }.into();
        self.rows.push((bank, number, RegisterUse { register, holds: holds.clone(), chosen_by, span }));
    }

    /// What a register holds that is loaded with a DSD.
    pub(super) fn contents(&mut self, image: &TileImage, dsd: DsdRef) -> Arc<str> {
        let DsdRef::Const(n) = dsd else { return contents_at_run_time(dsd).into() };
        let text = &mut self.texts[n as usize];
        text.get_or_insert_with(|| describe(image, &image.dsds[n as usize]).into()).clone()
    }

    /// Something needs more registers at once than are free; said once for each kind.
    pub(super) fn exhausted(&mut self, bank: Bank, need: usize, user: &str, span: Span, help: &str) {
        if self.told.contains(&bank) {
            return;
        }
        self.told.push(bank);
        let held = &self.held[bank as usize];
        let free = held.iter().filter(|h| h.is_none()).count();
        let facts: [(&str, &dyn std::fmt::Display); 4] =
            [("user", &user), ("need", &need), ("kind", &bank.ty()), ("free", &free)];
        let mut c = rules::REGISTERS_EXHAUSTED.because(&facts).at(span);
        for (span, numbers) in by_place(held) {
            c = c.also(span, format!("held here: {} {}", bank.ty(), numbers.join(", ")));
        }
        let machine = format!("{} has {} registers of type {}", self.arch.word, held.len(), bank.ty());
        self.diags.push(c.note(machine).help(help));
    }
}

/// The numbers that are held, by the place that holds them.
fn by_place(held: &[Option<Holder>]) -> Vec<(Span, Vec<String>)> {
    let mut places: Vec<(Span, Vec<String>)> = Vec::new();
    for (number, holder) in held.iter().enumerate() {
        let Some(Holder { span, .. }) = holder else { continue };
        match places.iter_mut().find(|(place, _)| place == span) {
            Some((_, numbers)) => numbers.push(number.to_string()),
            None => places.push((*span, vec![number.to_string()])),
        }
    }
    places
}

/// The registers that a load fills.
pub(super) fn registers_of(load: &DsrLoad) -> impl Iterator<Item = (Bank, u8)> {
    let dsr = (load.dsr.id.file.into(), load.dsr.id.number);
    let xdsr = load.xdsr.map(|n| (Bank::Xdsr, n));
    let strides = load.strides.iter().map(|n| (Bank::Stride, *n));
    std::iter::once(dsr).chain(xdsr).chain(strides)
}

fn contents_at_run_time(dsd: DsdRef) -> String {
    match dsd {
        DsdRef::At(_, kind) => format!("a {} known at run time", Ty::Dsd(kind)),
        DsdRef::Dsr(dsr) => dsr.id.to_string(),
        DsdRef::Const(_) => unreachable!("a constant is known before"),
    }
}

/// Registers by their names, such as `src0 0, xdsr 1`.
pub(super) fn listed(registers: &[(Bank, u8)]) -> String {
    let mut text = String::with_capacity(registers.len() * 8);
    for (bank, number) in registers {
        let comma = if text.is_empty() { "" } else { ", " };
        write!(text, "{comma}{} {number}", bank.name()).expect("a text takes everything");
    }
    text
}

fn describe(image: &TileImage, d: &Dsd) -> String {
    match d {
        Dsd::Mem(m) => {
            let symbol =
                image.symbols.iter().rev().find(|s| s.addr <= m.base && m.base < s.addr + s.words.max(1));
            let mut text = symbol.map_or("memory".to_string(), |s| s.name.clone());
            if let Some(s) = symbol.filter(|s| s.addr != m.base) {
                write!(text, " from word {}", m.base - s.addr).expect("a text takes everything");
            }
            let kind = match m.kind {
                MemKind::Mem1d => " (mem1d, ",
                MemKind::Mem4d => " (mem4d, ",
                MemKind::Circbuf => " (circbuf, ",
            };
            text += kind;
            for (n, extent) in m.extent[..usize::from(m.dims)].iter().rev().enumerate() {
                let between = if n == 0 { "" } else { " x " };
                write!(text, "{between}{extent}").expect("a text takes everything");
            }
            text + " elements)"
        }
        Dsd::FabIn(f) => format!("fabin ({} elements)", f.extent),
        Dsd::FabOut(f) => format!("fabout ({} elements)", f.extent),
        Dsd::Fifo(id) => image.fifos.get(usize::from(id.0)).map_or("fifo".to_string(), |f| f.name.clone()),
    }
}
