use super::number;
use super::outcome::Outcome;
use super::record::{self, PeValues, Record};
use crate::diagnostics::render::grouped;
use crate::{PeCoord, Scalar};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// More PEs than this are not listed one by one.
const MOST_PES: usize = 64;
/// More PEs than this are not named that lack a variable.
const MOST_LACKING: usize = 4;
/// More elements than this are shown as the first and last few.
const MOST_ELEMENTS: usize = 256;
/// How many of the first and of the last elements are shown then.
const ENDS: usize = 8;

/// A variable as read from every PE that has it.
pub struct Reading {
    /// The name asked for.
    pub name: String,
    /// The type of an element.
    pub scalar: Scalar,
    /// Whether it is one value rather than an array.
    pub single: bool,
    /// The elements of each PE, as bits, in row-by-row order of PEs.
    pub pes: Vec<(PeCoord, Vec<u64>)>,
}

/// What a step of the host has read.
pub enum Shown {
    /// A variable, to be printed.
    Variable(Reading),
    /// A variable that is in a file now.
    File {
        /// Its name.
        name: String,
        /// The file.
        path: PathBuf,
        /// How many PEs have it.
        pes: usize,
        /// The PEs with code that do not have it.
        lacking: Vec<PeCoord>,
    },
}

impl Shown {
    /// Tells it to people and to programs.
    pub fn tell(&self, outcome: &mut Outcome) {
        match self {
            Shown::Variable(reading) => outcome.tell(&reading.text(), &reading.record()),
            Shown::File { name, path, pes, lacking } => {
                let path = path.display().to_string();
                let note = absence(name, *pes, lacking).map_or(String::new(), |note| format!("  {note}\n"));
                let text = format!("`{name}` is in {path}\n{note}");
                let without = lacking.iter().copied().map(record::place).collect();
                outcome.tell(&text, &Record::File { path, holds: "variable", without });
            }
        }
    }
}

/// Says which PEs the file of a variable does not speak of.
fn absence(name: &str, pes: usize, lacking: &[PeCoord]) -> Option<String> {
    let (last, others) = lacking.split_last()?;
    let named = |pes: &[PeCoord]| pes.iter().map(PeCoord::to_string).collect::<Vec<_>>().join(", ");
    let who = match others {
        [] => format!("{last} has"),
        _ if others.len() < MOST_LACKING => format!("{} and {last} have", named(others)),
        _ => {
            let more = grouped((lacking.len() - MOST_LACKING) as u64);
            format!("{} and {more} more PEs have", named(&lacking[..MOST_LACKING]))
        }
    };
    let held = match pes {
        1 => "the one PE that has it".to_string(),
        n => format!("the {} PEs that have it, row by row", grouped(n as u64)),
    };
    Some(format!("the file holds {held}; {who} no `{name}`"))
}

impl Reading {
    /// Those of some PEs that do not have the variable.
    pub fn lacking(&self, all: impl Iterator<Item = PeCoord>) -> Vec<PeCoord> {
        let having: BTreeSet<(u16, u16)> = self.pes.iter().map(|(at, _)| (at.x, at.y)).collect();
        all.filter(|at| !having.contains(&(at.x, at.y))).collect()
    }

    /// What a person wants to see: `A = [1, 2, 3]`, or a line per PE.
    pub fn text(&self) -> String {
        match self.pes.as_slice() {
            [] => format!("{}: no PE has it\n", self.name),
            [(_, values)] => format!("{} = {}\n", self.name, self.values(values)),
            [(_, first), rest @ ..] if rest.iter().all(|(_, values)| values == first) => {
                let pes = match self.pes.len() as u64 {
                    2 => "both PEs".to_string(),
                    n => format!("all {} PEs", grouped(n)),
                };
                format!("{} = {} (the same on {pes})\n", self.name, self.values(first))
            }
            _ => self.per_pe(),
        }
    }

    /// What a program wants to read: every element of every PE.
    pub fn record(&self) -> Record<'_> {
        let pe = |(at, values): &(PeCoord, Vec<u64>)| PeValues {
            pe: record::place(*at),
            values: values.iter().map(|bits| record::value(*bits, self.scalar)).collect(),
        };
        Record::Variable {
            name: &self.name,
            ty: self.scalar.name(),
            single: self.single,
            pes: self.pes.iter().map(pe).collect(),
        }
    }

    fn per_pe(&self) -> String {
        let mut out = format!("{}:\n", self.name);
        for (at, values) in self.pes.iter().take(MOST_PES) {
            let _ = writeln!(out, "  {at} = {}", self.values(values));
        }
        if self.pes.len() > MOST_PES {
            let more = grouped((self.pes.len() - MOST_PES) as u64);
            let name = &self.name;
            let _ = writeln!(out, "  and {more} more PEs; `--get {name}={name}.npy` writes all of them");
        }
        out
    }

    fn values(&self, values: &[u64]) -> String {
        let list = |part: &[u64]| {
            let shown: Vec<String> = part.iter().map(|b| number::show(*b, self.scalar)).collect();
            shown.join(", ")
        };
        match values {
            [one] if self.single => number::show(*one, self.scalar),
            many if many.len() > MOST_ELEMENTS => {
                let (n, tail) = (many.len(), many.len() - ENDS);
                let (head, tail) = (list(&many[..ENDS]), list(&many[tail..]));
                format!("[{head}, .., {tail}] ({} elements)", grouped(n as u64))
            }
            many => format!("[{}]", list(many)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(single: bool, pes: &[&[u64]]) -> Reading {
        let at = |i: usize| PeCoord { x: i as u16, y: 0 };
        let pes = pes.iter().enumerate().map(|(i, values)| (at(i), values.to_vec())).collect();
        Reading { name: "A".into(), scalar: Scalar::I16, single, pes }
    }

    #[test]
    fn one_pe_needs_no_coordinates() {
        assert_eq!(reading(false, &[&[1, 2, 0xffff]]).text(), "A = [1, 2, -1]\n");
        assert_eq!(reading(false, &[&[7]]).text(), "A = [7]\n");
        assert_eq!(reading(true, &[&[7]]).text(), "A = 7\n");
    }

    #[test]
    fn several_pes_are_named_unless_they_agree() {
        assert_eq!(reading(true, &[&[7], &[8]]).text(), "A:\n  PE(0,0) = 7\n  PE(1,0) = 8\n");
        assert_eq!(reading(true, &[&[7], &[7], &[7]]).text(), "A = 7 (the same on all 3 PEs)\n");
        assert_eq!(reading(true, &[&[7], &[7]]).text(), "A = 7 (the same on both PEs)\n");
    }

    #[test]
    fn pes_without_a_variable_are_named() {
        let at = |x: u16| PeCoord { x, y: 0 };
        let all: Vec<PeCoord> = (0..9).map(at).collect();
        let text = |pes: usize, lacking: &[PeCoord]| absence("A", pes, lacking);
        assert_eq!(reading(true, &[&[1], &[2]]).lacking(all.iter().copied()), all[2..]);
        assert_eq!(text(9, &[]), None);
        let one = "the file holds the one PE that has it; PE(0,0) and PE(1,0) have no `A`";
        assert_eq!(text(1, &all[..2]).as_deref(), Some(one));
        let many = "the file holds the 2 PEs that have it, row by row; PE(2,0), PE(3,0), PE(4,0), PE(5,0) \
                    and 3 more PEs have no `A`";
        assert_eq!(text(2, &all[2..]).as_deref(), Some(many));
    }

    #[test]
    fn what_nobody_reads_to_the_end_is_shortened() {
        let long: Vec<u64> = (0..1000).collect();
        let text = reading(false, &[&long]).text();
        let shown =
            "A = [0, 1, 2, 3, 4, 5, 6, 7, .., 992, 993, 994, 995, 996, 997, 998, 999] (1,000 elements)\n";
        assert_eq!(text, shown);
        let values: Vec<[u64; 1]> = (0..100).map(|i| [i]).collect();
        let many: Vec<&[u64]> = values.iter().map(|v| v.as_slice()).collect();
        let text = reading(true, &many).text();
        assert!(text.ends_with("  and 36 more PEs; `--get A=A.npy` writes all of them\n"), "{text}");
    }
}
