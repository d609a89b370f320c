//! The records that a program writes with the library module `<debug>`.

use super::Runner;
use crate::arch::PeCoord;
use crate::image::Program;
use crate::value::f16;
use crate::wafer::Traced;
use serde::{Deserialize, Serialize};

/// One record of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The PE that has written it.
    pub pe: PeCoord,
    /// The key of the trace.
    pub key: String,
    /// The value.
    pub value: Recorded,
}

/// A recorded value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Recorded {
    /// A value of `trace_bool`.
    Bool(bool),
    /// A value of an unsigned kind, or a time stamp.
    Unsigned(u64),
    /// A value of a signed kind.
    Signed(i64),
    /// A value of a float kind.
    Float(f64),
    /// A value of `trace_string`.
    Text(String),
}

impl Runner {
    /// The records of `<debug>` so far, in the order of the run.
    pub fn records(&mut self) -> Vec<Record> {
        let program = &self.program;
        self.wafer.traced().iter().filter_map(|traced| record(program, traced)).collect()
    }
}

fn record(program: &Program, traced: &Traced) -> Option<Record> {
    let strings = &program.tile_at(traced.pe)?.strings;
    let key = strings.get(traced.key as usize)?.clone();
    let value = value(traced.tag, traced.value, strings)?;
    Some(Record { pe: traced.pe, key, value })
}

/// The kinds are numbered by `tag` in the library module `<debug>`.
fn value(tag: u16, [lo, hi]: [u32; 2], strings: &[String]) -> Option<Recorded> {
    let wide = u64::from(hi) << 32 | u64::from(lo);
    Some(match tag {
        0 => Recorded::Bool(lo != 0),
        1 | 3 | 5 | 9 | 12 => Recorded::Unsigned(wide),
        2 => Recorded::Signed(i64::from(lo as i8)),
        4 => Recorded::Signed(i64::from(lo as i16)),
        6 => Recorded::Signed(i64::from(lo as i32)),
        7 => Recorded::Float(f64::from(f16::to_f32(lo as u16))),
        8 => Recorded::Float(f64::from(f32::from_bits(lo))),
        10 => Recorded::Signed(wide as i64),
        11 => Recorded::Text(strings.get(lo as usize)?.clone()),
        _ => return None,
    })
}
