//! Calls whose result is known from an earlier one: a function that only computes gives the same result
//! for the same arguments, also on another tile, if what it read of its modules is the same.
//!
//! While a function is evaluated, its call notes which declarations it reads and which signatures it
//! relies on. The result is taken over if the same reads, in the same order, find the same values. These
//! reads evaluate what is not evaluated yet, exactly as the function itself would have done.
//!
//! What it gains on public programs has not been measured. `CompileOptions::memo` and `--engine plain` switch it
//! off; `tests/it/engines.rs` compares the programs that come out.

use super::known_calls::{Key, KnownCall, ROOM, Read, Watch, all_same, same, weight, weight_of};
use super::scope::Ev;
use super::signature::Signature;
use super::unit::DeclState;
use super::value::{FnRef, GlobalId, InstanceId, Value};
use super::world::Sema;
use crate::diagnostics::Result;
use crate::source::Span;
use crate::value::ty::Ty;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

impl Sema<'_> {
    /// The result of a call, by `evaluate` if it is not known.
    pub fn memo(
        &mut self,
        f: FnRef,
        args: Vec<Value>,
        ret: &Ty,
        evaluate: impl FnOnce(&mut Self, Vec<Value>) -> Result<Value>,
    ) -> Result<Value> {
        let Some(given) = weight_of(&args).filter(|_| self.options.memo) else { return evaluate(self, args) };
        let key = self.key(f, &args);
        if let Some(result) = self.known_result(key, f, &args, ret) {
            return Ok(result);
        }
        if self.memo.kept >= ROOM {
            return evaluate(self, args);
        }
        let watch = Watch { reads: Vec::new(), only_computes: true, begin: self.memo.steps, elsewhere: 0 };
        self.memo.watching.push(watch);
        let result = evaluate(self, args.clone());
        let watch = self.memo.watching.pop().expect("pushed above");
        let steps = self.memo.steps - watch.begin - watch.elsewhere;
        if let Some(around) = self.memo.watching.last_mut() {
            around.take_over(&watch);
        }
        if let Ok(result) = &result
            && let Some(more) = weight(result).filter(|_| watch.only_computes)
        {
            let (ret, result) = (ret.clone(), result.clone());
            let call = KnownCall { args, ret, instance: f.instance, reads: watch.reads, steps, result };
            self.memo.keep(key, call, given + more);
        }
        result
    }

    /// Evaluates a declaration, of which calls under evaluation read nothing but its value.
    pub fn unwatched<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (watching, begin) = (std::mem::take(&mut self.memo.watching), self.memo.steps);
        let result = f(self);
        self.memo.watching = watching;
        if let Some(watch) = self.memo.watching.last_mut() {
            watch.elsewhere += self.memo.steps - begin;
        }
        result
    }

    /// The call under evaluation does more than to compute its result.
    pub fn has_effect(&mut self) {
        if let Some(watch) = self.memo.watching.last_mut() {
            watch.only_computes = false;
        }
    }

    /// The call under evaluation reads a global.
    pub fn reads_global(&mut self, instance: InstanceId, decl: u32, id: GlobalId) {
        let Some(watch) = self.memo.watching.last() else { return };
        if watch.reads.iter().any(|r| r.is_of(instance, decl)) {
            return;
        }
        let g = self.global(id);
        let read = match &g.value {
            _ if g.is_var || g.defined_by.is_some() => None,
            Value::Module(m) => Some(Read::Module(instance, decl, *m, self.instance(*m).unit.clone())),
            v => weight(v).map(|_| Read::Value(instance, decl, v.clone())),
        };
        match read {
            Some(read) => self.memo.watching.last_mut().expect("seen above").reads.push(read),
            None => self.has_effect(),
        }
    }

    /// The call under evaluation calls a function whose signature is the same for all calls.
    pub fn reads_signature(&mut self, f: FnRef, signature: &Rc<Signature>) {
        if let Some(watch) = self.memo.watching.last_mut() {
            watch.reads.push(Read::Signature(f, signature.clone()));
        }
    }

    fn key(&self, f: FnRef, args: &[Value]) -> Key {
        let mut hasher = rustc_hash::FxHasher::default();
        args.iter().for_each(|v| v.fingerprint().hash(&mut hasher));
        (self.instance(f.instance).unit.file.id, f.decl, hasher.finish())
    }

    fn known_result(&mut self, key: Key, f: FnRef, args: &[Value], ret: &Ty) -> Option<Value> {
        let mut next = 0;
        loop {
            let call = self.memo.known.get(&key)?.get(next)?.clone();
            next += 1;
            if call.ret == *ret && all_same(&call.args, args) && self.reads_the_same(&call, f.instance) {
                self.fuel = self.fuel.checked_sub(call.steps)?;
                self.memo.steps += call.steps;
                return Some(call.result.clone());
            }
        }
    }

    /// Whether everything that a call has read has the same value here.
    fn reads_the_same(&mut self, call: &KnownCall, instance: InstanceId) -> bool {
        let mut here = vec![(call.instance, instance)];
        call.reads.iter().all(|read| self.read_is_the_same(read, &mut here))
    }

    /// `here` says which modules stand for those of the world in which the call was evaluated.
    fn read_is_the_same(&mut self, read: &Read, here: &mut Vec<(InstanceId, InstanceId)>) -> bool {
        let find = |there: InstanceId| here.iter().find(|(t, _)| *t == there).map(|(_, h)| *h);
        match read {
            Read::Value(there, decl, value) => {
                let Some(instance) = find(*there) else { return false };
                self.value_here(instance, *decl).is_some_and(|v| same(&v, value))
            }
            Read::Module(there, decl, module, unit) => {
                let Some(instance) = find(*there) else { return false };
                let Some(Value::Module(m)) = self.value_here(instance, *decl) else { return false };
                here.push((*module, m));
                Rc::ptr_eq(&self.instance(m).unit, unit)
            }
            Read::Signature(f, signature) => {
                let Some(instance) = find(f.instance) else { return false };
                let span = Span::new(self.instance(instance).unit.file.id, 0, 0);
                let f = FnRef { instance, decl: f.decl };
                self.signature(f, &[], span)
                    .is_ok_and(|s| s.params == signature.params && s.ret == signature.ret)
            }
        }
    }

    /// The value of a constant, which is evaluated if need be. What is wrong with it is told by whoever
    /// asks for it next.
    fn value_here(&mut self, instance: InstanceId, decl: u32) -> Option<Value> {
        let span = Span::new(self.instance(instance).unit.file.id, 0, 0);
        match self.member(instance, decl, span) {
            Ok(Ev::Value(v)) => v.known().cloned(),
            Ok(Ev::Place(super::operand::Place::Memory { known, .. })) => known,
            Ok(Ev::Place(_)) => None,
            Err(diag) => {
                let state = &mut self.instance_mut(instance).decls[decl as usize];
                if matches!(state, DeclState::Failed(_)) {
                    *state = DeclState::Failed(Some(diag));
                }
                None
            }
        }
    }
}
