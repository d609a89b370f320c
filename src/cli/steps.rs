use super::args::{HostStep, SetValues};
use super::npy;
use super::number::Number;
use super::reading::{Reading, Shown};
use crate::diagnostics::render::grouped;
use crate::{Diagnostic, ExportKind, Failure, PeCoord, Runner, Scalar, Variable};
use std::borrow::Cow;
use std::path::Path;

/// Why a step could not be done.
pub enum Trouble {
    /// The program cannot go on, or lacks what the step names.
    Run(Failure),
    /// Values or files of the command line do not fit.
    Words(String),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        Trouble::Run(failure)
    }
}

impl From<String> for Trouble {
    fn from(words: String) -> Trouble {
        Trouble::Words(words)
    }
}

/// Does all steps, and then runs the program until nothing is left to do. What the steps read is added to `shown`. Gives
/// warnings about the end.
pub fn perform_all(
    runner: &mut Runner,
    steps: &[HostStep],
    shown: &mut Vec<Shown>,
) -> Result<Vec<Diagnostic>, Trouble> {
    for step in steps {
        perform(runner, step, shown)?;
    }
    Ok(runner.run_until_idle()?)
}

/// Does one step; what it reads is added to `shown`.
fn perform(runner: &mut Runner, step: &HostStep, shown: &mut Vec<Shown>) -> Result<(), Trouble> {
    match step {
        HostStep::Set(name, source) => set(runner, name, source),
        HostStep::Launch(name, args) => launch(runner, name, args),
        HostStep::Get(name, None) => {
            shown.push(Shown::Variable(get(runner, name)?));
            Ok(())
        }
        HostStep::Get(name, Some(file)) => {
            let reading = get(runner, name)?;
            save(runner, &reading, file)?;
            let lacking = reading.lacking(runner.program().pes());
            let pes = reading.pes.len();
            shown.push(Shown::File { name: name.clone(), path: file.clone(), pes, lacking });
            Ok(())
        }
    }
}

fn set(runner: &mut Runner, name: &str, source: &SetValues) -> Result<(), Trouble> {
    let values = dealt(runner, name, source)?;
    runner.settle_for_writing()?;
    for (at, its) in values.of_each_pe() {
        runner.write_elements(at, name, values.variable.scalar, &its)?;
    }
    Ok(())
}

/// The values of a variable that is to be written.
pub struct DealtValues {
    /// The variable.
    pub variable: Variable,
    /// The values as bits.
    bits: Vec<u64>,
    for_all: bool,
}

impl DealtValues {
    /// The PEs that have the variable, and the values of each: one for all elements, as many as a PE has for every PE,
    /// or all in turn.
    pub fn of_each_pe(&self) -> impl Iterator<Item = (PeCoord, Cow<'_, [u64]>)> {
        let mut rest = &self.bits[..];
        self.variable.pes.iter().map(move |(at, count)| {
            let its = match self.bits[..] {
                [one] => vec![one; *count].into(),
                _ if self.for_all => self.bits[..].into(),
                _ => rest.split_off(..*count).unwrap_or_default().into(),
            };
            (*at, its)
        })
    }
}

/// The values of a variable that is to be written, for each of its PEs.
pub fn dealt(runner: &mut Runner, name: &str, source: &SetValues) -> Result<DealtValues, Trouble> {
    let variable = runner.variable(name)?;
    let mut wrong = None;
    let encode = |number: Number| {
        number.encode_narrow(variable.scalar, variable.bits).unwrap_or_else(|why| {
            wrong.get_or_insert(why);
            0
        })
    };
    let bits = match source {
        SetValues::Numbers(numbers) => numbers.iter().copied().map(encode).collect(),
        SetValues::File(file) => npy::read(file, encode)?,
    };
    match wrong {
        Some(why) => Err(format!("--set {name}: {why}").into()),
        None => Ok(deal(variable, bits)?),
    }
}

fn deal(variable: Variable, bits: Vec<u64>) -> Result<DealtValues, String> {
    let counts: Vec<usize> = variable.pes.iter().map(|(_, n)| *n).collect();
    let all: usize = counts.iter().sum();
    let for_all = counts.iter().all(|n| *n == bits.len());
    if for_all || bits.len() == 1 || bits.len() == all {
        return Ok(DealtValues { variable, bits, for_all });
    }
    let name = &variable.name;
    let numbers = [bits.len(), counts.len(), counts.first().copied().unwrap_or(0), all];
    let [given, pes, each, all] = numbers.map(|n| grouped(n as u64));
    Err(match counts.len() {
        1 => format!("--set {name}: it has {each} elements, but {given} numbers are given"),
        _ => format!("--set {name}: {pes} PEs have {all} elements in total, but {given} numbers are given"),
    })
}

fn launch(runner: &mut Runner, name: &str, args: &[Number]) -> Result<(), Trouble> {
    let export = runner.exports().iter().find(|e| e.name == name);
    let inputs = match export.map(|e| &e.kind) {
        Some(ExportKind::Fn { inputs }) => inputs.clone(),
        Some(ExportKind::Var { .. }) => Vec::new(),
        None => vec![Scalar::U32; args.len()],
    };
    let is_known = export.is_some() || runner.program().has_function(name);
    if !is_known || inputs.len() != args.len() {
        // The launch says what is wrong with the name or the number of arguments.
        return Ok(runner.launch(name, &vec![0; args.len()])?);
    }
    let words = words_of(name, &inputs, args)?;
    Ok(runner.launch(name, &words)?)
}

/// The arguments of a launch as words.
pub fn words_of(name: &str, inputs: &[Scalar], args: &[Number]) -> Result<Vec<u32>, Trouble> {
    let word = |(scalar, arg): (&Scalar, &Number)| match arg.encode(*scalar) {
        Ok(bits) => Ok(bits as u32),
        Err(why) => Err(Trouble::Words(format!("--launch {name}: {why}"))),
    };
    inputs.iter().zip(args).map(word).collect()
}

fn get(runner: &mut Runner, name: &str) -> Result<Reading, Trouble> {
    let (variable, values) = runner.read_variable(name)?;
    let pes = variable.pes.iter().map(|(at, _)| *at).zip(values).collect();
    Ok(Reading { name: variable.name, scalar: variable.scalar, single: variable.single, pes })
}

/// The array in the file has the shape (height, width, elements) if all PEs have it; of one PE only (elements), of some
/// (PEs, elements).
fn save(runner: &Runner, reading: &Reading, file: &Path) -> Result<(), Trouble> {
    let count = reading.pes.first().map_or(0, |(_, values)| values.len());
    if reading.pes.iter().any(|(_, values)| values.len() != count) {
        return Err(format!(
            "--get {}: PEs have different numbers of elements, which do not form one array",
            reading.name
        )
        .into());
    }
    let (width, height) = runner.program().size();
    let (width, height) = (u64::from(width), u64::from(height));
    let pes = reading.pes.len() as u64;
    let shape = match pes {
        1 => vec![count as u64],
        _ if pes == width * height => vec![height, width, count as u64],
        _ => vec![pes, count as u64],
    };
    let bits: Vec<u64> = reading.pes.iter().flat_map(|(_, values)| values.iter().copied()).collect();
    Ok(npy::write(file, &shape, reading.scalar, &bits)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(counts: &[usize]) -> Variable {
        let at = |i: usize| PeCoord { x: i as u16, y: 0 };
        let pes = counts.iter().enumerate().map(|(i, n)| (at(i), *n)).collect();
        Variable { name: "A".into(), scalar: Scalar::U16, bits: None, single: false, pes }
    }

    fn dealt(counts: &[usize], bits: &[u64]) -> Vec<Vec<u64>> {
        let values = deal(variable(counts), bits.to_vec()).unwrap();
        values.of_each_pe().map(|(_, its)| its.into_owned()).collect()
    }

    #[test]
    fn one_number_fills_every_element() {
        assert_eq!(dealt(&[2, 1], &[7]), [vec![7, 7], vec![7]]);
    }

    #[test]
    fn a_list_for_one_pe_goes_to_every_pe() {
        assert_eq!(dealt(&[2, 2], &[7, 8]), [[7, 8], [7, 8]]);
    }

    #[test]
    fn a_list_for_all_pes_is_dealt_out() {
        assert_eq!(dealt(&[1, 2], &[7, 8, 9]), [vec![7], vec![8, 9]]);
    }

    #[test]
    fn any_other_number_of_values_is_refused() {
        let refusal = deal(variable(&[2, 2]), vec![1, 2, 3]).err().unwrap();
        assert_eq!(refusal, "--set A: 2 PEs have 4 elements in total, but 3 numbers are given");
        assert!(deal(variable(&[2]), vec![1, 2, 3]).err().unwrap().contains("it has 2 elements"));
    }
}
