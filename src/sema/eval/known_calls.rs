//! Calls at comptime whose results are kept, and what those under evaluation have read so far.

use crate::sema::lower::Signature;
use crate::sema::unit::Unit;
use crate::sema::value::{Elems, FnRef, InstanceId, Value};
use crate::source::FileId;
use crate::value::ty::Ty;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Scalars in the arguments, in the result or in a value that is read, at most: to compare more takes
/// as long as to compute it again.
const MAX_WEIGHT: usize = 256;

/// Scalars that are kept of all calls together.
const ROOM: usize = 1 << 18;

/// Reads of a call whose result is kept, at most: each is compared when the result is asked for again.
const MAX_READS: usize = 256;

/// Results that are kept of calls that differ in nothing but what they read.
const MAX_ALIKE: usize = 64;

/// The calls known so far, and those under evaluation.
#[derive(Debug, Default)]
pub struct KnownCalls {
    known: FxHashMap<Key, Vec<Rc<KnownCall>>>,
    kept: usize,
    watching: Vec<Watch>,
}

/// File and declaration of a function, and a hash of its arguments.
pub type Key = (FileId, u32, u64);

/// A call whose result is known.
#[derive(Debug)]
pub struct KnownCall {
    /// The arguments.
    pub args: Vec<Value>,
    /// The type of the result, to which it is converted.
    pub ret: Ty,
    /// The module of the function when it was evaluated.
    pub instance: InstanceId,
    /// What it read beside the arguments, in order.
    pub reads: Vec<Read>,
    /// What it took of the comptime fuel.
    pub steps: u64,
    /// The result.
    pub result: Value,
}

/// Something beside the arguments on which a result depends. Instances are those of the tile in which
/// the function was evaluated.
#[derive(Clone, Debug)]
pub enum Read {
    /// A constant.
    Value(InstanceId, u32, Value),
    /// A constant that names a module.
    Module(InstanceId, u32, InstanceId, Rc<Unit>),
    /// The signature of a function that it calls.
    Signature(FnRef, Rc<Signature>),
}

impl Read {
    fn is_of(&self, instance: InstanceId, decl: u32) -> bool {
        match self {
            Read::Value(i, d, _) | Read::Module(i, d, ..) => (*i, *d) == (instance, decl),
            Read::Signature(..) => false,
        }
    }

    /// Whether comparing the other read makes it unnecessary to compare this one.
    fn is_covered_by(&self, other: &Read) -> bool {
        match self {
            Read::Value(instance, decl, _) | Read::Module(instance, decl, ..) => {
                other.is_of(*instance, *decl)
            }
            Read::Signature(f, its) => match other {
                Read::Signature(g, signature) => {
                    f == g
                        && (Rc::ptr_eq(its, signature)
                            || its.params == signature.params && its.ret == signature.ret)
                }
                Read::Value(..) | Read::Module(..) => false,
            },
        }
    }
}

/// A call under evaluation.
#[derive(Debug)]
pub struct Watch {
    reads: Vec<Read>,
    only_computes: bool,
    /// Comptime steps before it.
    begin: u64,
    /// What declarations took that were evaluated on the way: they are evaluated once.
    elsewhere: u64,
}

impl KnownCalls {
    /// A call with this key, by its number among those; `None` behind the last.
    pub fn call(&self, key: Key, n: usize) -> Option<Rc<KnownCall>> {
        self.known.get(&key)?.get(n).cloned()
    }

    /// Whether another call may be kept.
    pub fn has_room(&self) -> bool {
        self.kept < ROOM
    }

    /// Keeps a call of this weight.
    pub fn keep(&mut self, key: Key, call: KnownCall, weight: usize) {
        let alike = self.known.entry(key).or_default();
        if alike.len() < MAX_ALIKE {
            self.kept += weight + call.reads.len();
            alike.push(Rc::new(call));
        }
    }

    /// A call is evaluated from here until `end`; `steps` is the number of comptime steps so far.
    pub fn begin(&mut self, steps: u64) {
        self.watching.push(Watch { reads: Vec::new(), only_computes: true, begin: steps, elsewhere: 0 });
    }

    /// The call that was begun last is evaluated: the steps that it took, and what it read unless it did
    /// more than to compute its result.
    ///
    /// # Panics
    /// When no call is evaluated.
    pub fn end(&mut self, steps: u64) -> (u64, Option<Vec<Read>>) {
        let watch = self.watching.pop().expect("a call was begun");
        if let Some(around) = self.watching.last_mut() {
            around.take_over(&watch);
        }
        (steps - watch.begin - watch.elsewhere, watch.only_computes.then_some(watch.reads))
    }

    /// What is evaluated from here until `resume` is no part of the calls under evaluation.
    pub fn suspend(&mut self) -> Vec<Watch> {
        std::mem::take(&mut self.watching)
    }

    /// The calls go on, which `suspend` has given; `elsewhere` steps were none of theirs.
    pub fn resume(&mut self, watching: Vec<Watch>, elsewhere: u64) {
        self.watching = watching;
        if let Some(watch) = self.watching.last_mut() {
            watch.elsewhere += elsewhere;
        }
    }

    /// Notes that the call under evaluation has a side effect, so that its result is not kept.
    pub fn note_effect(&mut self) {
        if let Some(watch) = self.watching.last_mut() {
            watch.note_effect();
        }
    }

    /// Whether the call under evaluation reads this declaration for the first time.
    pub fn is_new(&self, instance: InstanceId, decl: u32) -> bool {
        self.watching
            .last()
            .is_some_and(|watch| watch.only_computes && !watch.reads.iter().any(|r| r.is_of(instance, decl)))
    }

    /// Notes what the call under evaluation reads.
    pub fn note_read(&mut self, read: Read) {
        if let Some(watch) = self.watching.last_mut() {
            watch.note(read);
        }
    }

    /// Whether a call is evaluated whose reads are noted.
    pub fn is_watching(&self) -> bool {
        !self.watching.is_empty()
    }
}

impl Watch {
    /// What a call does, the one around it does, too.
    fn take_over(&mut self, inner: &Watch) {
        self.elsewhere += inner.elsewhere;
        if !inner.only_computes {
            self.note_effect();
        }
        inner.reads.iter().for_each(|read| self.note(read.clone()));
    }

    /// Each only once: a recursive function would read the signature of itself as often as it is called.
    fn note(&mut self, read: Read) {
        if !self.only_computes || self.reads.iter().any(|known| read.is_covered_by(known)) {
            return;
        }
        match self.reads.len() {
            MAX_READS => self.note_effect(),
            _ => self.reads.push(read),
        }
    }

    /// The result is not kept, and so nobody asks what it depends on.
    fn note_effect(&mut self) {
        self.only_computes = false;
        self.reads.clear();
    }
}

/// The number of scalars in some values; `None` if they are too many, or if a value means something only
/// in the tile in which it was made.
pub fn weight_of(values: &[Value]) -> Option<usize> {
    let mut sum = values.len();
    for v in values {
        sum += weight(v)?;
    }
    (sum <= MAX_WEIGHT).then_some(sum)
}

/// The same for one value.
pub fn weight(v: &Value) -> Option<usize> {
    match v {
        Value::Int(_, n) => (!n.is_symbolic()).then_some(1),
        Value::Range(r) => (![&r.start, &r.stop, &r.step].iter().any(|n| n.is_symbolic())).then_some(1),
        Value::Void | Value::Undefined(_) | Value::Bool(_) | Value::Float(..) => Some(1),
        Value::Type(_) | Value::Id(..) | Value::Enum(..) => Some(1),
        Value::Str(s) => (s.len() <= MAX_WEIGHT).then_some(s.len()),
        Value::Array(a) => match &a.elems {
            Elems::Splat(v) => weight(v),
            Elems::List(all) if all.len() <= MAX_WEIGHT => weight_of(all),
            Elems::List(_) => None,
        },
        Value::Record(r) => weight_of(&r.fields),
        Value::Union(u) => weight(&u.value),
        Value::Ptr(_) | Value::Fn(_) | Value::Module(_) | Value::Dsd(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_of_a_call_is_one_of_the_call_around_it() {
        let mut known = KnownCalls::default();
        known.begin(0);
        known.begin(4);
        known.note_effect();
        assert!(known.end(6).1.is_none());
        assert!(known.end(9).1.is_none());
    }

    #[test]
    fn what_is_evaluated_in_between_is_no_part_of_a_call() {
        let mut known = KnownCalls::default();
        known.begin(0);
        let watching = known.suspend();
        known.note_effect();
        known.resume(watching, 5);
        let (steps, reads) = known.end(7);
        assert_eq!((steps, reads.map(|reads| reads.len())), (2, Some(0)));
    }

    #[test]
    fn a_signature_that_many_inner_calls_read_is_read_once() {
        let f = FnRef { instance: InstanceId(0), decl: 3 };
        let read = || Read::Signature(f, Rc::new(Signature::default()));
        let mut known = KnownCalls::default();
        known.begin(0);
        for _ in 0..3 {
            known.begin(0);
            known.note_read(read());
            known.note_read(read());
            known.end(0);
        }
        assert_eq!(known.end(0).1.map(|reads| reads.len()), Some(1));
    }

    #[test]
    fn a_call_that_reads_too_much_is_not_kept() {
        let read = |decl| Read::Value(InstanceId(0), decl, Value::Bool(true));
        for (count, kept) in [(MAX_READS, Some(MAX_READS)), (MAX_READS + 1, None)] {
            let mut known = KnownCalls::default();
            known.begin(0);
            (0..count as u32).for_each(|decl| known.note_read(read(decl)));
            assert_eq!(known.end(0).1.map(|reads| reads.len()), kept);
        }
    }
}
