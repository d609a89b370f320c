//! What the places of a text stand for: types and values that the walk has met there, for editors.

use super::scope::{Binding, ExprValue};
use crate::sema::operand::{Operand, Place};
use crate::sema::value::Value;
use crate::source::Span;
use crate::value::number::Integer;
use crate::value::symbolic::TermId;
use crate::value::ty::IntTy;
use crate::value::ty::Ty;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Different values of one place that are kept; more are not shown to anyone.
const MOST_VALUES: usize = 4;

/// Characters of a value that are kept.
const MOST_CHARACTERS: usize = 200;

/// What was met at each place. Nothing is noted unless it was asked for.
#[derive(Debug, Default)]
pub struct Facts {
    is_kept: bool,
    /// The places as numbers of what was seen there: every tile looks them up again, and a small table stays in a cache.
    by_place: FxHashMap<Span, u32>,
    seen: Vec<Seen>,
    /// While a template is made: the places whose values other tiles compute from other parameters.
    open: Option<IndexSet<OpenFact, FxBuildHasher>>,
}

/// A value of a place in a template, which each tile of the family has another number for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenFact {
    /// The number of what was seen at the place.
    seen: u32,
    ty: Option<IntTy>,
    /// The term that stands for the value.
    pub term: TermId,
}

/// What was met at one place.
#[derive(Debug)]
struct Seen {
    ty: Ty,
    values: Vec<Value>,
    has_more: bool,
    /// The value of a declaration that is no scalar.
    text: Option<String>,
}

/// A type and values that an expression, or the name in a declaration, has had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The expression or the name.
    pub span: Span,
    /// The type, as CSL writes it.
    pub ty: String,
    /// Different values, in the order in which they were met; empty if it is only known when the program runs.
    pub values: Vec<String>,
    /// Whether there were other values.
    pub has_more: bool,
    /// Of a color, a task id or a queue: the type and the number.
    pub id: Option<(&'static str, u16)>,
    /// Of an array: the number of its elements and of its words in memory.
    pub size: Option<(u64, u32)>,
    /// The fields of a struct with their types, and the members of an enum.
    pub members: Vec<(String, String)>,
}

impl Facts {
    /// From here on everything is noted.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Whether anything is noted.
    pub fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// A template begins: values that differ in the tiles that are made from it are noted.
    pub fn begin_template(&mut self) {
        self.open = self.is_kept.then(IndexSet::default);
    }

    /// The template is complete; what [`Facts::fill`] takes for each tile that is made from it.
    pub fn end_template(&mut self) -> Vec<OpenFact> {
        self.open.take().into_iter().flatten().collect()
    }

    /// A tile is made from a template: its places have these values.
    pub fn fill(&mut self, open: &[OpenFact], value: impl Fn(TermId) -> Option<i64>) {
        for fact in open {
            let seen = &mut self.seen[fact.seen as usize];
            if let Some(n) = value(fact.term).filter(|_| !seen.has_more) {
                seen.add(Value::Int(fact.ty, Integer::Small(n.into())));
            }
        }
    }

    /// An expression has this value.
    pub fn note(&mut self, at: Span, ev: &ExprValue) {
        match ev {
            ExprValue::Value(operand) => self.note_operand(at, operand),
            ExprValue::Place(Place::Memory { ty, known, .. }) => self.add(at, || ty.clone(), known.as_ref()),
            ExprValue::Place(place) => self.add(at, || place.ty().clone(), None),
        }
    }

    /// A local name stands for this.
    pub fn note_binding(&mut self, at: Span, binding: &Binding) {
        match binding {
            _ if !self.is_kept => {}
            Binding::Known(value) => self.add(at, || value.ty(), Some(value)),
            Binding::Variable { ty, .. } | Binding::Register { ty, .. } | Binding::Frame { ty, .. } => {
                self.add(at, || ty.clone(), None);
            }
            Binding::Alias(operand) => self.note_operand(at, operand),
            Binding::Poison => {}
        }
    }

    /// A global has this type, and this value at the start or for ever.
    pub fn note_global(&mut self, at: Span, ty: &Ty, value: &Value) {
        if !self.is_kept {
            return;
        }
        self.add(at, || ty.clone(), Some(value));
        if !matches!(value, Value::Array(_) | Value::Record(_)) {
            return;
        }
        let seen = self.by_place.get(&at).map(|number| &mut self.seen[*number as usize]);
        if let Some(seen) = seen.filter(|seen| seen.text.is_none()) {
            seen.text = Some(value.to_string().chars().take(MOST_CHARACTERS).collect());
        }
    }

    fn note_operand(&mut self, at: Span, operand: &Operand) {
        match operand {
            Operand::Known(value) => self.add(at, || value.ty(), Some(value)),
            Operand::Reg(_, ty) | Operand::Mem(_, ty) | Operand::Parts(ty, _) => {
                self.add(at, || ty.clone(), None);
            }
        }
    }

    /// Most places are met again and again: the type is only made at the first time.
    fn add(&mut self, at: Span, ty: impl FnOnce() -> Ty, value: Option<&Value>) {
        let number = match self.by_place.get(&at) {
            Some(number) => *number as usize,
            None => {
                let ty = ty();
                if matches!(ty, Ty::Error) {
                    return;
                }
                self.by_place.insert(at, self.seen.len() as u32);
                self.seen.push(Seen { ty, values: Vec::new(), has_more: false, text: None });
                self.seen.len() - 1
            }
        };
        if let (Some(open), Some(Value::Int(ty, Integer::Symbolic(symbol)))) = (&mut self.open, value) {
            open.insert(OpenFact { seen: number as u32, ty: *ty, term: symbol.term() });
        }
        let seen = &mut self.seen[number];
        if let Some(value) = value.filter(|_| !seen.has_more).and_then(scalar) {
            seen.add(value);
        }
    }

    /// All that was noted, in the order of the text.
    pub fn take(&mut self) -> Vec<Fact> {
        let mut places: Vec<(Span, u32)> = std::mem::take(&mut self.by_place).into_iter().collect();
        places.sort_unstable_by_key(|(span, _)| *span);
        let seen = std::mem::take(&mut self.seen);
        places.into_iter().map(|(span, number)| fact(span, &seen[number as usize])).collect()
    }
}

impl Seen {
    /// A value was met.
    fn add(&mut self, value: Value) {
        if !self.values.contains(&value) {
            self.has_more = self.values.len() == MOST_VALUES;
            if !self.has_more {
                self.values.push(value);
            }
        }
    }
}

/// A value that is cheap to keep and to compare: to hold an array would make the next change of it copy it.
fn scalar(value: &Value) -> Option<Value> {
    match value {
        // To look at the number would be a question that other tiles may answer otherwise.
        Value::Int(ty, Integer::Symbolic(symbol)) => {
            Some(Value::Int(*ty, Integer::Small(symbol.value().into())))
        }
        Value::Int(_, Integer::Big(_)) => None,
        Value::Bool(_)
        | Value::Int(..)
        | Value::Float(..)
        | Value::Str(_)
        | Value::Type(_)
        | Value::Id(..)
        | Value::Enum(..) => Some(value.clone()),
        _ => None,
    }
}

fn fact(span: Span, seen: &Seen) -> Fact {
    let id = match seen.values.as_slice() {
        [Value::Id(kind, number)] => Some((kind.name(), *number)),
        _ => None,
    };
    let short = |value: &Value| value.to_string().chars().take(MOST_CHARACTERS).collect();
    let values: Vec<String> = seen.values.iter().map(short).chain(seen.text.clone()).collect();
    // A type that is given a name has the members that matter.
    let ty = match seen.values.as_slice() {
        [Value::Type(ty)] => ty,
        _ => &seen.ty,
    };
    let size = match &seen.ty {
        Ty::Array(array) => Some((array.len(), seen.ty.words().unwrap_or(0))),
        _ => None,
    };
    Fact { span, ty: seen.ty.to_string(), values, has_more: seen.has_more, id, size, members: members(ty) }
}

fn members(ty: &Ty) -> Vec<(String, String)> {
    match ty {
        Ty::Ptr(pointer) => members(&pointer.to),
        Ty::Struct(s) | Ty::Union(s) => {
            s.fields.iter().map(|(name, ty)| (name.to_string(), ty.to_string())).collect()
        }
        Ty::Anon(anon) => match &anon.names {
            Some(names) => {
                names.iter().zip(&anon.types).map(|(name, ty)| (name.to_string(), ty.to_string())).collect()
            }
            None => Vec::new(),
        },
        Ty::Enum(e) => e.members.iter().map(|(name, n)| (name.to_string(), n.to_string())).collect(),
        _ => Vec::new(),
    }
}
