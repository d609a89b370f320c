//! Expressions as the debugger takes them.

use super::*;

fn constant(text: &str) -> Result<Value, String> {
    fn fold(e: &Expression) -> Result<Value, String> {
        match e {
            Expression::Literal(value) => Ok(value.clone()),
            Expression::Unary(operator, of) => unary(operator, fold(of)?),
            Expression::Binary("and", a, b) => Ok(Value::Bool(fold(a)?.truth()? && fold(b)?.truth()?)),
            Expression::Binary("or", a, b) => Ok(Value::Bool(fold(a)?.truth()? || fold(b)?.truth()?)),
            Expression::Binary(operator, a, b) => binary(operator, &fold(a)?, &fold(b)?),
            other => Err(format!("{other:?} is not constant")),
        }
    }
    fold(&Expression::parse(text)?)
}

#[test]
fn operators_bind_as_in_csl() {
    assert_eq!(constant("1 + 2 * 3"), Ok(Value::Int(7)));
    assert_eq!(constant("(1 + 2) * 3 == 9 and !(1 > 2)"), Ok(Value::Bool(true)));
    assert_eq!(constant("1 << 4 | 0x3 & 6"), Ok(Value::Int(18)));
    assert_eq!(constant("-2.5e-1 * 4.0 < 0"), Ok(Value::Bool(true)));
    assert_eq!(constant("7 % 4 - 5 / 2"), Ok(Value::Int(1)));
}

#[test]
fn what_makes_no_sense_is_said_in_a_sentence() {
    for text in ["", "1 +", "(1", "a[1", "1 2", "$", "0x", "1 / 0", "1.5 & 2", "1 << 99"] {
        let why = constant(text).expect_err(text);
        assert!(!why.is_empty(), "{text}");
    }
    let deep = "(".repeat(100_000);
    assert!(Expression::parse(&deep).is_err());
    let minus = "-".repeat(100_000);
    assert!(Expression::parse(&minus).is_err());
    for more in [" + 1", "[1]", ".*"] {
        assert!(Expression::parse(&format!("a{}", more.repeat(100_000))).is_err(), "{more}");
    }
}

#[test]
fn fields_stand_behind_elements() {
    let parsed = Expression::parse("pairs[1].left").expect("an expression");
    let element = Expression::Element(
        Box::new(Expression::Name("pairs".to_string())),
        Box::new(Expression::Literal(Value::Int(1))),
    );
    assert_eq!(parsed, Expression::Field(Box::new(element), "left".to_string()));
}

#[test]
fn names_take_their_modules_with_them() {
    let parsed = Expression::parse("util.sum[i].*").expect("an expression");
    let element = Expression::Element(
        Box::new(Expression::Name("util.sum".to_string())),
        Box::new(Expression::Name("i".to_string())),
    );
    assert_eq!(parsed, Expression::Behind(Box::new(element)));
}
