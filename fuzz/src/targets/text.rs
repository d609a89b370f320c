//! Parsing and compiling.

use super::Signs;
use crate::seeds::Input;
use cslrun::{
    Arch, CompileOptions, Diagnostic, MessageFormat, compile as compile_program, render, syntax_errors,
};
use std::path::Path;

/// Parses the root file.
pub fn parse(text: &str) -> Signs {
    let input = Input::read(text);
    let problems = syntax_errors(&input.text);
    for label in problems.iter().flat_map(|problem| &problem.primary) {
        let span = label.span;
        let (from, to) = (span.lo as usize, span.hi as usize);
        assert!(input.text.get(from..to).is_some(), "a label at {from}..{to} is not within the text");
    }
    signs(&problems)
}

/// Whether a program asks for so many PEs that the compiler is rightly busy with them for minutes: its root file makes a
/// rectangle and has a number of four digits or more.
pub fn is_large(text: &str) -> bool {
    let input = Input::read(text);
    let mut numbers = input.text.split(|c: char| !c.is_ascii_digit());
    input.text.contains("@set_rectangle") && numbers.any(|digits| digits.len() >= 4)
}

/// Compiles for both machines.
pub fn compile(text: &str) -> Signs {
    let input = Input::read(text);
    let mut all = Signs::new();
    for arch in [Arch::Wse2, Arch::Wse3] {
        let options = CompileOptions::new(arch);
        let compilation = compile_program(Path::new(&input.root), &input.files, &options);
        let has_errors = compilation.diagnostics.iter().any(|d| d.severity.is_error());
        assert_eq!(compilation.program.is_none(), has_errors, "a program, or else an error");
        for format in [MessageFormat::Rich, MessageFormat::Plain, MessageFormat::Short] {
            check_text(&compilation.render(format, false));
        }
        let lines = compilation.render(MessageFormat::Json, false);
        assert_eq!(
            lines.lines().count(),
            compilation.diagnostics.len(),
            "one line of JSON for each diagnostic"
        );
        all.extend(signs(&compilation.diagnostics));
    }
    all
}

/// What is shown may end up on a terminal.
pub fn check_text(text: &str) {
    let commands =
        |c: &char| c.is_control() && !matches!(c, '\n' | '\t') || ('\u{202a}'..='\u{202e}').contains(c);
    assert_eq!(text.chars().find(commands), None, "this commands a terminal: {text:?}");
}

/// The rules that were broken.
pub fn signs(diagnostics: &[Diagnostic]) -> Signs {
    diagnostics.iter().map(|d| format!("{:?} {}", d.severity, d.rule)).collect()
}

/// The diagnostics of a run as text for people, for checks on the text.
pub fn shown(sources: &cslrun::SourceMap, diagnostics: &[Diagnostic]) -> String {
    render(sources, diagnostics, MessageFormat::Plain, false)
}
