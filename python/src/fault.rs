use crate::InternalError;
use pyo3::PyResult;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does some work; a panic in it becomes an exception that `except Exception` catches. PyO3 would make
/// a `PanicException` of it, which such a clause does not.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    // What the work has left half done is used no more: the script learns that it has failed.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(InternalError::new_err(format!(
            "internal error: {}\nThis is a bug in cslrun {}, not in your program. Please report it with this text.",
            message(&*panic),
            env!("CARGO_PKG_VERSION"),
        )))
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
