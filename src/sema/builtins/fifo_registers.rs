//! `@allocate_fifo(buffer, .{ .dest, .src, .xdsr })`: registers that the program chooses.

use super::properties::Property;
use crate::arch::{DsrFile, DsrId};
use crate::diagnostics::Result;
use crate::diagnostics::rules::{comptime, dsd as rules};
use crate::dsd::FifoId;
use crate::image::FifoRegisters;
use crate::sema::lower::Tile;
use crate::sema::value::Value;
use crate::source::Span;
use crate::value::ty::IdKind;

/// The settings that name registers, with their types.
const NAMES: [(&str, IdKind); 3] =
    [("dest", IdKind::DsrDest), ("src", IdKind::DsrSrc1), ("xdsr", IdKind::Xdsr)];

/// Takes the registers that the settings name, if they name any.
pub fn fifo_registers(tile: &mut Tile, fifo: FifoId, settings: &[Property], at: Span) -> Result<()> {
    let mut numbers = [None; 3];
    for ((name, kind), number) in NAMES.iter().zip(&mut numbers) {
        let Some(given) = settings.iter().find(|p| p.name == *name) else { continue };
        match given.known()? {
            Value::Id(k, n) if k == kind => *number = Some(*n as u8),
            other => {
                return Err(comptime::TYPE_MISMATCH
                    .because(&[("want", &kind.name()), ("have", &other.ty())])
                    .at(given.at)
                    .help(format!("`.{name}` takes a value of type {}", kind.name())));
            }
        }
    }
    let registers = match numbers {
        [None, None, None] => return Ok(()),
        [Some(dest), Some(src), Some(xdsr)] if dest == src => FifoRegisters { dsr: dest, xdsr },
        [Some(dest), Some(src), Some(_)] => {
            let c = rules::FIFO_DSR_NUMBERS.because(&[("dest", &dest), ("src", &src)]);
            return Err(c.at(at).help("give both the same number"));
        }
        _ => return Err(incomplete(&numbers).at(at)),
    };
    fifo_takes(tile, fifo, registers, at)
}

fn fifo_takes(tile: &mut Tile, fifo: FifoId, registers: FifoRegisters, at: Span) -> Result<()> {
    let fifos = &mut tile.image.fifos;
    let other = fifos.iter().filter(|f| f.explicit).find_map(|f| {
        let theirs = f.registers;
        let shared = if theirs.dsr == registers.dsr {
            DsrId { file: DsrFile::Dest, number: theirs.dsr }.to_string()
        } else if theirs.xdsr == registers.xdsr {
            format!("xdsr {}", theirs.xdsr)
        } else {
            return None;
        };
        Some((shared, f.name.clone(), f.span))
    });
    if let Some((shared, name, span)) = other {
        return Err(rules::REGISTER_TAKEN
            .because(&[("register", &shared)])
            .at(at)
            .also(span, format!("`{name}` has it"))
            .help("choose another number"));
    }
    let own = &mut fifos[usize::from(fifo.0)];
    own.registers = registers;
    own.explicit = true;
    Ok(())
}

fn incomplete(numbers: &[Option<u8>; 3]) -> crate::diagnostics::Diag {
    let named = |given: bool| {
        let names = NAMES.iter().zip(numbers).filter(|(_, n)| n.is_some() == given);
        names.map(|((name, _), _)| format!("`.{name}`")).collect::<Vec<_>>().join(" and ")
    };
    rules::FIFO_DSR_MISSING
        .because(&[("have", &named(true)), ("missing", &named(false))])
        .help("give all three, or none to let the compiler choose")
}
