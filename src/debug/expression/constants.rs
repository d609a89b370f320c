//! Constants that have different values on different PEs: their values follow from the parameters of the tile.

use super::{Expression, MOST_PARTS, binary, unary};
use crate::debug::comptime::Comptime;
use crate::debug::value::Value;
use crate::{PeView, Span};
use std::cell::Cell;

/// The value that such a constant has on a PE.
pub fn derived(name: &str, comptime: &Comptime, place: Option<Span>, view: &PeView<'_>) -> Option<Value> {
    Constants { comptime, place, view, left: Cell::new(MOST_PARTS) }.derived(name)
}

/// The constants of a file as a PE has them.
struct Constants<'a> {
    comptime: &'a Comptime,
    place: Option<Span>,
    view: &'a PeView<'a>,
    /// How many more may be computed.
    left: Cell<usize>,
}

impl Constants<'_> {
    fn derived(&self, name: &str) -> Option<Value> {
        self.left.set(self.left.get().checked_sub(1)?);
        let init = Expression::parse(self.comptime.initializer(name, self.place, self.view)?).ok()?;
        let value = self.value(&init)?;
        let is_possible = |text: String| self.comptime.may_be(name, &text, self.place, self.view);
        value.number().is_some_and(is_possible).then_some(value)
    }

    /// The value of an expression of nothing but numbers and constants. The result of `~` depends on the type, which is
    /// not known.
    fn value(&self, of: &Expression) -> Option<Value> {
        match of {
            Expression::Literal(value) => Some(value.clone()),
            Expression::Name(name) => {
                self.derived(name).or_else(|| self.comptime.value(name, self.place, self.view))
            }
            Expression::Unary("~", _)
            | Expression::Element(..)
            | Expression::Field(..)
            | Expression::Behind(_) => None,
            Expression::Unary(operator, of) => unary(operator, self.value(of)?).ok(),
            Expression::Binary(operator @ ("and" | "or"), a, b) => {
                let (a, b) = (self.value(a)?.truth().ok()?, self.value(b)?.truth().ok()?);
                Some(Value::Bool(if *operator == "and" { a && b } else { a || b }))
            }
            Expression::Binary(operator, a, b) => binary(operator, &self.value(a)?, &self.value(b)?).ok(),
        }
    }
}
