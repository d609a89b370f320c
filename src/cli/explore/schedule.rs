//! Schedules as text: one line for each decision that is not as usual.
//!
//! ```text
//! PE 0,0 decision 2: candidate 2 of 2, task two instead of task one  # cycle 10
//! PE 1,0 decision 1: wait instead of task main  # cycle 4
//! ```
//!
//! The number counts the decisions of the PE from 1. What follows `#` is a comment. The names are compared with those of
//! the run, so that a schedule of another program is noticed.

use crate::diagnostics::render::grouped;
use crate::{Deviation, PeCoord, Runner, SeenDecision};
use std::path::Path;

/// A schedule from a file.
pub struct WrittenSchedule {
    file: String,
    lines: Vec<Line>,
}

/// A line that says something.
struct Line {
    number: usize,
    deviation: Deviation,
    text: String,
}

impl WrittenSchedule {
    /// Reads a schedule.
    ///
    /// # Errors
    /// A text for people that names the line that cannot be understood.
    pub fn parse(path: &Path, text: &str) -> Result<WrittenSchedule, String> {
        let file = path.display().to_string();
        let mut lines: Vec<Line> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let text = line.split('#').next().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            let expected =
                "expected `PE X,Y decision N: candidate K of M, ..` or `PE X,Y decision N: wait ..`";
            let deviation = deviation(text).ok_or_else(|| format!("{file}:{number}: {expected}"))?;
            let is_equal = |other: &&Line| {
                (other.deviation.pe, other.deviation.number) == (deviation.pe, deviation.number)
            };
            if let Some(other) = lines.iter().find(is_equal) {
                return Err(format!("{file}:{number}: line {} is about the same decision", other.number));
            }
            lines.push(Line { number, deviation, text: text.to_string() });
        }
        Ok(WrittenSchedule { file, lines })
    }

    /// What is not as usual.
    pub fn deviations(&self) -> Vec<Deviation> {
        self.lines.iter().map(|line| line.deviation).collect()
    }

    /// Compares the schedule with what a run under it has decided.
    ///
    /// # Errors
    /// A text for people about the first line that does not fit the program.
    pub fn check(&self, runner: &Runner) -> Result<(), String> {
        let decisions = runner.decisions();
        for line in &self.lines {
            let Deviation { pe, number, .. } = line.deviation;
            let is_it = |seen: &&SeenDecision| (seen.pe, seen.number) == (pe, number);
            let place = format!("{}:{}: the schedule does not fit the program", self.file, line.number);
            let Some(seen) = decisions.iter().find(is_it) else {
                let made = decisions.iter().filter(|seen| seen.pe == pe).count();
                return Err(format!("{place}: {pe} makes {made} decisions"));
            };
            let real = as_text(runner, seen, line.deviation.alternative);
            if real.as_ref() != Some(&line.text) {
                let candidates = runner.candidates(seen).join(", ");
                return Err(format!(
                    "{place}: in its decision {} {pe} has these candidates: {candidates}",
                    number + 1
                ));
            }
        }
        Ok(())
    }
}

/// A schedule as text: what a run has decided that is not as usual.
pub fn text(runner: &Runner, seen: &[SeenDecision]) -> String {
    let line = |seen: &SeenDecision| {
        Some(format!("{}  # cycle {}\n", as_text(runner, seen, seen.decision.taken)?, seen.decision.cycle))
    };
    seen.iter().filter_map(line).collect()
}

/// A decision in words for the report. `all`: the decisions of the run, which tell what has gone first.
pub fn sentence(runner: &Runner, seen: &SeenDecision, all: &[SeenDecision]) -> String {
    let SeenDecision { pe, number, decision } = seen;
    let names = runner.candidates(seen);
    let usual = names.join(" and ");
    let what = match taken(runner, seen) {
        Some(taken) if !decision.may_wait() => format!("{taken} goes first, and the others wait for its end"),
        Some(taken) => format!("{taken} starts instead of {}", names[0]),
        None => {
            let next = all.iter().find(|later| later.pe == *pe && later.number == number + 1);
            match next.and_then(|next| taken(runner, next)) {
                Some(first) => format!("{usual} could start, but {first} comes first"),
                None => format!("{usual} could start, and does not yet"),
            }
        }
    };
    format!("{pe}, cycle {}: {what}", grouped(decision.cycle))
}

/// What was taken, by name; `None` if the PE waits.
fn taken(runner: &Runner, seen: &SeenDecision) -> Option<String> {
    runner.candidates(seen).get(usize::from(seen.decision.taken?)).cloned()
}

/// The line for a decision, without a comment; `None` if there is no such alternative.
fn as_text(runner: &Runner, seen: &SeenDecision, alternative: Option<u8>) -> Option<String> {
    let names = runner.candidates(seen);
    let PeCoord { x, y } = seen.pe;
    let what = match alternative {
        Some(n) => {
            let taken = names.get(usize::from(n))?;
            format!("candidate {} of {}, {taken} instead of {}", n + 1, names.len(), names[0])
        }
        None if seen.decision.may_wait() => format!("wait instead of {}", names.join(", ")),
        None => return None,
    };
    Some(format!("PE {x},{y} decision {}: {what}", seen.number + 1))
}

fn deviation(line: &str) -> Option<Deviation> {
    let (head, what) = line.split_once(": ")?;
    let (place, number) = head.strip_prefix("PE ")?.split_once(" decision ")?;
    let (x, y) = place.split_once(',')?;
    let pe = PeCoord { x: x.parse().ok()?, y: y.parse().ok()? };
    let number = number.parse::<u32>().ok()?.checked_sub(1)?;
    let alternative = match what.strip_prefix("candidate ") {
        Some(rest) => Some(rest.split(' ').next()?.parse::<u8>().ok()?.checked_sub(1)?),
        None if what.starts_with("wait ") => None,
        None => return None,
    };
    Some(Deviation { pe, number, alternative })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<Deviation>, String> {
        WrittenSchedule::parse(Path::new("s.txt"), text).map(|schedule| schedule.deviations())
    }

    #[test]
    fn a_line_names_a_pe_a_decision_and_a_candidate() {
        let text = "# found\n\nPE 3,1 decision 2: candidate 2 of 2, task b instead of task a  # cycle 10\n\
                    PE 0,0 decision 1: wait instead of task a\n";
        let first = Deviation { pe: PeCoord { x: 3, y: 1 }, number: 1, alternative: Some(1) };
        let second = Deviation { pe: PeCoord { x: 0, y: 0 }, number: 0, alternative: None };
        assert_eq!(parse(text), Ok(vec![first, second]));
    }

    #[test]
    fn what_is_no_schedule_is_refused_with_its_line() {
        for wrong in [
            "PE 0,0 decision 0: wait instead of task a",
            "PE 0,0 decision 1: candidate 0 of 2, task a",
            "PE 0,0 decision 1: candidate 300 of 2, task a",
            "PE 0 decision 1: wait instead of task a",
            "PE 0,0 decision one: wait instead of task a",
            "PE 0,0 decision 99999999999: wait instead of task a",
            "PE 0,0 decision 1: task a",
            "const a = 1;",
        ] {
            let refused = parse(&format!("# a schedule\n{wrong}\n")).unwrap_err();
            assert!(refused.starts_with("s.txt:2: expected"), "{refused}");
        }
        let twice = "PE 0,0 decision 1: wait instead of a\nPE 0,0 decision 1: wait instead of a";
        assert_eq!(parse(twice).unwrap_err(), "s.txt:2: line 1 is about the same decision");
    }
}
