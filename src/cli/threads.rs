use crate::diagnostics::counted;
use crate::{Program, Runner};

/// On how many threads a program runs: as many as are asked for, or as the machine has if that helps.
pub fn threads(asked: Option<usize>, program: &Program) -> Result<usize, String> {
    let rows = usize::from(program.size().1);
    match asked {
        Some(n) if n > rows => Err(format!(
            "--threads {n}: the wafer has {}, and each thread needs at least one",
            counted(rows as u64, "row")
        )),
        Some(n) => Ok(n),
        None => Ok(Runner::automatic_threads(program)),
    }
}

/// A number of threads.
pub fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("the number of threads must be at least 1".to_string()),
        Ok(n) => Ok(n),
        Err(_) => Err("the number of threads must be a whole number of at least 1".to_string()),
    }
}
