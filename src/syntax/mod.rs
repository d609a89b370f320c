//! Text to tree.
//!
//! In: a `FileId` and its text. Out: `Parsed { file, problems }`; **parsing never fails**.
//! Never: resolves a name, or knows a type.

pub mod ast;
