//! What a diagnostic about a setting or a choice suggests.

use super::arguments::chosen;
use crate::diagnostics::rules::{comptime, tasks};
use crate::diagnostics::{Diag, Rule, suggest};
use crate::sema::value::Value;

/// The diagnostic about a setting that does not exist.
pub fn unknown_setting(name: &str, of: &str, known: &[&str]) -> Diag {
    let c = comptime::UNKNOWN_FIELD.because(&[("name", &name), ("type", &of)]);
    suggest::instead(c, name, known.iter().copied(), "its settings are")
}

/// The diagnostic about a value that is none of the choices, such as "`.high`, `.low`".
pub fn bad_choice(v: &Value, choices: &str) -> Diag {
    let c = tasks::BAD_CHOICE.because(&[("value", v), ("choices", &choices)]);
    let names = choices.split('`').filter_map(|name| name.strip_prefix('.'));
    let near = chosen(v).and_then(|given| Some((suggest::nearest(&given, names)?, given)));
    match near {
        Some((near, given)) => c.did_you_mean(&given, near, format!(".{{ .{near} = true }}")),
        None => c,
    }
}

/// The diagnostic about a setting whose value is of another type than it takes, such as "a bool".
pub fn wrong_type(name: &str, v: &Value, want: &str, example: &str) -> Diag {
    let facts: [(&str, &dyn std::fmt::Display); 3] = [("name", &name), ("want", &want), ("value", v)];
    comptime::SETTING_TYPE.because(&facts).help(format!("write `{example}`"))
}

/// What is not known at comptime, or does not fit, is `own` where that says more; the places stay.
pub fn instead_of(general: &Rule, c: Diag, own: Diag) -> Diag {
    if c.rule() != general.name {
        return c;
    }
    let mut own = own;
    own.0.primary = c.0.primary;
    own.0.others = c.0.others;
    own
}
