//! Random programs against naive models that share nothing with the implementation.
//!
//! `PROPS=10000 cargo props` runs that many trials of each property instead of 200.

mod access;
mod arrays;
mod choices;
mod cursors;
mod fifos;
mod halves;
mod maps;
mod network;
mod number;
mod operations;
mod positions;
mod stencils;
mod streams;
mod trial;
