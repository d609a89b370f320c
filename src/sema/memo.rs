//! Calls whose result is known from an earlier one: a function that only computes gives the same result
//! for the same arguments, also on another tile, if what it read of its modules is the same.
//!
//! While a function is evaluated, its call notes which declarations it reads and which signatures it
//! relies on. The result is taken over if the same reads, in the same order, find the same values. These
//! reads evaluate what is not evaluated yet, exactly as the function itself would have done.
//!
//! In the official example 25-pt-stencil, where every PE has parameters of its own, 196 of 4,040 such calls are
//! evaluated, which saved a third of all work (docs/performance.md). `CompileOptions::memo` and `--engine plain`
//! switch it off; `tests/it/engines.rs` compares the programs that come out.

use super::eval::ExprValue;
use super::eval::{Key, KnownCall, Read, weight, weight_of};
use super::modules::Modules;
use super::unit::DeclState;
use super::value::{FnRef, InstanceId, Value};
use super::walk::Sema;
use crate::diagnostics::Result;
use crate::source::Span;
use crate::value::ty::Ty;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The result of a call, by `evaluate` if it is not known.
pub fn memo(
    sema: &mut Sema<'_>,
    f: FnRef,
    args: Vec<Value>,
    ret: &Ty,
    evaluate: impl FnOnce(&mut Sema<'_>, Vec<Value>) -> Result<Value>,
) -> Result<Value> {
    let Some(given) = weight_of(&args).filter(|_| sema.options.memo) else { return evaluate(sema, args) };
    let key = key(&sema.modules, f, &args);
    if let Some(result) = known_result(sema, key, f, &args, ret) {
        return Ok(result);
    }
    if !sema.eval.known.has_room() {
        return evaluate(sema, args);
    }
    sema.eval.known.begin(sema.eval.budget.steps());
    let result = evaluate(sema, args.clone());
    let (steps, reads) = sema.eval.known.end(sema.eval.budget.steps());
    if let (Ok(result), Some(reads)) = (&result, reads)
        && let Some(more) = weight(result)
    {
        let (ret, result) = (ret.clone(), result.clone());
        let call = KnownCall { args, ret, instance: f.instance, reads, steps, result };
        sema.eval.known.keep(key, call, given + more);
    }
    result
}

fn key(modules: &Modules, f: FnRef, args: &[Value]) -> Key {
    let mut hasher = rustc_hash::FxHasher::default();
    args.iter().for_each(|v| v.fingerprint().hash(&mut hasher));
    (modules.get(f.instance).unit.file.id, f.decl, hasher.finish())
}

fn known_result(sema: &mut Sema<'_>, key: Key, f: FnRef, args: &[Value], ret: &Ty) -> Option<Value> {
    let mut next = 0;
    loop {
        let call = sema.eval.known.call(key, next)?;
        next += 1;
        if call.ret == *ret && call.args == args && reads_the_same(sema, &call, f.instance) {
            sema.eval.budget.take(call.steps)?;
            return Some(call.result.clone());
        }
    }
}

/// Whether everything that a call has read has the same value here.
fn reads_the_same(sema: &mut Sema<'_>, call: &KnownCall, instance: InstanceId) -> bool {
    let mut here = vec![(call.instance, instance)];
    call.reads.iter().all(|read| read_is_the_same(sema, read, &mut here))
}

/// `here` says which modules stand for those of the tile in which the call was evaluated.
fn read_is_the_same(sema: &mut Sema<'_>, read: &Read, here: &mut Vec<(InstanceId, InstanceId)>) -> bool {
    let find = |there: InstanceId| here.iter().find(|(t, _)| *t == there).map(|(_, h)| *h);
    match read {
        Read::Value(there, decl, value) => {
            let Some(instance) = find(*there) else { return false };
            value_here(sema, instance, *decl).is_some_and(|v| weight(&v).is_some() && v == *value)
        }
        Read::Module(there, decl, module, unit) => {
            let Some(instance) = find(*there) else { return false };
            let Some(Value::Module(m)) = value_here(sema, instance, *decl) else { return false };
            here.push((*module, m));
            Rc::ptr_eq(&sema.instance(m).unit, unit)
        }
        Read::Signature(f, signature) => {
            let Some(instance) = find(f.instance) else { return false };
            let span = Span::new(sema.instance(instance).unit.file.id, 0, 0);
            let f = FnRef { instance, decl: f.decl };
            sema.signature(f, &[], span).is_ok_and(|s| s.params == signature.params && s.ret == signature.ret)
        }
    }
}

/// The value of a constant, which is evaluated if need be. What is wrong with it is told by whoever
/// asks for it next.
fn value_here(sema: &mut Sema<'_>, instance: InstanceId, decl: u32) -> Option<Value> {
    let span = Span::new(sema.instance(instance).unit.file.id, 0, 0);
    match sema.member(instance, decl, span) {
        Ok(ExprValue::Value(v)) => v.known().cloned(),
        Ok(ExprValue::Place(super::operand::Place::Memory { known, .. })) => known,
        Ok(ExprValue::Place(_)) => None,
        Err(diag) => {
            let state = &mut sema.instance_mut(instance).decls[decl as usize];
            if matches!(state, DeclState::Failed(_)) {
                *state = DeclState::Failed(Some(diag));
            }
            None
        }
    }
}
