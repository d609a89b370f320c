//! The local variables of a function: where their values are, and in which part of the code.

use super::code::Reg;
use super::{Scalar, Symbol};
use crate::source::Span;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::sync::Arc;

/// A local variable, a constant that is computed when the program runs, a parameter, or what a loop runs over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// Its name; of an anonymous struct or an array in parts the path of the part, such as `pair.left` or `list[0]`.
    pub name: SmolStr,
    /// The name in the declaration.
    pub span: Span,
    /// Where its value is.
    pub place: LocalPlace,
    /// Its type.
    pub ty: Arc<VariableType>,
    /// Declared `var`.
    pub mutable: bool,
    /// The function whose variable it is, if that was expanded in place of a call.
    pub expanded: Option<SmolStr>,
    /// The first position in the code at which it has been declared.
    pub begin: u32,
    /// The first position behind its block.
    pub end: u32,
}

/// Where the value of a local is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LocalPlace {
    /// In a register.
    Register(Variable),
    /// In words of the frame, at this offset from its start.
    Frame(u16),
    /// In memory behind the address in a register, so many words further: an aggregate that a caller passes.
    Behind(Variable, u16),
}

/// A register of a function that holds a variable or a parameter. It is counted without the constants, of which tiles
/// with the same code may have different numbers; `Function::register` gives its number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable(pub Reg);

/// The type of a variable, for people and for those who read its words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableType {
    /// As written in CSL.
    pub text: String,
    /// Size in words.
    pub words: u16,
    /// Sizes of an array, slowest dimension first; empty for other types.
    pub dims: Vec<u32>,
    /// The scalar that it is made of, if all its parts are of one kind.
    pub element: Option<Scalar>,
    /// The bits of the integers that it is made of, such as 4 for `[2]u4`.
    pub bits: Option<u32>,
    /// What its parts are; of an array, those of each element.
    pub inside: Inside,
}

/// What there is to see inside of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inside {
    /// Nothing that has a name.
    #[default]
    Nothing,
    /// The members of an enum with their values.
    Enum(Vec<(String, i128)>),
    /// The fields of a struct.
    Struct(Vec<Field>),
    /// The fields of a packed struct, or the variants of a packed union.
    Packed(Vec<Field>),
    /// The variants of a union.
    Union {
        /// They all begin at its first word.
        variants: Vec<Field>,
        /// Whether its last word says which of them is active: 1 is the first one, 0 none.
        is_marked: bool,
    },
    /// What a pointer points to.
    Pointer {
        /// Its type.
        to: Box<VariableType>,
        /// Whether more of them may follow (`[*]T`).
        many: bool,
    },
}

/// A field of a struct, or a variant of a union.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Words in front of it; in a packed struct, bits.
    pub at: u16,
    /// In a packed struct, how many bits it has.
    pub bits: u16,
    /// Its type.
    pub ty: VariableType,
}

impl Local {
    /// Whether it can be seen before the operation at a position.
    pub fn is_alive(&self, pc: usize) -> bool {
        (self.begin as usize..self.end as usize).contains(&pc)
    }

    /// The words of the frame that it takes; none if it lies elsewhere.
    pub fn frame_words(&self) -> std::ops::Range<usize> {
        match self.place {
            LocalPlace::Frame(off) => usize::from(off)..usize::from(off) + usize::from(self.ty.words),
            LocalPlace::Register(_) | LocalPlace::Behind(..) => 0..0,
        }
    }

    /// The local as a variable in memory at an address, for whatever shows or reads globals.
    pub fn at(&self, addr: u16) -> Symbol {
        let VariableType { text, words, dims, element, bits, inside } = (*self.ty).clone();
        let (name, mutable, span) = (self.name.to_string(), self.mutable, self.span);
        let undefined = false;
        Symbol { name, addr, words, ty: text, dims, element, bits, inside, mutable, undefined, span }
    }
}
