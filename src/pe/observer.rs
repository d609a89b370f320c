//! Who writes down what a PE does: a trace, a profile or a debugger, and most of the time nobody.

use super::debug_log::DebugLog;
use super::profile_log::ProfileLog;
use super::trace_buffer::TraceBuffer;

/// The observer of a PE. It is one pointer, so that a visit without an observer asks one question.
#[derive(Clone, Default)]
pub(super) struct Observer(Option<Box<Kind>>);

#[derive(Clone)]
enum Kind {
    Trace(Box<TraceBuffer>),
    Profile(Box<ProfileLog>),
    Debug(Box<DebugLog>),
}

impl Observer {
    /// Writes down the events of each cycle.
    pub fn of_trace(trace: TraceBuffer) -> Observer {
        Observer(Some(Box::new(Kind::Trace(Box::new(trace)))))
    }

    /// Takes notes for a profile.
    pub fn of_profile(profile: ProfileLog) -> Observer {
        Observer(Some(Box::new(Kind::Profile(Box::new(profile)))))
    }

    /// Obeys a debugger.
    pub fn of_debugger(log: DebugLog) -> Observer {
        Observer(Some(Box::new(Kind::Debug(Box::new(log)))))
    }

    /// Whether nobody writes anything down.
    #[inline(always)]
    pub fn is_nobody(&self) -> bool {
        self.0.is_none()
    }

    /// Whether there is a trace.
    #[inline(always)]
    pub fn has_trace(&self) -> bool {
        matches!(self.0.as_deref(), Some(Kind::Trace(_)))
    }

    /// Whether there is a profile.
    #[inline(always)]
    pub fn has_profile(&self) -> bool {
        matches!(self.0.as_deref(), Some(Kind::Profile(_)))
    }

    /// The trace.
    #[inline(always)]
    pub fn trace(&mut self) -> Option<&mut TraceBuffer> {
        match self.0.as_deref_mut() {
            Some(Kind::Trace(trace)) => Some(trace),
            Some(Kind::Profile(_) | Kind::Debug(_)) | None => None,
        }
    }

    /// The profile.
    #[inline(always)]
    pub fn profile(&mut self) -> Option<&mut ProfileLog> {
        match self.0.as_deref_mut() {
            Some(Kind::Profile(profile)) => Some(profile),
            Some(Kind::Trace(_) | Kind::Debug(_)) | None => None,
        }
    }

    /// The profile, to read.
    pub fn noted(&self) -> Option<&ProfileLog> {
        match self.0.as_deref() {
            Some(Kind::Profile(profile)) => Some(profile),
            Some(Kind::Trace(_) | Kind::Debug(_)) | None => None,
        }
    }

    /// What a debugger has been told.
    pub fn debug_log(&mut self) -> Option<&mut DebugLog> {
        match self.0.as_deref_mut() {
            Some(Kind::Debug(log)) => Some(log),
            Some(Kind::Trace(_) | Kind::Profile(_)) | None => None,
        }
    }

    /// The same, to read.
    pub fn debugged(&self) -> Option<&DebugLog> {
        match self.0.as_deref() {
            Some(Kind::Debug(log)) => Some(log),
            Some(Kind::Trace(_) | Kind::Profile(_)) | None => None,
        }
    }
}
