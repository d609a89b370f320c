//! Compiled programs whose bytes are damaged.

use super::Signs;
use crate::seeds::Input;
use cslrun::{CompileOptions, FileError, PeCoord, Program, RunOptions, Runner, compile};
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

/// Reads a program, as it is and with a checksum that fits, and runs what can be read, without and with fast paths.
///
/// The checksum finds damage. Behind one that was forged, the program is looked at as a whole before it may run.
pub fn read(bytes: &[u8]) -> Signs {
    let mut all = Signs::new();
    for bytes in [bytes.to_vec(), with_checksum(bytes)] {
        match Program::from_bytes(&bytes) {
            // What the header of another version says is different in every input.
            Err(FileError::OtherVersion(_)) => drop(all.insert("another version".to_string())),
            Err(why) => drop(all.insert(why.to_string())),
            Ok(program) => {
                let program = Arc::new(program);
                if Runner::check_memory(&program, Some(1 << 28)).is_err() {
                    all.insert("too large".to_string());
                    continue;
                }
                [false, true].into_iter().for_each(|plain| all.extend(run(&program, plain)));
            }
        }
    }
    all
}

/// Launches all functions, waits for the end, and reads all variables.
fn run(program: &Arc<Program>, plain: bool) -> Signs {
    let options = RunOptions { max_cycles: Some(5_000), plain, ..RunOptions::default() };
    let mut runner = Runner::new(Arc::clone(program), options);
    for function in program.functions() {
        // It takes one number of arguments; the others are refused.
        for count in 0..4 {
            let _told = runner.queue_launch(function, &[1, 2, 3][..count]);
        }
    }
    let all = match runner.run_until_idle() {
        Ok(told) => told.iter().map(|d| d.rule.to_string()).chain(["runs".to_string()]).collect(),
        Err(failure) => {
            let told = failure.diagnostics(program.sources());
            told.iter().map(|d| d.rule.to_string()).collect()
        }
    };
    let (width, height) = program.size();
    for (x, y) in (0..height.min(4)).flat_map(|y| (0..width.min(4)).map(move |x| (x, y))) {
        let at = PeCoord { x, y };
        let names = program.symbols(at).into_iter().flatten().map(|symbol| symbol.name.clone());
        for name in names.collect::<Vec<_>>() {
            let _read = runner.peek(at, &name);
        }
    }
    runner.exports().iter().map(|export| export.name.clone()).collect::<Vec<_>>().iter().for_each(|name| {
        let _read = runner.read_variable(name);
    });
    all
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
