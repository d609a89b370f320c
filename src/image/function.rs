//! One function of a tile.

use super::code::{Op, Reg};
use super::locals::{Local, Variable};
use super::shared::Shared;
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// One function, task or comptime-specialised instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// The name, for people.
    pub name: String,
    /// The declaration.
    pub span: Span,
    /// Registers `0..params` hold the arguments at entry.
    pub params: u16,
    /// Copied into registers `params..` at entry.
    pub consts: Vec<u64>,
    /// All registers of a call.
    pub registers: u16,
    /// Words of memory that a call needs for aggregates and addressed locals.
    pub frame_words: u16,
    /// Its local variables that have a value when it runs, in the order of their declarations.
    pub locals: Shared<Local>,
    /// The code; ends with `Ret`.
    pub code: Shared<Op>,
    /// The source of each operation.
    pub spans: Shared<Span>,
}

impl Function {
    /// The locals that can be seen before the operation at `pc`, in the order of their declarations. Of those with
    /// one name only the innermost, and so the last.
    pub fn locals_at(&self, pc: usize) -> impl Iterator<Item = &Local> {
        let is_hidden =
            move |behind: &[Local], name: &str| behind.iter().any(|l| l.is_alive(pc) && l.name == name);
        let all = self.locals.iter().enumerate().filter(move |(_, local)| local.is_alive(pc));
        all.filter(move |(n, local)| !is_hidden(&self.locals[n + 1..], &local.name)).map(|(_, local)| local)
    }

    /// The number of the register of a variable.
    pub fn register(&self, variable: Variable) -> Reg {
        if variable.0 < self.params { variable.0 } else { variable.0 + self.consts.len() as Reg }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{Inside, LocalPlace, Scalar, VariableType};
    use crate::source::FileId;
    use smol_str::SmolStr;
    use std::ops::Range;
    use std::sync::Arc;

    fn function(locals: &[(&'static str, u16, Range<u32>)]) -> Function {
        let span = Span::new(FileId(0), 0, 0);
        let (element, dims, inside) = (Some(Scalar::U16), Vec::new(), Inside::Nothing);
        let ty = VariableType { text: "u16".to_string(), words: 1, dims, element, bits: Some(16), inside };
        let ty = Arc::new(ty);
        let local = |(name, register, alive): &(&'static str, u16, Range<u32>)| Local {
            name: SmolStr::new_static(name),
            span,
            place: LocalPlace::Register(Variable(*register)),
            ty: ty.clone(),
            mutable: true,
            expanded: None,
            begin: alive.start,
            end: alive.end,
        };
        Function {
            name: "f".to_string(),
            span,
            params: 1,
            consts: vec![0, 7],
            registers: 6,
            frame_words: 0,
            locals: locals.iter().map(local).collect(),
            code: Vec::new().into(),
            spans: Vec::new().into(),
        }
    }

    #[test]
    fn an_inner_local_hides_an_outer_one_of_its_name_as_long_as_it_is_alive() {
        let f = function(&[("a", 0, 0..9), ("b", 1, 1..9), ("a", 2, 3..6)]);
        let seen = |pc| f.locals_at(pc).map(|l| (l.name.as_str(), l.place)).collect::<Vec<_>>();
        let register = |n| LocalPlace::Register(Variable(n));
        assert_eq!(seen(0), [("a", register(0))]);
        assert_eq!(seen(2), [("a", register(0)), ("b", register(1))]);
        assert_eq!(seen(3), [("b", register(1)), ("a", register(2))]);
        assert_eq!(seen(6), [("a", register(0)), ("b", register(1))]);
        assert_eq!(seen(9), []);
    }

    #[test]
    fn variables_stand_behind_the_constants_and_parameters_before_them() {
        let f = function(&[]);
        assert_eq!((f.register(Variable(0)), f.register(Variable(1))), (0, 3));
    }
}
