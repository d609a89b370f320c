//! Expressions of CSL on a PE that stands still: names, elements, what pointers point to, arithmetic and comparisons.

mod constants;

pub use constants::derived;

use super::comptime::Comptime;
use super::parts::{self, pointee, target};
use super::value::{Value, scalar_value};
use crate::{Inside, PeView};

/// Where an expression is evaluated.
pub struct EvalContext<'a> {
    /// The PE.
    pub view: &'a PeView<'a>,
    /// The call, counted from the innermost.
    pub call: usize,
    /// What was known before the run.
    pub comptime: &'a Comptime,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number, true or false.
    Literal(Value),
    /// A name, with those of its modules.
    Name(String),
    /// An element of an array, or of what a pointer points to.
    Element(Box<Expression>, Box<Expression>),
    /// A field of a struct.
    Field(Box<Expression>, String),
    /// What a pointer points to.
    Behind(Box<Expression>),
    /// `-`, `!` or `~`.
    Unary(&'static str, Box<Expression>),
    /// An operator between two expressions.
    Binary(&'static str, Box<Expression>, Box<Expression>),
}

/// Binary operators, those that bind most loosely first.
const LEVELS: [&[&str]; 9] = [
    &["or"],
    &["and"],
    &["==", "!=", "<=", ">=", "<", ">"],
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Parentheses and operators nested deeper than this are refused.
const MOST_DEPTH: usize = 64;
/// So are expressions with more operators and elements: a chain of them is a deep tree, too.
const MOST_PARTS: usize = 256;

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn parse(text: &str) -> Result<Expression, String> {
        let mut parser = Parser { rest: text.trim(), depth: 0, parts: 0 };
        if parser.rest.is_empty() {
            return Err("an expression is missing".to_string());
        }
        let expression = parser.binary(0)?;
        match parser.rest {
            "" => Ok(expression),
            rest => Err(format!("`{rest}` cannot follow this expression")),
        }
    }

    /// Its value.
    ///
    /// # Errors
    /// A sentence that says why it has none.
    pub fn value(&self, context: &EvalContext<'_>) -> Result<Value, String> {
        match self {
            Expression::Literal(value) => Ok(value.clone()),
            Expression::Name(name) => named(name, context),
            Expression::Element(of, index) => {
                element(of.value(context)?, index.value(context)?.integer()?, context)
            }
            Expression::Field(of, name) => field(&of.value(context)?, name, context),
            Expression::Behind(pointer) => match pointer.value(context)? {
                Value::VariableValue(held) => target(&held, 0, context.view).map(Value::VariableValue),
                _ => Err("only pointers point to something".to_string()),
            },
            Expression::Unary(operator, of) => unary(operator, of.value(context)?),
            Expression::Binary("and", a, b) => {
                Ok(Value::Bool(a.value(context)?.truth()? && b.value(context)?.truth()?))
            }
            Expression::Binary("or", a, b) => {
                Ok(Value::Bool(a.value(context)?.truth()? || b.value(context)?.truth()?))
            }
            Expression::Binary(operator, a, b) => binary(operator, &a.value(context)?, &b.value(context)?),
        }
    }
}

/// Whether a name stands for something on every PE.
pub fn is_built_in(name: &str) -> bool {
    matches!(name, "pe.x" | "pe.y" | "cycle")
}

impl Expression {
    /// A name in it for which this is false.
    pub fn unknown_name(&self, is_known: &dyn Fn(&str) -> bool) -> Option<&str> {
        match self {
            Expression::Literal(_) => None,
            Expression::Name(name) => (!is_known(name)).then_some(name),
            Expression::Element(a, b) | Expression::Binary(_, a, b) => {
                a.unknown_name(is_known).or_else(|| b.unknown_name(is_known))
            }
            Expression::Field(of, _) | Expression::Behind(of) | Expression::Unary(_, of) => {
                of.unknown_name(is_known)
            }
        }
    }
}

fn named(name: &str, context: &EvalContext<'_>) -> Result<Value, String> {
    let at = context.view.at();
    match name {
        "pe.x" => return Ok(Value::Int(at.x.into())),
        "pe.y" => return Ok(Value::Int(at.y.into())),
        "cycle" => return Ok(Value::Int(context.view.cycle().into())),
        _ => {}
    }
    if let Some(held) = context.view.locals(context.call).into_iter().rfind(|held| held.symbol.name == name) {
        return Ok(Value::VariableValue(held));
    }
    let calls = context.view.calls();
    let place =
        calls.get(context.call).map(|call| call.span).or(context.view.activity().map(|(_, span, _)| span));
    if let Some(held) = context.view.find_global(name, place) {
        return Ok(Value::VariableValue(held));
    }
    let derived = || derived(name, context.comptime, place, context.view);
    if let Some(value) = derived().or_else(|| context.comptime.value(name, place, context.view)) {
        return Ok(value);
    }
    // A global that lies in a struct is known as a whole.
    if let Some((first, field_name)) = name.rsplit_once('.')
        && let Ok(Value::VariableValue(held)) = named(first, context)
    {
        return field(&Value::VariableValue(held), field_name, context);
    }
    Err(format!("{at} has no variable `{name}` here"))
}

/// A field of a struct or what a pointer to one points to, a variant of a union, or the length of an array.
fn field(of: &Value, name: &str, context: &EvalContext<'_>) -> Result<Value, String> {
    let Value::VariableValue(held) = of else {
        return Err(format!("only structs have fields such as `{name}`"));
    };
    match (name, held.symbol.dims.first()) {
        ("len", Some(len)) => return Ok(Value::Int((*len).into())),
        (_, Some(_)) => {
            return Err(format!("`{}` is an array, which has `.len` and elements", held.symbol.name));
        }
        (_, None) => {}
    }
    if let Some((_, false)) = pointee(&held.symbol) {
        return field(&Value::VariableValue(target(held, 0, context.view)?), name, context);
    }
    let parts = parts::fields(held);
    if let Inside::Union { variants, is_marked: true } = &held.symbol.inside
        && variants.iter().any(|variant| variant.name == name)
        && parts.iter().all(|part| part.symbol.name != name)
    {
        let whole = &held.symbol.name;
        return Err(match parts.first() {
            Some(part) => format!("`{whole}` holds the variant `{}` now, not `{name}`", part.symbol.name),
            None => format!("no variant of `{whole}` has been written"),
        });
    }
    match parts.into_iter().find(|part| part.symbol.name == name) {
        Some(mut part) => {
            part.symbol.name = format!("{}.{name}", held.symbol.name);
            Ok(Value::VariableValue(part))
        }
        None => Err(format!(
            "`{}` has the type `{}`, which has no field `{name}` in memory",
            held.symbol.name, held.symbol.ty
        )),
    }
}

fn element(of: Value, index: i128, context: &EvalContext<'_>) -> Result<Value, String> {
    let Value::VariableValue(held) = of else {
        return Err("only arrays and pointers have elements".to_string());
    };
    let symbol = &held.symbol;
    if held.words.is_empty() {
        return Err(format!("`{}` has no value yet", symbol.name));
    }
    match pointee(symbol) {
        // What `*[4]u16` points to has the elements.
        Some((to, false)) if !to.dims.is_empty() => {
            return element(Value::VariableValue(target(&held, 0, context.view)?), index, context);
        }
        Some(_) => return target(&held, index, context.view).map(Value::VariableValue),
        None => {}
    }
    let Some(len) = symbol.dims.first().copied() else {
        return Err(format!("`{}` has the type `{}`, which has no elements", symbol.name, symbol.ty));
    };
    let Some(index) = usize::try_from(index).ok().filter(|index| *index < len as usize) else {
        return Err(format!("`{}` has {len} elements: there is no element {index}", symbol.name));
    };
    if let Some(scalar) = symbol.element.filter(|scalar| symbol.is_bytes(*scalar)) {
        let value = symbol.values(&held.words, scalar).get(index).copied();
        let value = value.ok_or("this element is not in memory")?;
        return Ok(match symbol.dims.len() {
            1 => scalar_value(value, scalar),
            _ => return Err("arrays of bytes with several dimensions are shown only as a whole".to_string()),
        });
    }
    let part = parts::element(&held, index).ok_or("this element is not in memory")?;
    Ok(Value::VariableValue(part))
}

fn unary(operator: &str, value: Value) -> Result<Value, String> {
    match (operator, value.plain()?) {
        ("-", Value::Int(n)) => Ok(Value::Int(-n)),
        ("-", Value::Float(f)) => Ok(Value::Float(-f)),
        ("!", value) => Ok(Value::Bool(!value.truth()?)),
        ("~", value) => Ok(Value::Int(!value.integer()?)),
        (operator, _) => Err(format!("`{operator}` needs a number")),
    }
}

fn binary(operator: &str, a: &Value, b: &Value) -> Result<Value, String> {
    match (a.plain()?, b.plain()?) {
        (Value::Int(a), Value::Int(b)) => integers(operator, a, b),
        (Value::Bool(a), Value::Bool(b)) => integers(operator, a.into(), b.into()),
        (a, b) => floats(operator, a.float()?, b.float()?),
    }
}

fn integers(operator: &str, a: i128, b: i128) -> Result<Value, String> {
    let shift = || u32::try_from(b).ok().filter(|b| *b < 64).ok_or("a shift is by 0 to 63 bits".to_string());
    let whole = |result: Option<i128>| {
        result.map(Value::Int).ok_or(format!("the result of `{operator}` is too large"))
    };
    match operator {
        "/" | "%" if b == 0 => Err("nothing can be divided by 0".to_string()),
        "+" => whole(a.checked_add(b)),
        "-" => whole(a.checked_sub(b)),
        "*" => whole(a.checked_mul(b)),
        "/" => whole(a.checked_div(b)),
        "%" => whole(a.checked_rem(b)),
        "&" => Ok(Value::Int(a & b)),
        "|" => Ok(Value::Int(a | b)),
        "^" => Ok(Value::Int(a ^ b)),
        "<<" => whole(a.checked_shl(shift()?)),
        ">>" => Ok(Value::Int(a >> shift()?)),
        _ => compared(operator, a.partial_cmp(&b)),
    }
}

fn floats(operator: &str, a: f64, b: f64) -> Result<Value, String> {
    match operator {
        "+" => Ok(Value::Float(a + b)),
        "-" => Ok(Value::Float(a - b)),
        "*" => Ok(Value::Float(a * b)),
        "/" => Ok(Value::Float(a / b)),
        "%" => Ok(Value::Float(a % b)),
        "&" | "|" | "^" | "<<" | ">>" => Err(format!("`{operator}` needs integers")),
        _ => compared(operator, a.partial_cmp(&b)),
    }
}

fn compared(operator: &str, order: Option<std::cmp::Ordering>) -> Result<Value, String> {
    let is = match operator {
        "==" => order.is_some_and(|o| o.is_eq()),
        "!=" => order.is_none_or(|o| o.is_ne()),
        "<" => order.is_some_and(|o| o.is_lt()),
        "<=" => order.is_some_and(|o| o.is_le()),
        ">" => order.is_some_and(|o| o.is_gt()),
        ">=" => order.is_some_and(|o| o.is_ge()),
        other => return Err(format!("`{other}` is not an operator")),
    };
    Ok(Value::Bool(is))
}

struct Parser<'t> {
    rest: &'t str,
    /// How deep it is nested here.
    depth: usize,
    /// Operators and elements so far.
    parts: usize,
}

impl Parser<'_> {
    /// An expression whose operators outside of parentheses are of this level or bind more tightly.
    fn binary(&mut self, lowest: usize) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err("this expression is nested too deeply".to_string());
        }
        let mut left = self.unary()?;
        while let Some((level, operator)) = self.operator(lowest) {
            self.part()?;
            let right = self.binary(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Counts an operator or element.
    fn part(&mut self) -> Result<(), String> {
        self.parts += 1;
        if self.parts > MOST_PARTS { Err("this expression is too long".to_string()) } else { Ok(()) }
    }

    /// The operator that is next, with its level, if that is not below `lowest`.
    fn operator(&mut self, lowest: usize) -> Option<(usize, &'static str)> {
        let is_next = |operator: &&str| {
            let Some(rest) = self.rest.strip_prefix(*operator) else { return false };
            match *operator {
                // These begin longer ones.
                "<" | ">" | "&" | "|" => !rest.starts_with(*operator),
                "or" | "and" => !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'),
                _ => true,
            }
        };
        let mut levels = LEVELS.iter().enumerate().skip(lowest);
        let (level, operator) =
            levels.find_map(|(level, operators)| Some((level, operators.iter().copied().find(is_next)?)))?;
        self.skip(operator.len());
        Some((level, operator))
    }

    fn unary(&mut self) -> Result<Expression, String> {
        for operator in ["-", "!", "~"] {
            if self.rest.starts_with(operator) {
                self.skip(1);
                return Ok(Expression::Unary(operator, Box::new(self.binary(LEVELS.len())?)));
            }
        }
        let mut expression = self.primary()?;
        loop {
            if self.rest.starts_with('[') {
                self.skip(1);
                self.part()?;
                loop {
                    let index = self.binary(0)?;
                    expression = Expression::Element(Box::new(expression), Box::new(index));
                    if !self.rest.starts_with(',') {
                        break;
                    }
                    self.skip(1);
                    self.part()?;
                }
                self.expect("]")?;
            } else if let Some(name) = self.field() {
                self.part()?;
                expression = Expression::Field(Box::new(expression), name);
            } else if self.rest.starts_with(".*") {
                self.skip(2);
                self.part()?;
                expression = Expression::Behind(Box::new(expression));
            } else {
                return Ok(expression);
            }
        }
    }

    /// The name of a field behind a dot, if one is next.
    fn field(&mut self) -> Option<String> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let rest = self.rest.strip_prefix('.').filter(|rest| rest.starts_with(is_word))?;
        let name = rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())].to_string();
        self.skip(1 + name.len());
        Some(name)
    }

    fn primary(&mut self) -> Result<Expression, String> {
        if self.rest.starts_with('(') {
            self.skip(1);
            let inner = self.binary(0)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        match word.chars().next() {
            None => Err(match self.rest.chars().next() {
                Some(c) => format!("`{c}` does not begin an expression"),
                None => "the expression ends too early".to_string(),
            }),
            Some(first) if first.is_ascii_digit() => self.number(),
            Some(_) => Ok(self.name()),
        }
    }

    fn name(&mut self) -> Expression {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut end = 0;
        loop {
            let rest = &self.rest[end..];
            end += rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let has_more = self.rest[end..].strip_prefix('.').is_some_and(|r| r.starts_with(is_word));
            if !has_more {
                break;
            }
            end += 1;
        }
        let name = self.rest[..end].to_string();
        self.skip(end);
        match name.as_str() {
            "true" => Expression::Literal(Value::Bool(true)),
            "false" => Expression::Literal(Value::Bool(false)),
            _ => Expression::Name(name),
        }
    }

    fn number(&mut self) -> Result<Expression, String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let mut end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        let is_hex = self.rest.starts_with("0x");
        if !is_hex && self.rest[..end].ends_with(['e', 'E']) {
            let more = &self.rest[end..];
            if let Some(digits) = more.strip_prefix(['-', '+']) {
                end += 1 + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            }
        }
        let text = self.rest[..end].replace('_', "");
        let integer = match text.get(..2) {
            Some("0x") => i128::from_str_radix(&text[2..], 16).ok(),
            Some("0b") => i128::from_str_radix(&text[2..], 2).ok(),
            Some("0o") => i128::from_str_radix(&text[2..], 8).ok(),
            Some(_) | None => text.parse().ok(),
        };
        let value = integer.map(Value::Int).or_else(|| text.parse().ok().map(Value::Float));
        let value = value.ok_or(format!("`{text}` is not a number"))?;
        self.skip(end);
        Ok(Expression::Literal(value))
    }

    fn expect(&mut self, what: &str) -> Result<(), String> {
        match self.rest.starts_with(what) {
            true => {
                self.skip(what.len());
                Ok(())
            }
            false => Err(format!("`{what}` is missing in this expression")),
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest[bytes..].trim_start();
    }
}

#[cfg(test)]
mod tests;
