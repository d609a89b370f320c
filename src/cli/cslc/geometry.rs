//! Where the rectangle lies in the fabric, and what memcpy needs around it.

use super::Invocation;
use crate::diagnostics::rules::host::FABRIC_TOO_SMALL;
use crate::diagnostics::{Diag, Result};
use crate::{FabricPlace, Program};

/// Columns of the memcpy library west of its buffers, with the halo.
const WEST: u32 = 4;
/// Columns of the memcpy library east of its buffers, with the halo.
const EAST: u32 = 3;
/// Rows of the halo above and below.
const HALO: u32 = 1;

/// Puts the rectangle where the options say, if that place is large enough.
pub(super) fn settle(mut program: Program, invocation: &Invocation) -> Result<Program> {
    let needs = LeastFabric::of(&program, invocation);
    program.fabric = needs.place(invocation)?;
    Ok(program)
}

/// What lies around the rectangle at least, and the rectangle itself.
struct LeastFabric {
    west: u32,
    east: u32,
    halo: u32,
    width: u32,
    height: u32,
}

impl LeastFabric {
    fn of(program: &Program, invocation: &Invocation) -> LeastFabric {
        let (width, height) = program.size();
        let (width, height) = (u32::from(width), u32::from(height));
        if !invocation.memcpy && !program.uses_memcpy() {
            return LeastFabric { west: 0, east: 0, halo: 0, width, height };
        }
        let west = WEST + u32::from(invocation.west_buffers);
        let east = EAST + u32::from(invocation.east_buffers);
        LeastFabric { west, east, halo: HALO, width, height }
    }

    fn place(&self, invocation: &Invocation) -> Result<FabricPlace> {
        let clip = |n: u32| n.min(u32::from(u16::MAX)) as u16;
        let (x, y) = invocation.fabric_offsets.unwrap_or((clip(self.west), clip(self.halo)));
        let least_width = u32::from(x) + self.width + self.east;
        let least_height = u32::from(y) + self.height + self.halo;
        let (width, height) = invocation.fabric_dims.unwrap_or((clip(least_width), clip(least_height)));
        if u32::from(x) < self.west || u32::from(y) < self.halo {
            let least = format!("--fabric-offsets must be at least {},{}", self.west, self.halo);
            return Err(self.diag(format!("the rectangle begins at {x},{y}")).help(least));
        }
        if u32::from(width) < least_width || u32::from(height) < least_height {
            let least = format!("--fabric-dims must be at least {least_width},{least_height}");
            return Err(self.diag(format!("the fabric has {width} x {height} PEs")).help(least));
        }
        Ok(FabricPlace { width, height, x, y, channels: invocation.channels.unwrap_or(1) })
    }

    fn diag(&self, fact: String) -> Diag {
        let around = format!(
            "around it: {} columns to the west, {} to the east, {} row(s) above and below",
            self.west, self.east, self.halo
        );
        FABRIC_TOO_SMALL.because(&[("width", &self.width), ("height", &self.height)]).note(fact).note(around)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn place(line: &str, width: u32, height: u32) -> Result<FabricPlace> {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        let invocation = parse(&words, Default::default()).expect("a valid command line");
        let west = WEST + u32::from(invocation.west_buffers);
        LeastFabric { west, east: EAST, halo: HALO, width, height }.place(&invocation)
    }

    #[test]
    fn without_options_the_smallest_fabric_is_taken() {
        let it = place("a.csl --memcpy", 2, 3).unwrap();
        assert_eq!(it, FabricPlace { width: 9, height: 5, x: 4, y: 1, channels: 1 });
    }

    #[test]
    fn the_smallest_legal_fabric_is_accepted_and_one_less_is_not() {
        assert!(place("a.csl --memcpy --fabric-dims=8,3 --fabric-offsets=4,1", 1, 1).is_ok());
        let diag = place("a.csl --memcpy --fabric-dims=7,3 --fabric-offsets=4,1", 1, 1).unwrap_err();
        assert_eq!(diag.rule(), "fabric-too-small");
        assert_eq!(diag.0.help.as_deref(), Some("--fabric-dims must be at least 8,3"));
    }

    #[test]
    fn buffer_columns_push_the_rectangle_east() {
        let line = "a.csl --memcpy --fabric-dims=20,3 --fabric-offsets=4,1 --width-west-buf=2";
        let diag = place(line, 1, 1).unwrap_err();
        assert_eq!(diag.0.help.as_deref(), Some("--fabric-offsets must be at least 6,1"));
    }
}
