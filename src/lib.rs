//! cslrun: compiler front-end and interpreter for CSL, the language of Cerebras' wafer-scale engines.
//!
//! [`compile`] turns CSL source into a [`Program`], and a [`Runner`] runs it on a simulated wafer. Whatever is
//! wrong with the program comes as [`Diagnostic`]s, which [`render`] turns into text.
//!
//! ```
//! use cslrun::{Arch, CompileOptions, MemoryLoader, PeCoord, RunOptions, Runner, compile};
//!
//! let mut files = MemoryLoader::default();
//! files.add("pe.csl", "
//! var total: u32 = 0;
//! task main() void {
//!   for (@range(u32, 1, 11, 1)) |i| { total += i; }
//! }
//! comptime {
//!   const id = @get_local_task_id(8);
//!   @bind_local_task(main, id);
//!   @activate(id);
//!   @export_symbol(total);
//! }");
//!
//! let program = compile("pe.csl".as_ref(), &files, &CompileOptions::new(Arch::Wse2)).into_program()?;
//! let mut runner = Runner::new(program.into(), RunOptions::default());
//! let warnings = runner.run_until_idle().expect("the program runs to its end");
//! assert!(warnings.is_empty());
//!
//! let (_, words) = runner.read_symbol(PeCoord { x: 0, y: 0 }, "total").expect("the PE has this variable");
//! assert_eq!(words, [55, 0]);
//! # Ok::<(), String>(())
//! ```
//!
//! The rest is private but for [`catalogue`], which documentation is made from, and [`cli`], which the commands call.
//! `docs/ARCHITECTURE.md` follows a program through the modules, in this order: `source`, `syntax`, `sema`, `image`,
//! `exec`, `fabric`, `pe`, `wafer`, `host`, `cli`.

// Commands that need a terminal are not part of what a browser loads, nor are kernels for certain processors.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

mod arch;
mod bitmap_sorter;
pub mod catalogue;
mod check;
pub mod cli;
mod compile;
mod debug;
mod diagnostics;
mod dsd;
mod exec;
mod fabric;
mod format;
mod host;
mod image;
mod inline_queue;
mod inspect;
mod lsp;
mod pe;
mod prefetch;
mod profile;
mod sdklayout;
mod sema;
mod source;
mod state_hash;
mod stdlib;
mod syntax;
mod trace;
mod value;
mod wafer;

// Compiling.
pub use compile::{
    Compilation, Inspection, LayoutCompilation, compile, compile_layout, facts_again, inspect,
    possible_failures, syntax_errors,
};
pub use format::formatted;
pub use inspect::{
    Declaration, DeclarationKind, ExportedName, Extent, FileIndex, Import, KEYWORDS, Lexeme, LexemeKind,
    index,
};
pub use sdklayout::Layout;
pub use sema::{CompileOptions, Fact, Fp16Format, ParamValue};
pub use source::{DiskLoader, LoadError, Loader, MemoryLoader, line_starts, tidy, utf8_text};

// The program, and the machine that it is compiled for.
pub use arch::{ArchName as Arch, Color, Direction, PeCoord};
pub use image::file::FileError;
pub use image::{
    ExportKind, ExportName, FabricPlace, Field, HostStream, Inside, Program, Scalar, Symbol, VariableType,
};

// Running.
pub use host::{
    Call, Condition, DebugRequest, ExecutionPoint, Notice, Notices, OpAddress, PeView, StepKind,
    StopCandidate, TaskView, Tree, VariableValue,
};
pub use host::{
    Candidate, CopyRequest, CopyWidth, Decision, Deviation, EdgeStream, ExplorationEnd, Failure,
    FinalVariable, Heartbeat, LineConsumer, Printed, Record, Recorded, Region, RunOptions, RunReport, Runner,
    SeenChoice, SeenDecision, SeenWrite, Snapshot, StallReport, StopReport, StreamRequest, Ticket, Variable,
    VisitedStates,
};

// Diagnostics.
pub use diagnostics::render::{MessageFormat, render};
pub use diagnostics::{Diagnostic, Fix, Group, Label, Level, Levels, Moment, Replaced, Severity};
pub use source::{FileId, LineCol, SourceFile, SourceMap, Span};
