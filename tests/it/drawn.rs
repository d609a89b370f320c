//! Drawn programs that are compiled with the fast paths of the compiler and without them.

use cslrun::{Arch, CompileOptions, MemoryLoader, MessageFormat, compile};
use std::path::Path;

/// A small generator of numbers.
pub struct Dice(pub u64);

impl Dice {
    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Compiles a file both ways, compares the programs and the messages, and says whether there is a program. `what` names
/// it if they differ.
pub fn compiles_both_ways(root: &str, files: &MemoryLoader, what: &str) -> bool {
    let told = |memo: bool| {
        let options = CompileOptions { memo, ..CompileOptions::new(Arch::Wse2) };
        let compilation = compile(Path::new(root), files, &options);
        let text = compilation.render(MessageFormat::Plain, false);
        (compilation.program.map(|program| program.to_bytes()), text)
    };
    let (with, without) = (told(true), told(false));
    assert_eq!(with.1, without.1, "the messages of {what}");
    assert!(with.0 == without.0, "{what} differs");
    with.0.is_some()
}
