//! What the catalogue says of a builtin: one entry holds its name, its place and its meaning.

use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result, counted};
use crate::image::intrinsics::IntrinsicRow;
use crate::sema::eval::ExprValue;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::{ExprId, VarDecl};
use std::ops::RangeInclusive;

/// Where a builtin may stand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// In the layout block and what it calls.
    Layout,
    /// In a top-level comptime block and what it calls.
    Block,
    /// In a top-level comptime block, or in code.
    BlockOrCode,
    /// In code only.
    Code,
    /// Wherever comptime values are computed, code included.
    Anywhere,
    /// As the initial value of a global constant.
    Global,
}

impl Phase {
    /// The phase in words, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Phase::Layout => "in the layout block",
            Phase::Block => "in a top-level comptime block",
            Phase::BlockOrCode => "in a top-level comptime block or in code that runs on a PE",
            Phase::Code => "in code that runs on a PE",
            Phase::Anywhere => "anywhere",
            Phase::Global => "as the initial value of a global constant",
        }
    }
}

/// One entry.
#[derive(Clone, Debug)]
pub struct Builtin {
    /// The name without `@`. Only the embedded library may use one that begins with `__`.
    pub name: &'static str,
    /// How many arguments it takes.
    pub takes: RangeInclusive<usize>,
    /// Where it may stand.
    pub phase: Phase,
    /// Whether it only computes when its arguments are known. All others have effects, or depend on
    /// something beside their arguments.
    pub is_pure: bool,
    /// How it is called.
    pub usage: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
    /// What a call does.
    pub(in crate::sema) run: Run,
    /// What is wrong with a call in another place, if that says more than the phase.
    pub(in crate::sema) misplaced: Option<fn(&'static str) -> Diag>,
}

/// What most entries have in common, for `..USUAL` at their end.
pub const USUAL: Builtin = Builtin {
    name: "",
    takes: 0..=0,
    phase: Phase::Anywhere,
    is_pure: false,
    usage: "",
    doc: "",
    run: Run::Known(|_, _| Ok(Value::Void)),
    misplaced: None,
};

/// The meaning of a builtin, by what a call of it gives.
#[derive(Copy, Clone, Debug)]
pub enum Run {
    /// A value that is known while the program is compiled.
    Known(fn(&mut Sema<'_>, Call<'_>) -> Result<Value>),
    /// A value that may be known only when the program runs, or nothing.
    Operand(fn(&mut Sema<'_>, Call<'_>) -> Result<Operand>),
    /// A value or a place that can be assigned to.
    Place(fn(&mut Sema<'_>, Call<'_>) -> Result<ExprValue>),
    /// A request to the PE, for which the arguments are converted.
    Intrinsic(&'static IntrinsicRow),
    /// The value of the global constant that it initializes.
    Global(fn(&mut Sema<'_>, Call<'_>, &VarDecl) -> Result<Value>),
}

/// A call of a builtin under evaluation.
#[derive(Copy, Clone, Debug)]
pub struct Call<'a> {
    /// The arguments.
    pub args: &'a [ExprId],
    /// The whole call.
    pub span: Span,
}

impl Builtin {
    /// Whether only the embedded library may use it.
    pub fn is_internal(&self) -> bool {
        self.name.starts_with("__")
    }

    /// Complains unless it takes so many arguments.
    pub(in crate::sema) fn check_count(&self, call: Call<'_>) -> Result<()> {
        let have = call.args.len();
        if self.takes.contains(&have) {
            return Ok(());
        }
        let (least, most) = (*self.takes.start(), *self.takes.end());
        let want = match least == most {
            true => counted(most as u64, "argument"),
            false => format!("{least} to {most} arguments"),
        };
        Err(rules::ARGUMENT_COUNT
            .because(&[("name", &format!("`@{}`", self.name)), ("want", &want), ("have", &have)])
            .at(call.span)
            .help(format!("write `{}`", self.usage)))
    }

    /// The diagnostic about a call where it may not stand.
    pub(in crate::sema) fn wrong_phase(&self) -> Diag {
        match self.misplaced {
            Some(diag) => diag(self.name),
            None => wrong_phase(self.name, self.phase),
        }
    }
}

/// The diagnostic about something that may only stand elsewhere.
pub fn wrong_phase(name: &str, phase: Phase) -> Diag {
    rules::WRONG_PHASE.because(&[("name", &format!("@{name}")), ("where", &phase.words())])
}
