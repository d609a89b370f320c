//! XDSRs and stride registers. Each is one physical register that several DSRs can share.

use crate::arch::DsrId;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::REGISTER_OVERWRITTEN;
use crate::dsd::{Mem, MemKind};
use crate::image::code::DsrLoad;
use crate::source::Span;
use std::fmt::Display;

/// The XDSR and the stride registers that a load names.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Others {
    xdsr: Option<u8>,
    /// Only the first `count` are used.
    strides: [u8; 3],
    count: u8,
}

impl Others {
    /// The registers of a load.
    pub fn of(load: &DsrLoad) -> Others {
        let mut strides = [0; 3];
        let count = load.strides.len().min(strides.len());
        strides[..count].copy_from_slice(&load.strides[..count]);
        Others { xdsr: load.xdsr, strides, count: count as u8 }
    }

    /// Whether the load names none.
    #[inline]
    pub fn are_none(&self) -> bool {
        self.xdsr.is_none() && self.count == 0
    }

    /// The stride registers, and the dimensions of a vector with the steps that they hold: the slowest ones.
    fn steps(self, mem: &Mem) -> impl Iterator<Item = (u8, usize, i16)> + use<> {
        let dims = usize::from(mem.dims);
        let count = usize::from(self.count).min(dims.saturating_sub(1));
        let steps = mem.step;
        (dims - count..dims).enumerate().map(move |(k, dim)| (self.strides[k], dim, steps[dim]))
    }
}

/// The contents of a register, and the load that wrote them.
#[derive(Copy, Clone, Debug)]
struct FilledRegister {
    /// The DSR that the load was for.
    dsr: DsrId,
    mem: Mem,
    /// The step, in words, if this is a stride register.
    step: i16,
    span: Span,
}

/// All XDSRs and stride registers, each file as long as its highest register in use.
#[derive(Clone, Debug, Default)]
pub(super) struct Extended {
    xdsrs: Vec<Option<FilledRegister>>,
    strides: Vec<Option<FilledRegister>>,
}

impl Extended {
    /// Writes the registers of a load.
    pub fn fill(&mut self, dsr: DsrId, others: Others, mem: &Mem, span: Span) {
        if let Some(xdsr) = others.xdsr {
            put(&mut self.xdsrs, xdsr, FilledRegister { dsr, mem: *mem, step: 0, span });
        }
        for (sr, _, step) in others.steps(mem) {
            put(&mut self.strides, sr, FilledRegister { dsr, mem: *mem, step, span });
        }
    }

    /// The first register of a DSR that no longer holds what its load wrote. A stride register
    /// may serve several vectors with the same step; an XDSR serves one.
    #[inline]
    pub fn clash(&self, dsr: DsrId, others: Others, mem: &Mem, loaded: Span) -> Option<Diag> {
        if others.are_none() { None } else { self.clash_of(dsr, others, mem, loaded) }
    }

    fn clash_of(&self, dsr: DsrId, others: Others, mem: &Mem, loaded: Span) -> Option<Diag> {
        if let Some(xdsr) = others.xdsr
            && let Some(held) = self.xdsr(xdsr)
            && held.dsr != dsr
        {
            return Some(overwritten(&format!("xdsr {xdsr}"), dsr, held, loaded));
        }
        others.steps(mem).find_map(|(sr, _, step)| {
            let held = self.stride(sr).filter(|held| held.step != step)?;
            Some(overwritten(&format!("sr {sr}"), dsr, held, loaded))
        })
    }

    /// Changes the vector to what the registers now describe: an XDSR holds the extents of the slower
    /// dimensions, or the bounds of a circular buffer. Returns the start if the buffer is a different one.
    pub fn take_over(&self, others: Others, mem: &mut Mem) -> Option<u16> {
        let steps: Vec<_> = others.steps(mem).collect();
        for (sr, dim, _) in steps {
            mem.step[dim] = self.stride(sr).map_or(mem.step[dim], |held| held.step);
        }
        let held = others.xdsr.and_then(|xdsr| self.xdsr(xdsr)).filter(|held| held.mem.kind == mem.kind)?;
        if mem.kind == MemKind::Circbuf {
            *mem = Mem { extent: mem.extent, ..held.mem };
            return Some(mem.base);
        }
        mem.extent[1..].copy_from_slice(&held.mem.extent[1..]);
        mem.dims = held.mem.dims;
        None
    }

    fn xdsr(&self, number: u8) -> Option<&FilledRegister> {
        self.xdsrs.get(usize::from(number))?.as_ref()
    }

    fn stride(&self, number: u8) -> Option<&FilledRegister> {
        self.strides.get(usize::from(number))?.as_ref()
    }
}

fn put(file: &mut Vec<Option<FilledRegister>>, number: u8, held: FilledRegister) {
    let number = usize::from(number);
    if file.len() <= number {
        file.resize(number + 1, None);
    }
    file[number] = Some(held);
}

fn overwritten(register: &dyn Display, dsr: DsrId, held: &FilledRegister, loaded: Span) -> Diag {
    let facts: [(&str, &dyn Display); 3] = [("register", register), ("dsr", &dsr), ("other", &held.dsr)];
    REGISTER_OVERWRITTEN
        .because(&facts)
        .also(loaded, format!("{dsr} was loaded here"))
        .also(held.span, "and this load has changed the register")
}
