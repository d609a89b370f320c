use super::args::{HostStep, SetValues};
use super::npy;
use super::number::Number;
use super::reading::Reading;
use crate::{ExportKind, Failure, Runner, Scalar, Variable};
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

/// Does one step; a variable that it shows is added to `shown`.
pub fn perform(runner: &mut Runner, step: &HostStep, shown: &mut Vec<Reading>) -> Result<(), Trouble> {
    match step {
        HostStep::Set(name, source) => set(runner, name, source),
        HostStep::Launch(name, args) => launch(runner, name, args),
        HostStep::Get(name, None) => {
            shown.push(get(runner, name)?);
            Ok(())
        }
        HostStep::Get(name, Some(file)) => save(runner, name, file),
    }
}

fn set(runner: &mut Runner, name: &str, source: &SetValues) -> Result<(), Trouble> {
    let (variable, dealt) = dealt(runner, name, source)?;
    runner.settle_for_writing()?;
    for ((at, _), values) in variable.pes.iter().zip(dealt) {
        runner.write_elements(*at, name, variable.scalar, &values)?;
    }
    Ok(())
}

/// A variable that is to be written, and the values for each of its PEs as bits.
pub fn dealt(
    runner: &mut Runner,
    name: &str,
    source: &SetValues,
) -> Result<(Variable, Vec<Vec<u64>>), Trouble> {
    let variable = runner.variable(name)?;
    let numbers = match source {
        SetValues::Numbers(numbers) => numbers.clone(),
        SetValues::File(file) => npy::read(file)?,
    };
    let encoded: Result<Vec<u64>, String> = numbers.iter().map(|n| n.encode(variable.scalar)).collect();
    let bits = encoded.map_err(|e| format!("--set {name}: {e}"))?;
    let dealt = deal(&variable, &bits)?;
    Ok((variable, dealt))
}

/// The values of each PE: one for all elements, as many as a PE has for every PE, or all in turn.
fn deal(variable: &Variable, bits: &[u64]) -> Result<Vec<Vec<u64>>, String> {
    let counts: Vec<usize> = variable.pes.iter().map(|(_, n)| *n).collect();
    let all: usize = counts.iter().sum();
    if let [one] = bits {
        return Ok(counts.iter().map(|n| vec![*one; *n]).collect());
    }
    if counts.iter().all(|n| *n == bits.len()) {
        return Ok(counts.iter().map(|_| bits.to_vec()).collect());
    }
    if bits.len() == all {
        let mut rest = bits;
        return Ok(counts.iter().map(|n| rest.split_off(..*n).unwrap_or_default().to_vec()).collect());
    }
    let (name, given, pes) = (&variable.name, bits.len(), counts.len());
    let each = counts.first().copied().unwrap_or(0);
    Err(match pes {
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

/// The array in the file has the shape (height, width, elements); of one PE only (elements).
fn save(runner: &mut Runner, name: &str, file: &Path) -> Result<(), Trouble> {
    let reading = get(runner, name)?;
    let count = reading.pes.first().map_or(0, |(_, values)| values.len());
    if reading.pes.iter().any(|(_, values)| values.len() != count) {
        return Err(format!(
            "--get {name}: PEs have different numbers of elements, which do not form one array"
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
    let bits: Vec<u64> = reading.pes.into_iter().flat_map(|(_, values)| values).collect();
    Ok(npy::write(file, &shape, reading.scalar, &bits)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PeCoord;

    fn variable(counts: &[usize]) -> Variable {
        let at = |i: usize| PeCoord { x: i as u16, y: 0 };
        let pes = counts.iter().enumerate().map(|(i, n)| (at(i), *n)).collect();
        Variable { name: "A".into(), scalar: Scalar::U16, single: false, pes }
    }

    #[test]
    fn one_number_fills_every_element() {
        assert_eq!(deal(&variable(&[2, 1]), &[7]).unwrap(), [vec![7, 7], vec![7]]);
    }

    #[test]
    fn a_list_for_one_pe_goes_to_every_pe() {
        assert_eq!(deal(&variable(&[2, 2]), &[7, 8]).unwrap(), [[7, 8], [7, 8]]);
    }

    #[test]
    fn a_list_for_all_pes_is_dealt_out() {
        assert_eq!(deal(&variable(&[1, 2]), &[7, 8, 9]).unwrap(), [vec![7], vec![8, 9]]);
    }

    #[test]
    fn any_other_number_of_values_is_refused() {
        let refusal = deal(&variable(&[2, 2]), &[1, 2, 3]).unwrap_err();
        assert_eq!(refusal, "--set A: 2 PEs have 4 elements in total, but 3 numbers are given");
        assert!(deal(&variable(&[2]), &[1, 2, 3]).unwrap_err().contains("it has 2 elements"));
    }
}
