//! What can be seen of a run, as text, to compare two ways to run a program. The fuzzing targets use it, too.

use cslrun::{Diagnostic, PeCoord, Program, RunOptions, Runner};
use std::fmt::Write;
use std::sync::Arc;

/// Words of a PE.
const MEMORY: usize = 0x6000;

/// All that can be seen of a run.
pub fn story(program: &Arc<Program>, options: RunOptions) -> String {
    let mut runner = Runner::new(Arc::clone(program), options);
    let mut story = match runner.run_until_idle() {
        Ok(_) => places(&runner.warnings()),
        Err(failure) => {
            let cycles = runner.report().cycles;
            return format!("{}{cycles} cycles", places(&failure.diagnostics(program.sources())));
        }
    };
    let _ = writeln!(story, "{:?}", runner.report());
    let (width, height) = program.size();
    for at in (0..height).flat_map(|y| (0..width).map(move |x| PeCoord { x, y })) {
        let Some(words) = runner.memory(at, MEMORY) else { continue };
        let end = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        let _ = writeln!(story, "{at} {:?}", &words[..end]);
    }
    story
}

/// Which rules were broken, where and when.
pub fn places(diagnostics: &[Diagnostic]) -> String {
    let one = |d: &Diagnostic| {
        // When the limit is reached, a PE that has run ahead of the clock is already at another place, or done.
        if d.rule == "cycle-limit" {
            return format!("{:?} {}\n", d.severity, d.title);
        }
        let place = d.primary.as_ref().map(|label| label.span);
        format!("{:?} {} {}: {place:?} {:?}\n", d.severity, d.rule, d.title, d.moment)
    };
    diagnostics.iter().map(one).collect()
}

pub fn first_difference(fast: &str, plain: &str) -> String {
    let mut both = fast.lines().zip(plain.lines());
    let found = both.find(|(a, b)| a != b).map(|(a, b)| format!("fast  {a}\nplain {b}"));
    found.unwrap_or_else(|| "one is longer".to_string())
}
