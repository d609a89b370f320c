//! Tests of the room, on programs of our own.

mod corpus;
mod forms;
mod limits;
mod print;
mod recovery;
