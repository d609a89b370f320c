//! One processing element: memory, main thread, microthreads, tasks and queues.
//!
//! In: a tile image, wavelets and launches. Out: wavelets, memory, printed text, what it waits for.
//! Never: sees another PE, the fabric beyond its ramp, or the text of a program.

mod arrivals;
mod at_once;
mod bindings;
mod checks;
mod choices;
mod clock;
mod config;
mod control_ends;
mod debug_log;
mod debugging;
mod departures;
mod dsd_values;
mod early_tasks;
mod element;
mod expected;
mod extended;
mod fabric_operands;
mod fifo;
mod for_host;
mod inspection;
mod interp;
mod intrinsics;
mod lenient;
mod lines;
mod log;
mod loop_services;
mod main_thread;
mod map;
mod observer;
mod open_operands;
mod open_operation;
mod operands;
mod operation;
mod prefetching;
mod prescribed;
mod profile_log;
mod profiling;
mod queue;
mod queues;
mod race_checks;
mod races;
mod rare;
mod reach;
mod rebind;
mod registers;
mod resolve;
mod rings;
mod scripted;
mod seed;
mod service;
mod short_operand;
mod short_send;
mod stall;
mod start;
mod state;
mod stepping;
mod tasks;
mod teardown_task;
mod threads;
mod ties;
mod trace_buffer;
mod unset_globals;
mod vector;
mod vector_unit;
mod wait;
mod waiting;
mod warnings;
mod write_log;

#[cfg(test)]
mod tests;

pub use crate::exec::calls::Worker;
pub use checks::PeOptions;
pub use choices::Chosen;
pub use debug_log::{
    BreakpointMatcher, DebugOrders, ExecutionPoint, Notice, Notices, StepKind, StepOrder, StopCandidate,
    TileMarks,
};
pub use element::Pe;
pub use inspection::{FrameState, QueueState};
pub use log::{CollectiveCall, MessageCall, MessageEnd, PeLog, Printed, Traced};
pub use main_thread::HOST_PATIENCE;
pub use prescribed::{Candidate, Decision, Deviation, PrescribedSchedule, ScheduleProgress};
pub use seed::ScheduleSeed;
pub use wait::{Activity, Wait, Waiter, WaitsFor, Wake};
pub use write_log::{NotedWrite, WriteLog};
