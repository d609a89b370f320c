//! The memory that a wafer needs on this machine, computed before anything is allocated.

use super::machine::available_memory;
use super::{Failure, Runner};
use crate::diagnostics::Result;
use crate::diagnostics::rules::host::WAFER_TOO_LARGE;
use crate::image::Program;

/// Bytes of a PE whose queues and microthreads are all in use, in addition to its memory, with the overhead
/// of the allocator (measured: `benches/programs/exchange.csl` on a whole wafer, docs/performance.md).
const BUSY_PE: u64 = 4 << 10;
/// Bytes of a color at one router, with full buffers (measured likewise).
const COLOR: u64 = 896;
/// Words of stack that typical code uses.
const STACK_WORDS: u64 = 64;

/// Bytes that a program needs on this machine when all its PEs are active.
fn footprint(program: &Program) -> u64 {
    let of_tile = |tile: u32| {
        let words = program.tiles.get(tile as usize).map(|tile| u64::from(tile.data_end) + STACK_WORDS);
        words.map_or(0, |words| BUSY_PE + 2 * words)
    };
    let pes = program.place.iter().enumerate();
    pes.map(|(pe, tile)| of_tile(*tile) + COLOR * program.routes.row(pe).len() as u64).sum()
}

impl Runner {
    /// Bytes that a program needs on this machine when all its PEs are active, as an estimate.
    pub fn footprint(program: &Program) -> u64 {
        footprint(program)
    }

    /// Refuses a program whose wafer needs more memory than so many bytes, or than this machine has left. Nothing is
    /// allocated yet.
    ///
    /// # Errors
    /// [`Failure::Misuse`] with what it needs, and the largest grid of the same shape that fits.
    pub fn check_memory(program: &Program, bytes: Option<u64>) -> std::result::Result<(), Failure> {
        let Some(bytes) = bytes.or_else(available_memory) else { return Ok(()) };
        Ok(check_footprint(program, bytes)?)
    }
}

fn check_footprint(program: &Program, memory: u64) -> Result<()> {
    let needed = footprint(program);
    if needed <= memory {
        return Ok(());
    }
    let (width, height) = (program.width, program.height);
    let facts: [(&str, &dyn std::fmt::Display); 4] =
        [("width", &width), ("height", &height), ("needed", &Size(needed)), ("memory", &Size(memory))];
    let pes = u64::from(width) * u64::from(height);
    let each = format!("that is {} per PE, for its memory, queues and router", Size(needed / pes));
    let c = WAFER_TOO_LARGE.because(&facts).note(each);
    let help = match largest(width, height, memory as f64 / needed as f64) {
        Some((w, h)) => format!("the largest grid of this shape that fits has {w} x {h} PEs"),
        None => "not even one PE fits: raise the limit with --memory".to_string(),
    };
    Err(c.help(help))
}

/// The largest grid of the same shape, if only a part of the PEs fits.
fn largest(width: u16, height: u16, part: f64) -> Option<(u64, u64)> {
    let pes = (f64::from(width) * f64::from(height) * part) as u64;
    let side = |n: u16| ((f64::from(n) * part.sqrt()) as u64).max(1);
    // The rounded side of a narrow rectangle may exceed the rectangle.
    let (w, h) = (side(width).min(pes), side(height).min(pes));
    (pes > 0).then(|| if w <= h { (w, h.min(pes / w)) } else { (w.min(pes / h), h) })
}

/// A number of bytes for people.
struct Size(u64);

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const UNITS: [&str; 4] = ["bytes", "KiB", "MiB", "GiB"];
        let unit = (self.0.max(1).ilog2() / 10).min(3);
        match unit {
            0 => write!(f, "{} bytes", self.0),
            _ => write!(f, "{:.1} {}", self.0 as f64 / f64::from(1u32 << (10 * unit)), UNITS[unit as usize]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_to_a_tenth_of_their_unit() {
        let shown = [1000, 1536, 5 << 20, (9 << 30) + (1 << 29)].map(|n| Size(n).to_string());
        assert_eq!(shown, ["1000 bytes", "1.5 KiB", "5.0 MiB", "9.5 GiB"]);
    }

    #[test]
    fn the_largest_grid_fits_and_keeps_the_shape() {
        assert_eq!(largest(1000, 500, 0.25), Some((500, 250)));
        assert_eq!(largest(100, 1, 0.5), Some((50, 1)));
        assert_eq!(largest(4, 4, 0.01), None);
        for (w, h, part) in [(750, 994, 0.3), (3, 1000, 0.4), (7, 5, 0.5)] {
            let (columns, rows) = largest(w, h, part).expect("a part of the PEs fits");
            assert!((columns * rows) as f64 <= f64::from(w) * f64::from(h) * part, "{w} x {h}");
        }
    }
}
