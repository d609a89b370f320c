//! The registers of every operation, as a compiler may choose them.

use super::table::{Bank, Content, Table, listed, registers_of};
use crate::arch::ArchName;
use crate::dsd::ops::OPS;
use crate::dsd::{Dsd, Mem, MemKind};
use crate::image::code::{DsdOperand, DsdRef, MapOp, VectorOp};
use crate::image::{DsrRef, OperandRegisters, TileImage};
use crate::sema::builtins::dsr_loads::stride_registers_needed;
use crate::source::Span;
use crate::value::ty::DsdTy;
use std::borrow::Cow;
use std::sync::Arc;

/// A vector operand of an operation.
struct Slot {
    dsd: DsdRef,
    /// The file for an operand that the program does not load itself.
    bank: Bank,
    role: &'static str,
}

impl Slot {
    /// The number of its DSD, if that is known.
    fn constant(&self) -> Option<u32> {
        match self.dsd {
            DsdRef::Const(n) => Some(n),
            DsdRef::At(..) | DsdRef::Dsr(_) => None,
        }
    }
}

/// What an operand needs beside its DSR.
#[derive(Default)]
struct Needs {
    xdsr: bool,
    /// One entry for each stride register.
    strides: Vec<String>,
    /// Behind what is said of the DSR.
    why: Cow<'static, str>,
}

/// What an operand is, its registers, and why these.
type Described = (Arc<str>, String, Cow<'static, str>);

impl Table<'_> {
    /// Fills `operands`, and adds what the compiler loads to `rows`.
    pub(super) fn operands(&mut self, image: &TileImage) {
        for op in &image.vector_ops {
            self.operation(image, OPS[usize::from(op.op)].name, &slots(op), op.span);
        }
        for map in &image.maps {
            self.operation(image, "map", &map_slots(map), map.span);
        }
    }

    fn operation(&mut self, image: &TileImage, name: &'static str, slots: &[Slot], span: Span) {
        if !self.suffices(image, name, slots, span) {
            return;
        }
        let pair = self.pair(image, slots);
        let mut taken = Vec::new();
        for slot in slots {
            let (what, registers, why) = match slot.dsd {
                DsdRef::Dsr(dsr) => self.named(image, dsr),
                _ if self.fifo_of(image, slot.dsd).is_some() => self.fifo_operand(image, slot),
                _ => self.automatic_operand(image, slot, pair, &mut taken, span),
            };
            let operand = [slot.role, " ", &what].concat();
            self.operands.push(OperandRegisters { operation: name.into(), operand, registers, why, span });
        }
    }

    /// Whether enough registers are left for all operands of one operation at once.
    fn suffices(&mut self, image: &TileImage, name: &str, slots: &[Slot], span: Span) -> bool {
        let mut need = [0; 5];
        for slot in slots {
            if matches!(slot.dsd, DsdRef::Dsr(_)) || self.fifo_of(image, slot.dsd).is_some() {
                continue;
            }
            let needs = needs(image, slot.dsd);
            need[slot.bank as usize] = 1;
            need[Bank::Xdsr as usize] += usize::from(needs.xdsr);
            // of a DSD known at run time it is not certain that it needs them all
            if slot.constant().is_some() {
                need[Bank::Stride as usize] += needs.strides.len();
            }
        }
        for bank in Bank::ALL {
            let free = self.held[bank as usize].iter().filter(|h| h.is_none()).count();
            if need[bank as usize] > free {
                let help = "use one explicit register for several loads";
                self.exhausted(bank, need[bank as usize], &format!("`@{name}`"), span, help);
                return false;
            }
        }
        true
    }

    /// On WSE-2 the dest and src0 DSRs of one operation carry the same number (ruling OQ-36).
    fn pair(&self, image: &TileImage, slots: &[Slot]) -> Option<u8> {
        if self.arch.name == ArchName::Wse3 {
            return None;
        }
        let file = |slot: &Slot| match slot.dsd {
            DsdRef::Dsr(dsr) => Bank::from(dsr.id.file),
            DsdRef::Const(_) | DsdRef::At(..) => slot.bank,
        };
        let dest = slots.iter().find(|s| file(s) == Bank::Dest)?;
        let src0 = slots.iter().find(|s| file(s) == Bank::Src0)?;
        let number = |slot: &Slot| match slot.dsd {
            DsdRef::Dsr(dsr) => Some(dsr.id.number),
            dsd => self.fifo_of(image, dsd),
        };
        number(dest).or(number(src0)).or_else(|| {
            let holds = |bank: Bank, n: u8, slot: &Slot| {
                let held = self.automatic[bank as usize][usize::from(n)].as_ref();
                held.is_some_and(|(dsd, _)| dsd.is_some() && *dsd == slot.constant())
            };
            let free = |n: &u8| self.is_free(Bank::Dest, *n) && self.is_free(Bank::Src0, *n);
            let count = Bank::Src0.count(self.arch).min(Bank::Dest.count(self.arch));
            let start = self.next[Bank::Dest as usize];
            let reused =
                (0..count).find(|n| free(n) && holds(Bank::Dest, *n, dest) && holds(Bank::Src0, *n, src0));
            reused.or_else(|| (0..count).map(|i| (start + i) % count).find(free))
        })
    }

    /// The number of the DSRs of a FIFO operand.
    fn fifo_of(&self, image: &TileImage, dsd: DsdRef) -> Option<u8> {
        let DsdRef::Const(n) = dsd else { return None };
        let Dsd::Fifo(id) = image.dsds[n as usize] else { return None };
        Some(image.fifos[usize::from(id.0)].registers.dsr)
    }

    fn fifo_operand(&mut self, image: &TileImage, slot: &Slot) -> Described {
        let number = self.fifo_of(image, slot.dsd).unwrap_or_default();
        let xdsr = image.fifos.iter().find(|f| f.registers.dsr == number).map_or(0, |f| f.registers.xdsr);
        let bank = if slot.bank == Bank::Dest { Bank::Dest } else { Bank::Src1 };
        let registers = format!("{} {number}, xdsr {xdsr}", bank.name());
        (self.contents(image, slot.dsd), registers, "the FIFO keeps them".into())
    }

    fn automatic_operand(
        &mut self,
        image: &TileImage,
        slot: &Slot,
        pair: Option<u8>,
        taken: &mut Vec<(Bank, u8)>,
        span: Span,
    ) -> Described {
        let what = self.contents(image, slot.dsd);
        let needs = needs(image, slot.dsd);
        let wanted = pair.filter(|n| slot.bank != Bank::Src1 && self.is_free(slot.bank, *n));
        let content = (slot.constant(), what.clone());
        let mut registers = vec![(slot.bank, self.choose(slot.bank, wanted, content.clone(), taken, span))];
        if needs.xdsr {
            registers.push((Bank::Xdsr, self.choose(Bank::Xdsr, None, content, taken, span)));
        }
        for stride in &needs.strides {
            let content = (slot.constant(), format!("{stride} of {what}").into());
            registers.push((Bank::Stride, self.choose(Bank::Stride, None, content, taken, span)));
        }
        let why = match slot.bank {
            Bank::Dest => "a destination",
            Bank::Src0 => "the first of two sources",
            Bank::Src1 | Bank::Xdsr | Bank::Stride => "the last source",
        };
        (what, listed(&registers), Cow::from(why) + needs.why)
    }

    /// What a DSR named by the program holds, its registers, and why.
    fn named(&mut self, image: &TileImage, dsr: DsrRef) -> Described {
        let loads: Vec<_> = image.dsr_loads.iter().filter(|l| l.dsr.id == dsr.id).collect();
        let own = listed(&[(Bank::from(dsr.id.file), dsr.id.number)]);
        let fifo = image.fifos.iter().find(|f| f.registers.dsr == dsr.id.number);
        let (what, registers) = match (loads.as_slice(), fifo) {
            ([load], _) => {
                let registers: Vec<_> = registers_of(load).collect();
                (self.contents(image, load.dsd), listed(&registers))
            }
            ([], Some(fifo)) => (fifo.name.as_str().into(), format!("{own}, xdsr {}", fifo.registers.xdsr)),
            ([], None) => ("what is never loaded".into(), own),
            (many, _) => (format!("what one of {} loads put there", many.len()).into(), own),
        };
        (what, registers, "the program names it".into())
    }

    /// The wanted number, the one that holds the same already, or the next free one.
    fn choose(
        &mut self,
        bank: Bank,
        wanted: Option<u8>,
        content: Content,
        taken: &mut Vec<(Bank, u8)>,
        span: Span,
    ) -> u8 {
        let count = bank.count(self.arch);
        let start = self.next[bank as usize];
        let usable = |n: &u8| self.is_free(bank, *n) && !taken.contains(&(bank, *n));
        let held = |n: u8| self.automatic[bank as usize][usize::from(n)].as_ref();
        let same = |n: u8| content.0.is_some() && held(n) == Some(&content);
        let found = wanted
            .or_else(|| (0..count).find(|n| usable(n) && same(*n)))
            .or_else(|| (0..count).map(|i| (start + i) % count).find(usable));
        // only the strides of DSDs known at run time can be more than there are: they take turns
        let number = found.unwrap_or(start % count);
        taken.push((bank, number));
        if !same(number) {
            self.next[bank as usize] = (number + 1) % count;
            self.row(bank, number, &content.1, false, span);
            self.automatic[bank as usize][usize::from(number)] = Some(content);
        }
        number
    }
}

/// The vector operands of an operation: of two sources the first is read through src0.
fn slots(op: &VectorOp) -> Vec<Slot> {
    let mut slots = Vec::new();
    if let DsdOperand::Dsd(dsd) = op.dest {
        slots.push(Slot { dsd, bank: Bank::Dest, role: "to" });
    }
    let files: &[Bank] = if op.sources.len() > 1 { &[Bank::Src0, Bank::Src1] } else { &[Bank::Src1] };
    for (source, bank) in op.sources.iter().zip(files) {
        if let DsdOperand::Dsd(dsd) = *source {
            slots.push(Slot { dsd, bank: *bank, role: "from" });
        }
    }
    slots
}

/// The vector operands of `@map`: one element of each is moved at a time.
fn map_slots(map: &MapOp) -> Vec<Slot> {
    let vector = |operand: DsdOperand, bank, role| match operand {
        DsdOperand::Dsd(dsd) => Some(Slot { dsd, bank, role }),
        DsdOperand::Scalar(_) | DsdOperand::Pointer(_) | DsdOperand::Nowhere => None,
    };
    let inputs = map.inputs.iter().filter_map(|(o, _)| vector(*o, Bank::Src1, "from"));
    let output = map.output.and_then(|(o, _)| vector(o, Bank::Dest, "to"));
    inputs.chain(output).collect()
}

fn needs(image: &TileImage, dsd: DsdRef) -> Needs {
    match dsd {
        DsdRef::Const(n) => match &image.dsds[n as usize] {
            Dsd::Mem(m) if m.kind == MemKind::Mem4d => needs_of_mem4d(m),
            Dsd::Mem(m) if m.kind == MemKind::Circbuf => needs_of_circbuf(),
            Dsd::Mem(_) | Dsd::FabIn(_) | Dsd::FabOut(_) | Dsd::Fifo(_) => Needs::default(),
        },
        DsdRef::At(_, DsdTy::Mem4d) => Needs {
            xdsr: true,
            strides: ["the second stride", "the third stride", "the last stride"].map(String::from).to_vec(),
            why: "; a mem4d_dsd known at run time needs an xdsr and 3 sr".into(),
        },
        DsdRef::At(_, DsdTy::Circbuf) => needs_of_circbuf(),
        DsdRef::At(..) | DsdRef::Dsr(_) => Needs::default(),
    }
}

fn needs_of_circbuf() -> Needs {
    Needs { xdsr: true, strides: Vec::new(), why: "; a circular buffer needs an xdsr".into() }
}

fn needs_of_mem4d(m: &Mem) -> Needs {
    let dims = usize::from(m.dims);
    let strides: Vec<String> =
        m.step[dims - stride_registers_needed(m)..dims].iter().map(|s| format!("stride {s}")).collect();
    let why = match strides.is_empty() {
        true => "; a mem4d_dsd needs an xdsr, and no sr for its strides".into(),
        false => format!("; a mem4d_dsd needs an xdsr and an sr for {}", strides.join(" and ")).into(),
    };
    Needs { xdsr: true, strides, why }
}
