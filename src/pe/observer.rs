//! Who writes down what a PE does: a trace or a profile, and most of the time nobody.

use super::profile_log::ProfileLog;
use super::trace_buffer::TraceBuffer;

/// The observer of a PE. It is one pointer, so that a visit without an observer asks one question.
#[derive(Clone, Default)]
pub(super) struct Observer(Option<Box<Kind>>);

#[derive(Clone)]
enum Kind {
    Trace(Box<TraceBuffer>),
    Profile(Box<ProfileLog>),
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
            Some(Kind::Profile(_)) | None => None,
        }
    }

    /// The profile.
    #[inline(always)]
    pub fn profile(&mut self) -> Option<&mut ProfileLog> {
        match self.0.as_deref_mut() {
            Some(Kind::Profile(profile)) => Some(profile),
            Some(Kind::Trace(_)) | None => None,
        }
    }

    /// The profile, to read.
    pub fn noted(&self) -> Option<&ProfileLog> {
        match self.0.as_deref() {
            Some(Kind::Profile(profile)) => Some(profile),
            Some(Kind::Trace(_)) | None => None,
        }
    }
}
