use super::args::{CheckArgs, CompileArgs};
use super::outcome::{Outcome, verdict};
use super::record::Record;
use super::{Exit, output};
use crate::diagnostics::counted;
use crate::diagnostics::render::summary;
use crate::{Diagnostic, FileId, Loader, Severity, SourceMap, compile, possible_failures};
use std::collections::BTreeMap;
use std::path::Path;

/// Times that a program is compiled to be changed, at most: what is changed may show what else is to be.
const MOST_ROUNDS: usize = 20;

/// `cslrun check FILE.csl..`
pub fn check(args: &CheckArgs, loader: &dyn Loader) -> Outcome {
    let check = |file: &Path| match args.fix {
        true => fix(file, &args.compile, loader).unwrap_or_else(|why| refusal(&args.compile, why)),
        false => check_one(file, &args.compile, loader),
    };
    let mut all = check(&args.compile.file);
    for file in &args.more {
        all = all.followed_by(check(file));
    }
    all
}

fn check_one(file: &Path, args: &CompileArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.format());
    if let Some(program) = outcome.compile_file(file, &args.options(), loader) {
        outcome.diagnostics.extend(possible_failures(&program, args.levels));
        if outcome.diagnostics.iter().any(|d| d.severity.is_error()) {
            outcome.exit = verdict(&outcome.diagnostics, Exit::Rejected);
            return outcome;
        }
        let (file, (w, h), n) = (file.display(), program.size(), program.distinct_programs());
        let programs = counted(n as u64, "distinct program");
        let is_warning = |d: &&Diagnostic| d.severity == Severity::Warning;
        let warnings = outcome.diagnostics.iter().filter(is_warning).count();
        let verdict = summary(&outcome.diagnostics).unwrap_or_else(|| "fine".to_string());
        let record = Record::Checked { file: file.to_string(), size: (w, h), programs: n, warnings };
        outcome.tell(&format!("{file}: {verdict}, {w} x {h} PEs, {programs}\n"), &record);
    }
    outcome
}

fn refusal(args: &CompileArgs, why: String) -> Outcome {
    let mut outcome = Outcome::new(args.format());
    outcome.refuse(why);
    outcome
}

/// Changes the files of a program as the help of diagnostics says, and checks it in the end.
///
/// # Errors
/// A file cannot be written.
fn fix(file: &Path, args: &CompileArgs, loader: &dyn Loader) -> Result<Outcome, String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..MOST_ROUNDS {
        let compilation = compile(file, loader, &args.options());
        let changed = changed(&compilation.sources, &compilation.diagnostics);
        if changed.is_empty() {
            break;
        }
        for (name, (text, count)) in changed {
            let path = Path::new(&name);
            output::write_file(path, |out| out.write_all(text.as_bytes()))
                .map_err(|e| output::unwritten(path, e))?;
            *counts.entry(name).or_default() += count;
        }
    }
    let mut fixed = Outcome::new(args.format());
    for (name, count) in &counts {
        let changes = counted(*count as u64, "change");
        fixed.tell(&format!("{name}: {changes}\n"), &Record::Fixed { file: name, changes: *count });
    }
    let mut outcome = check_one(file, args, loader);
    outcome.printed.insert_str(0, &fixed.printed);
    outcome.records.insert_str(0, &fixed.records);
    Ok(outcome)
}

/// The texts of files after the changes, and how many there are.
fn changed(sources: &SourceMap, diagnostics: &[Diagnostic]) -> BTreeMap<String, (String, usize)> {
    let mut edits: Vec<_> = diagnostics.iter().filter_map(|d| d.edit(sources)).collect();
    edits.sort();
    edits.dedup_by_key(|(span, _)| *span);
    let mut all = BTreeMap::new();
    for (n, file) in sources.files().iter().enumerate() {
        let here = edits.iter().filter(|(span, _)| span.file == FileId(n as u32));
        let mut text = file.text.to_string();
        let mut count = 0;
        for (span, with) in here.rev() {
            text.replace_range(span.lo as usize..span.hi as usize, with);
            count += 1;
        }
        if count > 0 {
            all.insert(file.name.clone(), (text, count));
        }
    }
    all
}
