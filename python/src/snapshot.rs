use crate::CslError;
use crate::fault::guarded;
use crate::program::Program;
use cslrun::arch::PeCoord;
use cslrun::host::Runner;
use cslrun::image::{self, file};
use cslrun::wafer::Traced;
use half::f16;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// What a run has left in memory and in traces. It belongs to a program, which knows the symbols.
#[pyclass(frozen)]
pub struct Snapshot {
    program: Arc<image::Program>,
    contents: Contents,
}

#[derive(Serialize, Deserialize)]
struct Contents {
    /// The globals of every PE, row by row.
    memories: Vec<Vec<u16>>,
    records: Vec<Record>,
}

/// One record of a trace.
#[derive(Serialize, Deserialize)]
pub struct Record {
    pe: PeCoord,
    key: String,
    value: Value,
}

/// A recorded value.
#[derive(Clone, Serialize, Deserialize, IntoPyObject)]
pub enum Value {
    /// `trace_bool`
    Bool(bool),
    /// The unsigned kinds and time stamps.
    Unsigned(u64),
    /// The signed kinds.
    Signed(i64),
    /// The float kinds.
    Float(f64),
    /// `trace_string`
    Text(String),
}

#[pymethods]
impl Snapshot {
    #[staticmethod]
    fn load(program: &Program, path: PathBuf) -> PyResult<Snapshot> {
        let name = path.display();
        let bytes = std::fs::read(&path).map_err(|e| PyOSError::new_err(format!("{name}: {e}")))?;
        let contents: Option<Contents> =
            guarded(|| Ok(file::unsealed(&bytes).and_then(|contents| postcard::from_bytes(contents).ok())))?;
        let fits = |contents: &Contents| contents.memories.len() == program.image.place.len();
        let contents = contents.filter(fits).ok_or_else(|| {
            CslError::new_err(format!("{name} is not a snapshot of this program; run it again"))
        })?;
        Ok(Snapshot { program: program.image.clone(), contents })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let contents = postcard::to_stdvec(&self.contents).expect("memory and records can be stored");
        PyBytes::new(py, &file::sealed(contents))
    }

    fn symbol<'py>(&self, py: Python<'py>, x: u16, y: u16, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let tile = self.tile(x, y)?;
        let memory = &self.contents.memories[self.program.pe_index(PeCoord { x, y })];
        let symbol = tile.symbols.iter().find(|s| s.name == name);
        let words =
            symbol.and_then(|s| memory.get(usize::from(s.addr)..usize::from(s.addr) + usize::from(s.words)));
        match words {
            Some(words) => Ok(PyBytes::new(py, &bytes(words))),
            None => {
                let names: Vec<_> = tile.symbols.iter().map(|s| s.name.as_str()).collect();
                let names = names.join(", ");
                Err(CslError::new_err(format!("PE({x},{y}) has no symbol {name}; it has {names}")))
            }
        }
    }

    fn trace(&self, x: u16, y: u16, key: &str) -> PyResult<Vec<Value>> {
        self.tile(x, y)?;
        Ok(values_of(&self.contents.records, PeCoord { x, y }, key))
    }
}

impl Snapshot {
    /// The present state of a run.
    pub fn of(runner: &mut Runner) -> Snapshot {
        let program = runner.program().clone();
        let places = (0..program.place.len()).map(|i| program.pe_coord(i));
        let memories = places.map(|at| globals(runner, &program, at)).collect();
        let records = records(&program, runner.traced());
        Snapshot { program, contents: Contents { memories, records } }
    }

    fn tile(&self, x: u16, y: u16) -> PyResult<&image::TileImage> {
        let (w, h) = (self.program.width, self.program.height);
        if x >= w || y >= h {
            let text = format!("PE({x},{y}) lies outside the program rectangle of {w} x {h} PEs");
            return Err(PyValueError::new_err(text));
        }
        let tile = self.program.tile_at(PeCoord { x, y });
        tile.map(Arc::as_ref).ok_or_else(|| PyValueError::new_err(format!("PE({x},{y}) has no program")))
    }
}

fn globals(runner: &mut Runner, program: &image::Program, at: PeCoord) -> Vec<u16> {
    let end = program.tile_at(at).map_or(0, |tile| usize::from(tile.data_end));
    runner.memory(at, end).map_or_else(Vec::new, <[u16]>::to_vec)
}

/// Trace records with their strings and values.
pub fn records(program: &image::Program, traced: &[Traced]) -> Vec<Record> {
    traced.iter().filter_map(|t| record(program, t)).collect()
}

fn record(program: &image::Program, traced: &Traced) -> Option<Record> {
    let strings = &program.tile_at(traced.pe)?.strings;
    let key = strings.get(traced.key as usize)?.clone();
    let value = value(traced.tag, traced.value, strings)?;
    Some(Record { pe: traced.pe, key, value })
}

/// The kinds are numbered by `tag` in the library module `<debug>`.
fn value(tag: u16, [lo, hi]: [u32; 2], strings: &[String]) -> Option<Value> {
    let wide = u64::from(hi) << 32 | u64::from(lo);
    Some(match tag {
        0 => Value::Bool(lo != 0),
        1 | 3 | 5 | 9 | 12 => Value::Unsigned(wide),
        2 => Value::Signed(i64::from(lo as i8)),
        4 => Value::Signed(i64::from(lo as i16)),
        6 => Value::Signed(i64::from(lo as i32)),
        7 => Value::Float(f16::from_bits(lo as u16).to_f64()),
        8 => Value::Float(f64::from(f32::from_bits(lo))),
        10 => Value::Signed(wide as i64),
        11 => Value::Text(strings.get(lo as usize)?.clone()),
        _ => return None,
    })
}

/// The values of one trace of one PE, in order.
pub fn values_of(records: &[Record], pe: PeCoord, key: &str) -> Vec<Value> {
    records.iter().filter(|r| r.pe == pe && r.key == key).map(|r| r.value.clone()).collect()
}

/// Memory words as bytes, the low byte first.
pub fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}
