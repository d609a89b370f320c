use crate::CslError;
use crate::fault::guarded;
use crate::program::Program;
use cslrun::{PeCoord, Record, Recorded};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// What a run has left in memory and in traces.
#[pyclass(frozen)]
pub struct Snapshot(pub cslrun::Snapshot);

/// A recorded value.
#[derive(IntoPyObject)]
pub enum Value {
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
}

#[pymethods]
impl Snapshot {
    #[staticmethod]
    fn load(program: &Program, path: PathBuf) -> PyResult<Snapshot> {
        let name = path.display();
        let bytes = std::fs::read(&path).map_err(|e| PyOSError::new_err(format!("{name}: {e}")))?;
        let snapshot = guarded(|| Ok(cslrun::Snapshot::from_bytes(program.image.clone(), &bytes)))?;
        let snapshot = snapshot.ok_or_else(|| {
            CslError::new_err(format!("{name} is not a snapshot of this program; run it again"))
        })?;
        Ok(Snapshot(snapshot))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    fn symbol<'py>(&self, py: Python<'py>, x: u16, y: u16, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let names = self.names(x, y)?;
        match self.0.symbol(PeCoord { x, y }, name) {
            Some(words) => Ok(PyBytes::new(py, &bytes(words))),
            None => {
                let names = names.join(", ");
                Err(CslError::new_err(format!("PE({x},{y}) has no symbol {name}; it has {names}")))
            }
        }
    }

    fn trace(&self, x: u16, y: u16, key: &str) -> PyResult<Vec<Value>> {
        self.names(x, y)?;
        Ok(values_of(self.0.records(), PeCoord { x, y }, key))
    }
}

impl Snapshot {
    /// The names of the globals of a PE.
    fn names(&self, x: u16, y: u16) -> PyResult<Vec<&str>> {
        let (w, h) = self.0.program().size();
        if x >= w || y >= h {
            let text = format!("PE({x},{y}) lies outside the program rectangle of {w} x {h} PEs");
            return Err(PyValueError::new_err(text));
        }
        let symbols = self.0.program().symbols(PeCoord { x, y });
        let symbols = symbols.ok_or_else(|| PyValueError::new_err(format!("PE({x},{y}) has no program")))?;
        Ok(symbols.iter().map(|symbol| symbol.name.as_str()).collect())
    }
}

/// The values of one trace of one PE, in order.
pub fn values_of(records: &[Record], pe: PeCoord, key: &str) -> Vec<Value> {
    let records = records.iter().filter(|record| record.pe == pe && record.key == key);
    records
        .map(|record| match record.value.clone() {
            Recorded::Bool(value) => Value::Bool(value),
            Recorded::Unsigned(value) => Value::Unsigned(value),
            Recorded::Signed(value) => Value::Signed(value),
            Recorded::Float(value) => Value::Float(value),
            Recorded::Text(value) => Value::Text(value),
        })
        .collect()
}

/// Memory words as bytes, the low byte first.
pub fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}
