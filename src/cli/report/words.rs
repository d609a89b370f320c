//! How the report names what happens.

use crate::trace::{Queue, Reason, TaskCause, TracedOperation};

/// `compute (activated)`
pub fn task(name: &str, cause: TaskCause) -> String {
    match cause {
        TaskCause::Activated(_) => format!("{name} (activated)"),
        TaskCause::Wavelet(color) => format!("{name} (wavelet of color {color})"),
        TaskCause::Launched => format!("{name} (launched)"),
    }
}

/// `@fadds of 16`
pub fn operation(operation: &TracedOperation) -> String {
    match operation.of {
        Some(of) => format!("@{} of {of}", operation.name),
        None => format!("@{}", operation.name),
    }
}

/// `@fadds after 16 of 16`
pub fn end(operation: &TracedOperation, done: u32) -> String {
    match operation.of {
        Some(of) => format!("@{} after {done} of {of}", operation.name),
        None => format!("@{} after {done}", operation.name),
    }
}

/// The number of a queue in the report.
pub fn queue(queue: Queue, color: u8) -> u8 {
    match queue {
        Queue::In(Some(queue)) => queue.0,
        Queue::Out(Some(queue)) => 8 + queue.0,
        Queue::In(None) => 16 + color,
        Queue::Out(None) => 48 + color,
    }
}

/// The number of what a stalled thread waits for.
pub fn wait(on: Reason) -> u8 {
    match on {
        Reason::Wavelet { color, .. } => 1 + color.0,
        Reason::Space { color, .. } => 33 + color.0,
        Reason::FifoData(_) | Reason::FifoSpace(_) | Reason::Unblock => 65,
    }
}
