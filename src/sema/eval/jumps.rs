//! Comptime variables, and the jumps that may pass over their assignments.
//!
//! In: values, and jumps that are written as code. Out: values. Never: writes code.

use super::frames::Eval;
use super::scope::{Binding, JumpTarget, Skipped, VariableSlot};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result, suggest};
use crate::sema::operand::PathStep;
use crate::sema::value::{UnionValue, Value};
use crate::sema::words::{part, part_mut};
use crate::source::Span;
use crate::syntax::ast::Ident;
use crate::value::ty::Ty;
use std::rc::Rc;

impl Eval {
    /// The value of a comptime variable, or of a part of it.
    ///
    /// # Errors
    /// It has no such part, or no one value.
    ///
    /// # Panics
    /// When the slot holds something else: a comptime place names a comptime variable.
    pub fn variable(&self, (frame, scope, slot): VariableSlot, path: &[PathStep]) -> Result<&Value> {
        match &self.frames[frame].scopes[scope].names[slot].1 {
            Binding::Variable { skipped: Some(skipped), .. } => Err(no_one_value(*skipped)),
            Binding::Variable { value, .. } => {
                part(value, path).ok_or_else(|| rules::UNDEFINED_VALUE.plain())
            }
            _ => unreachable!("a comptime place names a comptime variable"),
        }
    }

    /// Gives a comptime variable, or a part of it, a value; `depth` run-time branches surround this.
    ///
    /// # Errors
    /// It was declared outside of a run-time branch, or has no such part.
    ///
    /// # Panics
    /// When the slot holds something else: a comptime place names a comptime variable.
    pub fn set_variable(
        &mut self,
        at: VariableSlot,
        path: &[PathStep],
        new: Value,
        depth: u32,
        span: Span,
    ) -> Result<()> {
        let (frame, scope, slot) = at;
        let Binding::Variable { value, depth: declared, ty, skipped } =
            &mut self.frames[frame].scopes[scope].names[slot].1
        else {
            unreachable!("a comptime place names a comptime variable")
        };
        if *declared != depth {
            return Err(rules::COMPTIME_VAR_BRANCH
                .plain()
                .at(span)
                .help("assign it outside of run-time `if`s and loops"));
        }
        if matches!(ty, Ty::Error) {
            *ty = new.ty();
        }
        match part_mut(value, path) {
            Some(target) => *target = new,
            None => return Err(rules::UNDEFINED_VALUE.plain()),
        }
        if path.is_empty() {
            *skipped = None;
        }
        self.note_assignment(at, span);
        Ok(())
    }

    /// Makes another variant of a union in a comptime variable the active one, with the same bits.
    ///
    /// # Panics
    /// When the slot holds something else: a comptime place names a comptime variable.
    pub fn reinterpret(
        &mut self,
        (frame, scope, slot): VariableSlot,
        path: &[PathStep],
        as_other: UnionValue,
    ) {
        let Binding::Variable { value, .. } = &mut self.frames[frame].scopes[scope].names[slot].1 else {
            unreachable!("a comptime place names a comptime variable")
        };
        if let Some(union) = part_mut(value, path) {
            *union = Value::Union(Rc::new(as_other));
        }
    }

    /// Notes an assignment that a jump may pass over, where the ways meet again.
    fn note_assignment(&mut self, at: VariableSlot, span: Span) {
        let (frame, scope, _) = at;
        let frames = self.frames[frame..].iter_mut().enumerate().rev();
        let passed = frames
            .flat_map(|(up, f)| f.targets.iter_mut().rev().filter(move |t| up > 0 || scope < t.scopes))
            .find_map(|t| Some((t.left?, t)));
        if let Some((jump, target)) = passed {
            target.skipped.push((at, Skipped { assigned: span, jump }));
        }
    }

    /// What `break` and `continue` may name in the innermost call, outermost first.
    pub fn targets(&self) -> &[JumpTarget] {
        &self.frame().targets
    }

    /// Opens a target of `break` and `continue`. Returns its index.
    pub fn open_target(&mut self, mut target: JumpTarget) -> usize {
        target.scopes = self.frame().scopes.len();
        self.frame_mut().targets.push(target);
        self.frame().targets.len() - 1
    }

    /// A label is given to a loop or block.
    ///
    /// # Errors
    /// A loop or block around it has the same (language section 8).
    pub fn check_label(&self, label: Option<&Ident>) -> Result<()> {
        match label {
            Some(l) if self.targets().iter().any(|t| t.label.as_ref() == Some(&l.name)) => {
                let diag = rules::DUPLICATE_NAME.because(&[("name", &l.name)]).at(l.span);
                Err(diag.help("give it another label: this is inside of the loop or block with the same one"))
            }
            _ => Ok(()),
        }
    }

    /// Closes the target that was opened last.
    ///
    /// # Panics
    /// When none is open.
    pub fn close_target(&mut self) -> JumpTarget {
        let mut target = self.frame_mut().targets.pop().expect("every target is closed once");
        for ((frame, scope, slot), passed) in target.skipped.drain(..) {
            if let Binding::Variable { skipped, .. } = &mut self.frames[frame].scopes[scope].names[slot].1 {
                *skipped = Some(passed);
            }
        }
        target
    }

    /// Code jumps to the end of a target, or of the loop whose iteration it is; `depth` run-time branches surround this.
    pub fn note_jump(&mut self, index: usize, is_break: bool, depth: u32, span: Span) {
        let targets = &mut self.frame_mut().targets;
        let index = if is_break && targets[index].is_iteration { index - 1 } else { index };
        if depth > targets[index].depth || targets[index + 1..].iter().any(JumpTarget::is_left) {
            targets[index].left.get_or_insert(span);
        }
    }

    /// Closes the target with this index, and those inside.
    pub fn close_targets(&mut self, index: usize) {
        self.frame_mut().targets.truncate(index);
    }

    /// An open target of the innermost call, by its index, to change.
    pub fn target(&mut self, index: usize) -> &mut JumpTarget {
        &mut self.frame_mut().targets[index]
    }

    /// The index of the target that a `break` or `continue` names.
    ///
    /// # Errors
    /// There is none.
    pub fn find_target(&self, label: Option<&Ident>, span: Span) -> Result<usize> {
        let targets = &self.frame().targets;
        let found = match label {
            Some(l) => targets.iter().rposition(|t| t.label.as_ref() == Some(&l.name)),
            None => targets.iter().rposition(|t| t.is_loop),
        };
        found.ok_or_else(|| match label {
            Some(l) => {
                let c = rules::UNKNOWN_LABEL.because(&[("name", &l.name)]).at(l.span);
                let labels = targets.iter().filter_map(|t| t.label.as_deref());
                suggest::instead(c, &l.name, labels, "the labels here are")
            }
            None => rules::OUTSIDE_LOOP.plain().at(span),
        })
    }
}

fn no_one_value(skipped: Skipped) -> Diag {
    rules::COMPTIME_VAR_BRANCH
        .plain()
        .at(skipped.assigned)
        .also(skipped.jump, "this jump may pass over the assignment")
        .help("declare it without `comptime`: then it has its value at run time")
}
