use super::args::DsdArgs;
use super::outcome::Outcome;
use super::output;
use super::picture::{self, Chosen, View};
use super::record::Record;
use crate::diagnostics::suggest;
use crate::{CompileOptions, Loader};
use std::path::Path;

/// `cslrun dsd FILE.csl[:LINE|:NAME]`
pub fn dsd(args: &DsdArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.compile.format());
    let options = CompileOptions { keep_descriptors: true, ..args.compile.options() };
    let Some(program) = outcome.compile_with(&args.compile, &options, loader) else { return outcome };
    let views = picture::views(&program, &args.chosen);
    if views.is_empty() {
        outcome.refuse(nothing_chosen(&picture::views(&program, &Chosen::default()), &args.chosen));
        return outcome;
    }
    let text = views.iter().map(picture::text).collect::<Vec<_>>().join("\n");
    outcome.tell(&text, &Record::Text { of: "dsd", text: &text });
    if let Some(path) = &args.svg {
        write(path, &views[0], &mut outcome);
    }
    outcome
}

/// Writes the picture of a DSD to a file, and tells so.
fn write(path: &Path, view: &View<'_>, outcome: &mut Outcome) {
    match output::write_file(path, |out| out.write_all(picture::svg(view).as_bytes())) {
        Ok(()) => {
            let path = path.display().to_string();
            let text = format!("\nthe picture of {} is in {path}\n", view.title());
            outcome.tell(&text, &Record::File { path, holds: "picture" });
        }
        Err(e) => outcome.refuse(format!("{} cannot be written: {e}", path.display())),
    }
}

/// What there is instead of what was asked for.
fn nothing_chosen(all: &[View<'_>], chosen: &Chosen) -> String {
    if all.is_empty() {
        return "the program builds no DSD".to_string();
    }
    let wanted = match (&chosen.name, chosen.line) {
        (Some(name), _) => format!("a DSD `{name}`"),
        (None, Some(line)) => format!("a DSD in line {line}"),
        (None, None) => "a matching DSD".to_string(),
    };
    let names = all.iter().filter_map(View::name);
    if let Some(near) = chosen.name.as_ref().and_then(|name| suggest::nearest(name, names)) {
        return format!("the program does not build {wanted}; did you mean `{near}`?");
    }
    let there: Vec<String> = all.iter().map(|v| format!("  {}", v.title())).collect();
    format!("the program does not build {wanted}; it builds\n{}", there.join("\n"))
}
