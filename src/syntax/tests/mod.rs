//! Tests of the module, on programs of our own.

mod corpus;
mod forms;
mod limits;
mod print;
mod recovery;
