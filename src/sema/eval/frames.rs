//! What is under evaluation: the calls with their blocks and names, and what they may still take.
//!
//! In: names and values. Out: what names stand for. Never: looks at an expression; the walk does.

use super::budget::Budget;
use super::facts::Facts;
use super::known_calls::KnownCalls;
use super::scope::{Binding, EvalFrame, Flow, Join, Return, Scope, VariableSlot};
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::sema::arith::Overflow;
use crate::sema::lower::JumpLabel;
use crate::sema::unit::Unit;
use crate::sema::value::InstanceId;
use crate::source::Span;
use crate::syntax::ast::{ExprId, Name};
use std::rc::Rc;

/// The state of comptime evaluation.
#[derive(Debug)]
pub struct Eval {
    /// Calls under evaluation or analysis, outermost first.
    pub(super) frames: Vec<EvalFrame>,
    /// What may still be evaluated.
    pub budget: Budget,
    /// Comptime calls whose results are known.
    pub known: KnownCalls,
    /// What the places of the text stand for.
    pub facts: Facts,
    /// A top-level comptime block is being evaluated.
    in_block: bool,
}

impl Eval {
    /// Nothing is evaluated yet.
    pub fn new(budget: Budget) -> Eval {
        Eval {
            frames: Vec::new(),
            budget,
            known: KnownCalls::default(),
            facts: Facts::default(),
            in_block: false,
        }
    }

    /// The innermost call.
    ///
    /// # Panics
    /// When nothing is being evaluated.
    pub fn frame(&self) -> &EvalFrame {
        self.frames.last().expect("evaluation happens inside a frame")
    }

    pub(super) fn frame_mut(&mut self) -> &mut EvalFrame {
        self.frames.last_mut().expect("evaluation happens inside a frame")
    }

    /// The calls, outermost first.
    pub fn frames(&self) -> &[EvalFrame] {
        &self.frames
    }

    /// A call begins.
    pub fn push(&mut self, frame: EvalFrame) {
        self.frames.push(frame);
    }

    /// The innermost call ends.
    ///
    /// # Panics
    /// When nothing is being evaluated.
    pub fn pop(&mut self) -> EvalFrame {
        self.frames.pop().expect("every call ends once")
    }

    /// Opens a frame at the top level of a module.
    pub fn enter_module(&mut self, instance: InstanceId, unit: Rc<Unit>) {
        self.push(EvalFrame::new(instance, unit, true, Return::Forbidden));
    }

    /// Whether things are evaluated now instead of being written as code.
    pub fn is_comptime(&self) -> bool {
        self.frame().comptime
    }

    /// Sets whether things are evaluated instead of being written as code. Returns the previous setting.
    pub fn set_comptime(&mut self, comptime: bool) -> bool {
        std::mem::replace(&mut self.frame_mut().comptime, comptime)
    }

    /// Whether a top-level comptime block is being evaluated.
    pub fn is_in_block(&self) -> bool {
        self.in_block && self.is_comptime()
    }

    /// A top-level comptime block begins, or ends.
    pub fn set_in_block(&mut self, in_block: bool) {
        self.in_block = in_block;
    }

    /// Whether overflow wraps here: in functions, which must agree with themselves at run time.
    pub fn overflow(&self) -> Overflow {
        match self.frame().ret {
            Return::Forbidden => Overflow::Reject,
            Return::Value(_) | Return::Code(_) | Return::Inline { .. } => Overflow::Wrap,
        }
    }

    /// A block begins: names that are declared from here are its own.
    pub fn open_scope(&mut self) {
        self.frame_mut().scopes.push(Scope::default());
    }

    /// The innermost block ends.
    pub fn close_scope(&mut self) {
        self.frame_mut().scopes.pop();
    }

    /// Declares a local name.
    ///
    /// # Errors
    /// The block has such a name.
    ///
    /// # Panics
    /// Outside of all blocks.
    pub fn declare(&mut self, name: &Name, binding: Binding, span: Span) -> Result<()> {
        let scope = self.frame_mut().scopes.last_mut().expect("a frame has a scope");
        if name != "_"
            && let Some((_, _, first)) = scope.names.iter().find(|(n, _, _)| n == name)
        {
            let first = *first;
            return Err(rules::DUPLICATE_NAME
                .because(&[("name", name)])
                .at(span)
                .also(first, "first declared here"));
        }
        self.facts.note_binding(span, &binding);
        let scope = self.frame_mut().scopes.last_mut().expect("a frame has a scope");
        scope.declare(name, binding, span);
        Ok(())
    }

    /// What a local stands for, with its slot.
    pub fn local(&self, name: &str) -> Option<(&Binding, VariableSlot)> {
        let (scope, slot) = self.frame().find_local(name)?;
        Some((&self.frame().scopes[scope].names[slot].1, (self.frames.len() - 1, scope, slot)))
    }

    /// As [`Eval::local`], for a name that is an expression of the innermost call.
    pub fn local_at(&self, id: ExprId, name: &str) -> Option<&Binding> {
        let (scope, slot) = self.frame().find_named(id, name)?;
        Some(&self.frame().scopes[scope].names[slot].1)
    }

    /// A `return`, `break` or `continue` is on its way out of an expression.
    pub fn leave_with(&mut self, flow: Flow) {
        self.frame_mut().pending = Some(flow);
    }

    /// What `leave_with` was given, if nothing has taken it since.
    pub fn take_leaving(&mut self) -> Option<Flow> {
        self.frame_mut().pending.take()
    }

    /// The values that an expansion in place has returned so far, to be put back, and its end.
    ///
    /// # Panics
    /// When the innermost call is not expanded in place.
    pub fn take_returned(&mut self) -> (Join, JumpLabel) {
        match &mut self.frame_mut().ret {
            Return::Inline { join, end, .. } => (std::mem::take(join), *end),
            _ => unreachable!("only calls that are expanded collect values"),
        }
    }

    /// Puts the values back that `take_returned` has given.
    pub fn set_returned(&mut self, values: Join) {
        if let Return::Inline { join, .. } = &mut self.frame_mut().ret {
            *join = values;
        }
    }
}
