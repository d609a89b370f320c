//! Compiled programs whose bytes are damaged.

use super::Signs;
use crate::seeds::Input;
use cslrun::{CompileOptions, Program, RunOptions, Runner, compile};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// So many programs are enough: they have the same parts.
const SEEDS: usize = 40;
/// Damage behind the header is found by the checksum, unless that is made right again.
const MAGIC: usize = 8;

/// Compiled programs.
pub fn seeds(texts: &[String]) -> Vec<Vec<u8>> {
    let programs = texts.iter().step_by(7).filter_map(|text| {
        let input = Input::read(text);
        compile(Path::new(&input.root), &input.files, &CompileOptions::new(input.arch())).program
    });
    programs.map(|program| program.to_bytes()).filter(|bytes| bytes.len() < 20_000).take(SEEDS).collect()
}

/// Reads a program, as it is and with a checksum that fits, and runs what can be read.
///
/// The checksum finds damage. Behind one that was forged, code may name what does not exist: then the run panics, which
/// the command and the Python package turn into an error. Reading must not panic even then.
pub fn read(bytes: &[u8]) -> Signs {
    let mut all = Signs::new();
    for bytes in [bytes.to_vec(), with_checksum(bytes)] {
        match Program::from_bytes(&bytes) {
            Err(why) => {
                all.insert(format!("{why:?}").chars().take_while(|c| *c != '(').collect());
            }
            Ok(program) => {
                let ran = catch_unwind(AssertUnwindSafe(|| run(program)));
                all.insert(ran.unwrap_or_else(|_| "panics".to_string()));
            }
        }
    }
    all
}

fn run(program: Program) -> String {
    let options = RunOptions { max_cycles: 5_000, ..RunOptions::default() };
    if Runner::check_memory(&program, Some(1 << 28)).is_err() {
        return "too large".to_string();
    }
    let mut runner = Runner::new(Arc::new(program), options);
    match runner.run_until_idle() {
        Ok(_) => "runs".to_string(),
        Err(failure) => {
            let program = Arc::clone(runner.program());
            failure.diagnostics(program.sources()).iter().map(|d| d.rule.to_string()).collect()
        }
    }
}

/// The bytes with a checksum that fits what follows it.
fn with_checksum(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let Some(length) = bytes.get(MAGIC).copied() else { return bytes };
    let at = MAGIC + 1 + usize::from(length);
    if let Some((checksum, body)) = bytes.get_mut(at..).and_then(<[u8]>::split_first_chunk_mut) {
        *checksum = crc32fast::hash(body).to_le_bytes();
    }
    bytes
}
