//! Three collectives on a row of PEs, and what the published model of WSE-2 says about them (Luczynski
//! et al., Near-Optimal Wafer-Scale Reduce, HPDC 2024).

use cslrun::{Arch, CompileOptions, DiskLoader, ParamValue, PeCoord, RunOptions, Runner};
use std::path::Path;
use std::sync::Arc;

/// A collective, by the name of its program in `benches/programs`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Collective {
    Broadcast,
    Chain,
    Tree,
}

pub const ALL: [Collective; 3] = [Collective::Broadcast, Collective::Chain, Collective::Tree];

/// Cycles between a processor and its router.
const RAMP: f64 = 2.0;

impl Collective {
    pub fn name(self) -> &'static str {
        match self {
            Collective::Broadcast => "broadcast",
            Collective::Chain => "chain",
            Collective::Tree => "tree",
        }
    }

    /// T = max(C, E / N + L) + (2 T_R + 1) D for vectors of `n` words on `width` PEs.
    pub fn model(self, width: u16, n: u16) -> f64 {
        let (links, n) = (f64::from(width) - 1.0, f64::from(n));
        let rounds = f64::from(width).log2();
        let (contention, energy, depth) = match self {
            Collective::Broadcast => (n, n * links, 1.0),
            Collective::Chain => (n, n * links, links),
            Collective::Tree => (n * rounds, n * f64::from(width) / 2.0 * rounds, rounds),
        };
        let distance = links;
        contention.max(energy / links + distance) + (2.0 * RAMP + 1.0) * depth
    }

    /// The cycles that cslrun counts, until the last PE is done.
    pub fn cycles(self, width: u16, n: u16) -> f64 {
        let mut options = CompileOptions::new(Arch::Wse2);
        options.params = [("width", width), ("n", n)]
            .map(|(name, value)| (name.to_string(), ParamValue::Int(value.into())))
            .into();
        let file = format!("{}/benches/programs/{}.csl", crate::root().display(), self.name());
        let program = cslrun::compile(Path::new(&file), &DiskLoader, &options).into_program();
        let program = program.unwrap_or_else(|report| panic!("a benchmark must compile:\n{report}"));
        let mut runner = Runner::new(Arc::new(program), RunOptions::default());
        runner.run_until_idle().unwrap_or_else(|failure| panic!("{file} must run: {failure:#?}"));
        let mut word = |x: u16, name: &str| {
            let (_, words) = runner.read_symbol(PeCoord { x, y: 0 }, name).expect("every PE has it");
            u32::from(words[0]) | u32::from(words[1]) << 16
        };
        let sum = (u32::from(width) * (u32::from(width) + 1) / 2) as f32;
        match self {
            Collective::Broadcast => assert_eq!(f32::from_bits(word(width - 1, "data")), 1.0, "{file}"),
            Collective::Chain | Collective::Tree => {
                assert_eq!(f32::from_bits(word(0, "data")), sum, "{file} adds up");
            }
        }
        (0..width).map(|x| word(x, "cycles")).max().expect("a row has PEs").into()
    }

    /// How far the estimate is off the model: 0.1 is ten percent too many.
    pub fn deviation(self, width: u16, n: u16) -> f64 {
        self.cycles(width, n) / self.model(width, n) - 1.0
    }
}
