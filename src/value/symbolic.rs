//! Integers that are known on every tile, but not the same on all: terms over the parameters in which tiles differ.
//!
//! In: the parameters of a tile. Out: the terms that were computed from them, and the questions that were asked about
//! these with their answers (the path condition). Another tile with the same answers goes the same way.
//! Never: decides which tiles are compared.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;
use std::rc::Rc;

/// The number of a term in its [`Trace`].
pub type TermId = u32;

/// A known integer that was computed from parameters in which tiles differ.
#[derive(Clone, Debug)]
pub struct TracedSymbol {
    value: i64,
    term: TermId,
    trace: Trace,
}

/// A term, or a number that all tiles have.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A term.
    Term(TermId),
    /// A number.
    Number(i64),
}

/// What computes a term from two others.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient toward zero.
    Div,
    /// Remainder with the sign of the dividend.
    Rem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The first times a power of two.
    Shl,
    /// The first divided by a power of two, rounded down.
    Shr,
    /// The first modulo 2^bits, as an integer type of this signedness reads it. The second is not used.
    Wrap {
        /// Signedness.
        signed: bool,
        /// Width.
        bits: u32,
    },
}

/// What a compilation may ask about a term. The answer to a yes-or-no question is 1 or 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Its value.
    Value(TermId),
    /// Whether two are equal.
    Equal(Atom, Atom),
    /// Whether the first is less than the second.
    Less(Atom, Atom),
    /// Whether an integer type of this signedness and width holds it.
    Fits(TermId, bool, u32),
}

/// The questions that one tile has asked, with the answers, in order.
pub type Path = IndexMap<Question, i64, FxBuildHasher>;

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Term {
    /// A parameter, by its position.
    Param(u32),
    /// Computed.
    Op(Operator, Atom, Atom),
}

/// How many operators may lie one in another: a longer chain becomes a number.
const MAX_DEPTH: u8 = 64;

/// The terms of tiles that share a file, and the path of the tile under compilation.
#[derive(Clone, Debug, Default)]
pub struct Trace(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    /// By number, with the operators that lie one in another; a term keeps its number from tile to tile.
    terms: Vec<(Term, u8)>,
    numbers: FxHashMap<Term, TermId>,
    /// The parameters of the present tile.
    params: Vec<i64>,
    /// Values of terms on the present tile, as far as they are known.
    values: Vec<Option<i64>>,
    path: Path,
}

impl Trace {
    /// The next tile, by the values of its parameters.
    pub fn begin(&self, params: Vec<i64>) {
        let mut state = self.0.borrow_mut();
        state.params = params;
        state.values.clear();
        state.path.clear();
    }

    /// A parameter of the present tile, by its position.
    pub fn param(&self, position: u32) -> TracedSymbol {
        let mut state = self.0.borrow_mut();
        let term = state.number(Term::Param(position));
        TracedSymbol { value: state.params[position as usize], term, trace: self.clone() }
    }

    /// The questions that were asked since `begin`.
    pub fn path(&self) -> Path {
        self.0.borrow().path.clone()
    }

    /// The value of a term on the present tile; `None` if 64 bits cannot hold it or a part of it.
    pub fn value(&self, term: TermId) -> Option<i64> {
        self.0.borrow_mut().value(Atom::Term(term))
    }

    /// The answer of the present tile to a question; `None` if 64 bits cannot hold a term in it.
    pub fn answer(&self, question: Question) -> Option<i64> {
        self.0.borrow_mut().answer(question)
    }

    fn ask(&self, question: Question) -> i64 {
        let mut state = self.0.borrow_mut();
        if let Some(answer) = state.path.get(&question) {
            return *answer;
        }
        let answer = state.answer(question).expect("symbols are made of terms that 64 bits hold");
        state.path.insert(question, answer);
        answer
    }
}

impl State {
    fn number(&mut self, term: Term) -> TermId {
        let depth = match term {
            Term::Param(_) => 0,
            Term::Op(_, a, b) => 1 + self.depth(a).max(self.depth(b)),
        };
        *self.numbers.entry(term).or_insert_with(|| {
            self.terms.push((term, depth));
            self.terms.len() as TermId - 1
        })
    }

    fn depth(&self, atom: Atom) -> u8 {
        match atom {
            Atom::Number(_) => 0,
            Atom::Term(term) => self.terms[term as usize].1,
        }
    }

    fn value(&mut self, atom: Atom) -> Option<i64> {
        let term = match atom {
            Atom::Number(n) => return Some(n),
            Atom::Term(term) => term,
        };
        let at = term as usize;
        if let Some(Some(value)) = self.values.get(at) {
            return Some(*value);
        }
        let value = match self.terms[at].0 {
            Term::Param(position) => self.params[position as usize],
            Term::Op(operator, a, b) => apply(operator, self.value(a)?, self.value(b)?)?,
        };
        if self.values.len() <= at {
            self.values.resize(self.terms.len(), None);
        }
        self.values[at] = Some(value);
        Some(value)
    }

    fn answer(&mut self, question: Question) -> Option<i64> {
        Some(match question {
            Question::Value(term) => self.value(Atom::Term(term))?,
            Question::Equal(a, b) => i64::from(self.value(a)? == self.value(b)?),
            Question::Less(a, b) => i64::from(self.value(a)? < self.value(b)?),
            Question::Fits(term, signed, bits) => {
                i64::from(fits(self.value(Atom::Term(term))?, signed, bits))
            }
        })
    }
}

impl TracedSymbol {
    /// The number of its term.
    pub fn term(&self) -> TermId {
        self.term
    }

    /// Its value on the present tile, for what is made anew on every other.
    pub fn value(&self) -> i64 {
        self.value
    }

    /// Its value on the present tile, which from here on everything depends on.
    pub fn settle(&self) -> i64 {
        self.trace.ask(Question::Value(self.term));
        self.value
    }

    /// Whether it is equal to something else.
    pub fn equals(&self, other: Atom) -> bool {
        let own = Atom::Term(self.term);
        own == other || self.trace.ask(Question::Equal(own, other)) != 0
    }

    /// Whether it is less than something else.
    pub fn is_less(&self, other: Atom) -> bool {
        self.trace.ask(Question::Less(Atom::Term(self.term), other)) != 0
    }

    /// Whether it is greater than a number.
    pub fn is_greater(&self, number: i64) -> bool {
        self.trace.ask(Question::Less(Atom::Number(number), Atom::Term(self.term))) != 0
    }

    /// Whether an integer type of this signedness and width holds it.
    pub fn fits(&self, signed: bool, bits: u32) -> bool {
        self.trace.ask(Question::Fits(self.term, signed, bits)) != 0
    }

    /// What an operator makes of two atoms, of which this one's trace knows the terms; `None` if 64 bits cannot
    /// hold it.
    pub fn compute(&self, operator: Operator, a: Atom, b: Atom) -> Option<TracedSymbol> {
        let mut state = self.trace.0.borrow_mut();
        let value = apply(operator, state.value(a)?, state.value(b)?)?;
        if state.depth(a).max(state.depth(b)) >= MAX_DEPTH {
            return None;
        }
        let term = state.number(Term::Op(operator, a, b));
        Some(TracedSymbol { value, term, trace: self.trace.clone() })
    }
}

fn fits(n: i64, signed: bool, bits: u32) -> bool {
    match (signed, bits) {
        (_, 0) => n == 0,
        (true, 64..) => true,
        (false, 64..) => n >= 0,
        (true, _) => (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&n),
        (false, _) => (0..=(u64::MAX >> (64 - bits)) as i64).contains(&n),
    }
}

/// The exact result; `None` if there is none, or 64 bits cannot hold it.
fn apply(operator: Operator, a: i64, b: i64) -> Option<i64> {
    match operator {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mul => a.checked_mul(b),
        Operator::Div => a.checked_div(b),
        Operator::Rem => a.checked_rem(b),
        Operator::And => Some(a & b),
        Operator::Or => Some(a | b),
        Operator::Xor => Some(a ^ b),
        Operator::Shl if (0..63).contains(&b) => a.checked_mul(1 << b),
        Operator::Shr if (0..64).contains(&b) => Some(a >> b),
        Operator::Shl | Operator::Shr => None,
        Operator::Wrap { bits: 0, .. } => Some(0),
        Operator::Wrap { signed: true, bits: bits @ 1..=64 } => Some(a << (64 - bits) >> (64 - bits)),
        Operator::Wrap { signed: false, bits: bits @ 1..=63 } => Some(a & ((1 << bits) - 1)),
        Operator::Wrap { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::number::Integer;

    const OPERATORS: [Operator; 10] = [
        Operator::Add,
        Operator::Sub,
        Operator::Mul,
        Operator::Div,
        Operator::Rem,
        Operator::And,
        Operator::Or,
        Operator::Xor,
        Operator::Shl,
        Operator::Shr,
    ];

    fn computed(operator: Operator, a: &Integer, b: &Integer) -> Option<Integer> {
        match operator {
            Operator::Add => a.add(b),
            Operator::Sub => a.sub(b),
            Operator::Mul => a.mul(b),
            Operator::Div => a.div(b),
            Operator::Rem => a.rem(b),
            Operator::And => Some(a.and(b)),
            Operator::Or => Some(a.or(b)),
            Operator::Xor => Some(a.xor(b)),
            Operator::Shl => a.shl(b),
            Operator::Shr => a.shr(b),
            Operator::Wrap { signed, bits } => Some(a.wrap(signed, bits)),
        }
    }

    const NUMBERS: [i64; 11] = [0, 1, -1, 2, 7, -8, 63, 64, 65_535, i64::MAX, i64::MIN];

    #[test]
    fn terms_have_the_values_of_the_numbers_that_they_stand_for() {
        let trace = Trace::default();
        let wraps = [(true, 8), (false, 16), (true, 64), (false, 64), (false, 0)];
        let wraps = wraps.map(|(signed, bits)| Operator::Wrap { signed, bits });
        for (a, b) in NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (*a, b))) {
            for operator in OPERATORS.into_iter().chain(wraps) {
                trace.begin(vec![a, b]);
                let [x, y] = [0, 1].map(|n| Integer::Symbolic(trace.param(n)));
                let exact = computed(operator, &a.into(), &b.into());
                assert_eq!(computed(operator, &x, &y), exact, "{operator:?} {a} {b}");
                assert_eq!(computed(operator, &x, &b.into()), exact, "{operator:?} {a} {b}");
                assert_eq!(computed(operator, &a.into(), &y), exact, "{operator:?} {a} {b}");
            }
            for bits in [0, 1, 8, 16, 63, 64, 65] {
                let x = Integer::Symbolic(trace.param(0));
                assert_eq!(x.fits(true, bits), Integer::from(a).fits(true, bits), "{a} in i{bits}");
                assert_eq!(x.fits(false, bits), Integer::from(a).fits(false, bits), "{a} in u{bits}");
            }
        }
    }

    #[test]
    fn a_computation_asks_nothing_until_a_result_decides() {
        let trace = Trace::default();
        trace.begin(vec![5]);
        let x = Integer::Symbolic(trace.param(0));
        let y = x.mul(&4.into()).and_then(|y| y.add(&Integer::ONE)).expect("small");
        assert!(trace.path().is_empty());
        assert!(x.is_less(&y) && !y.is_negative());
        let path = trace.path();
        assert_eq!(path.values().copied().collect::<Vec<_>>(), [1, 0]);
        trace.begin(vec![-3]);
        let answers: Vec<_> = path.keys().map(|question| trace.answer(*question)).collect();
        assert_eq!(answers, [Some(0), Some(1)]);
    }

    #[test]
    fn a_long_chain_becomes_a_number() {
        let trace = Trace::default();
        trace.begin(vec![0]);
        let mut sum = Integer::Symbolic(trace.param(0));
        for _ in 0..10_000 {
            sum = sum.add(&Integer::ONE).expect("small");
        }
        assert!(!sum.is_symbolic());
        assert_eq!(sum, Integer::from(10_000));
    }

    #[test]
    fn a_term_that_grows_too_large_has_no_value() {
        let trace = Trace::default();
        trace.begin(vec![2]);
        let Some(Integer::Symbolic(double)) = Integer::Symbolic(trace.param(0)).mul(&2.into()) else {
            panic!("a small product");
        };
        trace.begin(vec![i64::MAX]);
        assert_eq!(trace.value(double.term()), None);
    }
}
