//! Calls under evaluation: their blocks and names, and how they are left.

use crate::image::code::Reg;
use crate::sema::lower::JumpLabel;
use crate::sema::operand::{Addr, Operand, Place};
use crate::sema::unit::{LastPlace, Unit};
use crate::sema::value::{InstanceId, Value};
use crate::source::Span;
use crate::syntax::ast::{Decl, ExprId, Name, StmtKind};
use crate::value::ty::Ty;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::rc::Rc;

/// What a local name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A value known at comptime that never changes.
    Known(Value),
    /// A comptime variable. `depth` is the number of run-time branches around its declaration.
    Variable {
        /// Its value now.
        value: Value,
        /// Its type; `None` before the first assignment to a variable without one.
        ty: Ty,
        /// See above.
        depth: u32,
        /// Why it has no one value here, if it has none.
        skipped: Option<Skipped>,
    },
    /// A scalar in a register.
    Register {
        /// The register.
        reg: Reg,
        /// Its type.
        ty: Ty,
        /// Declared `var`.
        mutable: bool,
    },
    /// A variable in the frame of the call.
    Frame {
        /// Offset in words.
        off: u16,
        /// Its type.
        ty: Ty,
        /// Declared `var`.
        mutable: bool,
    },
    /// Whatever the argument of an inline function or of a parameter was.
    Alias(Operand),
    /// Its declaration is wrong, and reported.
    Poison,
}

/// An assignment that a jump at run time may have passed over.
#[derive(Clone, Copy, Debug)]
pub struct Skipped {
    /// The assignment.
    pub assigned: Span,
    /// The jump.
    pub jump: Span,
}

/// The names of one block.
#[derive(Debug, Default)]
pub struct Scope {
    /// In order of declaration.
    pub(super) names: Vec<(Name, Binding, Span)>,
    /// A hash of each name, by which it is found sooner.
    hashes: Vec<u32>,
}

impl Scope {
    /// A name is declared.
    pub fn declare(&mut self, name: &Name, binding: Binding, span: Span) {
        self.hashes.push(hash(name));
        self.names.push((name.clone(), binding, span));
    }

    /// The place of the last declaration of a name with this hash.
    pub fn find(&self, name: &str, hash: u32) -> Option<usize> {
        let known = self.hashes.iter().enumerate().rev();
        known.filter(|(_, own)| **own == hash).map(|(slot, _)| slot).find(|slot| self.names[*slot].0 == name)
    }
}

/// A hash of a name.
fn hash(name: &str) -> u32 {
    FxBuildHasher.hash_one(name) as u32
}

/// What `break` and `continue` may name.
#[derive(Debug)]
pub struct JumpTarget {
    /// Its label.
    pub label: Option<Name>,
    /// Loops take unlabelled `break` and `continue`; blocks do not.
    pub is_loop: bool,
    /// Where run-time `break` goes.
    pub on_break: Option<JumpLabel>,
    /// Where run-time `continue` goes.
    pub on_continue: Option<JumpLabel>,
    /// Values that leave a labelled block.
    pub join: Join,
    /// Whether a run-time `break` named it.
    pub broken: bool,
    /// Whether a run-time `continue` named it.
    pub continued: bool,
    /// It is one iteration of the unrolled loop whose target is the one before: `break` leaves that.
    pub is_iteration: bool,
    /// Run-time branches around it.
    pub depth: u32,
    /// Blocks of the call that were open around it.
    pub(super) scopes: usize,
    /// The first jump that leaves it under a run-time condition.
    pub(super) left: Option<Span>,
    /// Comptime variables from outside that were assigned behind that jump.
    pub(super) skipped: Vec<(VariableSlot, Skipped)>,
}

/// How a call gives back its result.
#[derive(Debug)]
pub enum Return {
    /// Not in a function.
    Forbidden,
    /// The value is handed to whoever evaluates the call at comptime.
    Value(Ty),
    /// Code is written: scalars go to register 0, aggregates to the address in register 0.
    Code(Ty),
    /// The call is expanded in place.
    Inline {
        /// The type.
        ty: Ty,
        /// The end of the expansion.
        end: JumpLabel,
        /// The values that were returned.
        join: Join,
    },
}

/// A comptime variable: its frame, its scope there, and its place in the scope.
pub type VariableSlot = (usize, usize, usize);

/// One call under evaluation or analysis.
#[derive(Debug)]
pub struct EvalFrame {
    /// The module whose names are seen.
    pub instance: InstanceId,
    /// Its file.
    pub unit: Rc<Unit>,
    /// Blocks, outermost first.
    pub(super) scopes: Vec<Scope>,
    /// Loops and labelled blocks, outermost first.
    pub(super) targets: Vec<JumpTarget>,
    /// Whether statements are executed now instead of being written as code.
    pub comptime: bool,
    /// How `return` works here.
    pub ret: Return,
    /// A `return`, `break` or `continue` on its way out of an expression.
    pub(super) pending: Option<Flow>,
    /// Names whose address is taken somewhere in the file: they live in memory.
    pub addressed: Rc<rustc_hash::FxHashSet<Name>>,
    /// The call, and what it calls, if the function is expanded in place of it.
    pub expanded: Option<(Span, Name)>,
}

impl EvalFrame {
    /// A call of a function of this module, or what stands at its top level.
    pub fn new(instance: InstanceId, unit: Rc<Unit>, comptime: bool, ret: Return) -> EvalFrame {
        let addressed = unit.addressed.clone();
        EvalFrame {
            instance,
            unit,
            scopes: vec![Scope::default()],
            targets: Vec::new(),
            comptime,
            ret,
            pending: None,
            addressed,
            expanded: None,
        }
    }

    /// Where a local is declared.
    pub fn declared_at(&self, name: &str) -> Option<Span> {
        let (scope, slot) = self.find_local(name)?;
        Some(self.scopes[scope].names[slot].2)
    }

    /// The expression that a constant or variable is declared with.
    pub fn initial_value(&self, name: &str) -> Option<ExprId> {
        let file = &self.unit.file;
        if let Some(declared) = self.declared_at(name) {
            return file.stmts.iter().find_map(|stmt| match &stmt.kind {
                StmtKind::Var(v) if v.name.span == declared => v.init,
                _ => None,
            });
        }
        match &file.decls[*self.unit.names.get(name)? as usize] {
            Decl::Var(v) => v.init,
            Decl::Fn(_) | Decl::Layout(..) | Decl::Comptime(..) => None,
        }
    }

    /// The names of all locals that can be seen, outermost first.
    pub fn local_names(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().flat_map(|s| s.names.iter().map(|(n, _, _)| n.as_str()))
    }

    /// Finds the local that an expression names, first where it was the last time. What a name stands for depends on
    /// the text alone, so the declaration says whether it is still there.
    pub(super) fn find_named(&self, id: ExprId, name: &str) -> Option<(usize, usize)> {
        let last = &self.unit.last_places[id.0 as usize];
        if let Some(LastPlace { scope, slot, declared }) = last.get()
            && self.scopes.get(scope).and_then(|s| s.names.get(slot)).is_some_and(|local| local.2 == declared)
        {
            return Some((scope, slot));
        }
        let (scope, slot) = self.find_local(name)?;
        last.set(Some(LastPlace { scope, slot, declared: self.scopes[scope].names[slot].2 }));
        Some((scope, slot))
    }

    /// Finds a local: its scope, and its place there.
    pub(super) fn find_local(&self, name: &str) -> Option<(usize, usize)> {
        let hash = hash(name);
        let scopes = self.scopes.iter().enumerate().rev();
        scopes
            .filter(|(_, scope)| !scope.names.is_empty())
            .find_map(|(s, scope)| Some((s, scope.find(name, hash)?)))
    }
}

/// The outcome of an expression: a value, or a place that holds one.
#[derive(Clone, Debug)]
pub enum ExprValue {
    /// A value.
    Value(Operand),
    /// A place.
    Place(Place),
}

impl ExprValue {
    /// A value known at comptime.
    pub fn known(v: Value) -> ExprValue {
        ExprValue::Value(Operand::Known(v))
    }
}

/// How a statement ends.
#[derive(Clone, Debug)]
pub enum Flow {
    /// The next statement follows.
    Next,
    /// Code: the next statement is never reached.
    Dead,
    /// Comptime: leaves the target at this index of the frame, with a value.
    Break(usize, Value),
    /// Comptime: goes on with the next iteration of the target at this index.
    Continue(usize),
    /// Comptime: leaves the function.
    Return(Value),
}

/// The values that meet at the end of an `if`, a `switch`, a labelled block or an inline call.
#[derive(Debug, Default)]
pub struct Join {
    /// The values that arrived in registers, or are known.
    pub arms: Vec<Arm>,
    /// Where aggregates meet.
    pub memory: Option<(Addr, Ty)>,
}

/// One of these values.
#[derive(Debug)]
pub struct Arm {
    /// The value.
    pub value: Operand,
    /// Where the move into the common register will be written; `None` if none is needed.
    pub at: Option<usize>,
    /// Where it is given.
    pub span: Span,
    /// Branches around the arm.
    pub depth: u32,
}

impl JumpTarget {
    /// One that nothing has left yet.
    pub fn new(
        label: Option<Name>,
        is_loop: bool,
        on_break: Option<JumpLabel>,
        on_continue: Option<JumpLabel>,
    ) -> JumpTarget {
        JumpTarget {
            label,
            is_loop,
            on_break,
            on_continue,
            join: Join::default(),
            broken: false,
            continued: false,
            is_iteration: false,
            depth: 0,
            scopes: 0,
            left: None,
            skipped: Vec::new(),
        }
    }

    /// The same with so many run-time branches around it.
    pub fn below(self, depth: u32) -> JumpTarget {
        JumpTarget { depth, ..self }
    }

    /// A labelled block that runs at comptime.
    pub fn block(label: Option<Name>) -> JumpTarget {
        JumpTarget::new(label, false, None, None)
    }

    /// A loop that runs at comptime.
    pub fn comptime_loop(label: Option<Name>) -> JumpTarget {
        JumpTarget::new(label, true, None, None)
    }

    /// A loop that is unrolled into code: nothing names it, but its iterations are left together.
    pub fn unrolled(end: JumpLabel, depth: u32) -> JumpTarget {
        JumpTarget::new(None, false, Some(end), None).below(depth)
    }

    /// One iteration of a loop that is unrolled into code.
    pub fn iteration(label: Option<Name>, end: JumpLabel, next: JumpLabel, depth: u32) -> JumpTarget {
        JumpTarget { is_iteration: true, ..JumpTarget::new(label, true, Some(end), Some(next)).below(depth) }
    }

    /// Whether a jump at run time may leave it, and may not.
    pub(super) fn is_left(&self) -> bool {
        self.left.is_some()
    }
}
