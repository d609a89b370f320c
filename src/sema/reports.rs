//! What has been said about a program so far.

use crate::diagnostics::{Diag, Levels, Result, Sink};

/// The way of diagnostics to the sink.
pub struct Reports<'s> {
    sink: &'s mut Sink,
    levels: Levels,
    faults: u64,
    is_muted: bool,
    /// What was shown since `begin_record`; `None` if it cannot be repeated.
    record: Option<Vec<Diag>>,
}

impl<'s> Reports<'s> {
    /// Nothing has been said.
    pub fn new(sink: &'s mut Sink, levels: Levels) -> Reports<'s> {
        Reports { sink, levels, faults: 0, is_muted: false, record: None }
    }

    /// Errors in the sink.
    pub fn errors(&self) -> usize {
        self.sink.errors()
    }

    /// Errors so far, counting those that only follow from others and are not shown.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// Counts a diagnostic; whether it is to be shown, as it does not only repeat one.
    pub fn count(&mut self, diag: &Diag) -> bool {
        if self.is_muted {
            return false;
        }
        self.faults += u64::from(diag.0.severity.is_error());
        !diag.rule().is_empty()
    }

    /// Whether nothing is reported from here on.
    pub fn set_muted(&mut self, is_muted: bool) {
        self.is_muted = is_muted;
    }

    /// Shows a diagnostic that was counted.
    pub fn show(&mut self, diag: Diag) {
        if self.is_muted {
            return;
        }
        if let Some(record) = &mut self.record {
            record.push(diag.clone());
        }
        self.sink.push(diag);
    }

    /// What is shown from here on is recorded.
    pub fn begin_record(&mut self) {
        self.record = Some(Vec::new());
    }

    /// Something happens that does not happen again when the same is compiled again.
    pub fn spoil_record(&mut self) {
        self.record = None;
    }

    /// What was shown since `begin_record`, if to show it again is all that is to be repeated.
    pub fn take_record(&mut self) -> Option<Vec<Diag>> {
        self.record.take()
    }

    /// What the level of its rule makes of a diagnostic behind which the program can go on.
    ///
    /// # Errors
    /// The diagnostic itself if its level is `deny`.
    pub fn weigh(&self, diag: Diag) -> Result<Option<Diag>> {
        self.levels.weigh(diag)
    }
}
