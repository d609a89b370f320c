//! Messages as host scripts show them. The options of `cs_python` have other names than those of `cslrun`.

use super::Diagnostic;
use super::level::is_lowerable;

impl Diagnostic {
    /// The same diagnostic with the options of `cs_python` in its help and notes.
    pub fn for_cs_python(&self) -> Diagnostic {
        let mut told = self.clone();
        if is_lowerable(self) {
            told.notes.push(format!(
                "given to cs_python, `--cslrun-flags='-W {}'` makes this a warning",
                self.rule
            ));
            // The note replaces the one that names the option of `cslrun`.
            told.is_final = true;
        }
        told.help = told.help.map(|help| {
            let help = help.replace("--max-cycles", "--cslrun-max-cycles");
            help.replace("`cslrun debug`", "`cs_python --cslrun-debug prompt`")
        });
        told
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostics::render::{MessageFormat, render};
    use crate::diagnostics::{Diagnostic, rules};
    use crate::source::SourceMap;

    fn text(d: &Diagnostic) -> String {
        render(&SourceMap::default(), std::slice::from_ref(d), MessageFormat::Plain, false)
    }

    #[test]
    fn options_are_those_of_cs_python() {
        let running = rules::host::STILL_RUNNING.because(&[("cycles", &"9 cycles")]);
        let told = text(&Diagnostic::from(running).for_cs_python());
        assert!(told.contains("raise the limit with --cslrun-max-cycles"), "{told}");
        let failed = rules::run::ASSERTION_FAILED.because(&[("text", &"a == 1")]);
        let told = text(&Diagnostic::from(failed).for_cs_python());
        assert!(told.contains("look at the variables here with `cs_python --cslrun-debug prompt`"), "{told}");
    }

    #[test]
    fn a_level_is_lowered_by_an_option_of_cs_python() {
        let facts: [(&str, &dyn std::fmt::Display); 4] =
            [("name", &"a"), ("has", &1), ("pe", &"PE(0,0)"), ("asked", &2)];
        let beyond = Diagnostic::from(rules::host::COPY_OUT_OF_BOUNDS.because(&facts));
        let told = text(&beyond.for_cs_python());
        assert!(told.contains("`--cslrun-flags='-W copy-out-of-bounds'` makes this a warning"), "{told}");
        assert_eq!(told.matches("makes this a warning").count(), 1, "{told}");
    }
}
