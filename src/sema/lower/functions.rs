//! The functions that a tile needs: one instance for each distinct set of comptime arguments.

use super::blanks::FunctionBlanks;
use super::signature::{ParamKind, Pending, Signature};
use crate::diagnostics::Label;
use crate::image::Function;
use crate::image::code::FnId;
use crate::sema::value::FnRef;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

/// Functions of a tile at most, counting each instance of a generic one.
pub const MAX_FUNCTIONS: usize = 10_000;

/// The functions of a tile.
#[derive(Debug, Default)]
pub struct Functions {
    /// By id; `None` until written.
    written: Vec<Option<Function>>,
    /// Those still to be written.
    pending: VecDeque<Pending>,
    /// The instances of each function.
    instances: FxHashMap<FnRef, Vec<(Vec<ParamKind>, FnId)>>,
    /// Signatures of functions that are not generic.
    signatures: FxHashMap<FnRef, Rc<Signature>>,
    /// Constants that depend on parameters.
    blanks: Vec<FunctionBlanks>,
}

impl Functions {
    /// The signature of a function, if it is known and the same for all calls.
    pub fn signature(&self, f: FnRef) -> Option<&Rc<Signature>> {
        self.signatures.get(&f)
    }

    /// Keeps the signature of a function that is the same for all calls.
    pub fn keep_signature(&mut self, f: FnRef, signature: Rc<Signature>) {
        self.signatures.insert(f, signature);
    }

    /// The instance with these parameters, if something has asked for it.
    pub fn find(&self, f: FnRef, params: &[ParamKind]) -> Option<FnId> {
        let all = self.instances.get(&f)?;
        all.iter().find(|(known, _)| known == params).map(|(_, id)| *id)
    }

    /// Whether something has asked for an instance of a function.
    pub fn has(&self, f: FnRef) -> bool {
        self.instances.contains_key(&f)
    }

    /// Whether no other function may be asked for.
    pub fn is_full(&self) -> bool {
        self.written.len() >= MAX_FUNCTIONS
    }

    /// Asks for an instance, which `calls` lead to.
    pub fn ask(&mut self, f: FnRef, signature: &Signature, calls: Vec<Label>) -> FnId {
        let id = FnId(self.written.len() as u32);
        self.written.push(None);
        self.instances.entry(f).or_default().push((signature.params.clone(), id));
        self.pending.push_back(Pending { f, signature: signature.clone(), id, calls });
        id
    }

    /// The next function to be written.
    pub fn next_pending(&mut self) -> Option<Pending> {
        self.pending.pop_front()
    }

    /// A function is written.
    pub fn set(&mut self, id: FnId, function: Function) {
        self.written[id.0 as usize] = Some(function);
    }

    /// Keeps the constants of a function that depend on parameters.
    pub fn keep_blanks(&mut self, blanks: FunctionBlanks) {
        self.blanks.push(blanks);
    }

    /// The constants that depend on parameters, of all functions that have such.
    pub fn take_blanks(&mut self) -> Vec<FunctionBlanks> {
        std::mem::take(&mut self.blanks)
    }

    /// All that were written.
    pub fn take(&mut self) -> Vec<Arc<Function>> {
        std::mem::take(&mut self.written).into_iter().flatten().map(Arc::new).collect()
    }
}
