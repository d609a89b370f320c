use super::args::DsdArgs;
use super::outcome::Outcome;
use super::picture::{self, Chosen, View};
use super::record::Record;
use crate::diagnostics::suggest;
use crate::{CompileOptions, Loader, Program};

/// DSDs as pictures.
#[derive(Debug)]
pub struct DrawnDsds {
    /// All of them as text.
    pub text: String,
    /// The first one as SVG.
    pub svg: String,
}

/// `cslrun dsd FILE.csl[:LINE|:NAME]`
pub fn dsd(args: &DsdArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.compile.format());
    let Some(program) = compiled(args, loader, &mut outcome) else { return outcome };
    let Some(views) = chosen(args, &program, &mut outcome) else { return outcome };
    let text = text_of(&views);
    outcome.tell(&text, &Record::Text { of: "dsd", text: &text });
    if let Some(path) = &args.svg {
        let (view, what) = (&views[0], format!("\nthe picture of {} is", views[0].title()));
        outcome.write_file(path, &what, "picture", picture::svg(view).as_bytes());
    }
    outcome
}

/// What the same command draws; without a picture, the outcome tells why.
pub fn draw(args: &DsdArgs, loader: &dyn Loader) -> Result<DrawnDsds, Box<Outcome>> {
    let mut outcome = Outcome::new(args.compile.format());
    let Some(program) = compiled(args, loader, &mut outcome) else { return Err(outcome.into()) };
    let Some(views) = chosen(args, &program, &mut outcome) else { return Err(outcome.into()) };
    Ok(DrawnDsds { text: text_of(&views), svg: picture::svg(&views[0]) })
}

fn compiled(args: &DsdArgs, loader: &dyn Loader, outcome: &mut Outcome) -> Option<Program> {
    let options = CompileOptions { keep_descriptors: true, ..args.compile.options() };
    outcome.compile_with(&args.compile, &options, loader)
}

/// The DSDs that were asked for, at least one; otherwise the outcome tells which ones there are.
fn chosen<'p>(args: &DsdArgs, program: &'p Program, outcome: &mut Outcome) -> Option<Vec<View<'p>>> {
    let views = picture::views(program, &args.chosen);
    if views.is_empty() {
        outcome.refuse(nothing_chosen(&picture::views(program, &Chosen::default()), &args.chosen));
        return None;
    }
    Some(views)
}

fn text_of(views: &[View<'_>]) -> String {
    views.iter().map(picture::text).collect::<Vec<_>>().join("\n")
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
