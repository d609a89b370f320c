//! The observers of a PE: a trace, a profile, both, or a debugger; usually none.

use super::debug_log::DebugLog;
use super::profile_log::ProfileLog;
use super::trace_buffer::TraceBuffer;

/// The observers of a PE, behind one pointer, so that a visit without an observer costs one test.
#[derive(Clone, Default)]
pub(super) struct Observer(Option<Box<Observers>>);

#[derive(Clone, Default)]
struct Observers {
    trace: Option<Box<TraceBuffer>>,
    profile: Option<Box<ProfileLog>>,
    debug: Option<Box<DebugLog>>,
}

impl Observers {
    fn is_nobody(&self) -> bool {
        self.trace.is_none() && self.profile.is_none() && self.debug.is_none()
    }
}

impl Observer {
    /// Writes down the events of each cycle from now on, or does not any more.
    pub fn set_trace(&mut self, trace: Option<TraceBuffer>) {
        self.0.get_or_insert_default().trace = trace.map(Box::new);
        if self.0.as_ref().is_some_and(|all| all.is_nobody()) {
            self.0 = None;
        }
    }

    /// Takes notes for a profile from now on.
    pub fn set_profile(&mut self, profile: ProfileLog) {
        self.0.get_or_insert_default().profile = Some(Box::new(profile));
    }

    /// Obeys a debugger, and nobody else.
    pub fn of_debugger(log: DebugLog) -> Observer {
        Observer(Some(Box::new(Observers { debug: Some(Box::new(log)), ..Observers::default() })))
    }

    /// Whether nobody writes anything down.
    #[inline(always)]
    pub fn is_nobody(&self) -> bool {
        self.0.is_none()
    }

    /// Whether there is a trace.
    #[inline(always)]
    pub fn has_trace(&self) -> bool {
        self.0.as_ref().is_some_and(|all| all.trace.is_some())
    }

    /// Whether there is a profile.
    #[inline(always)]
    pub fn has_profile(&self) -> bool {
        self.0.as_ref().is_some_and(|all| all.profile.is_some())
    }

    /// The trace.
    #[inline(always)]
    pub fn trace(&mut self) -> Option<&mut TraceBuffer> {
        self.0.as_mut()?.trace.as_deref_mut()
    }

    /// The profile.
    #[inline(always)]
    pub fn profile(&mut self) -> Option<&mut ProfileLog> {
        self.0.as_mut()?.profile.as_deref_mut()
    }

    /// The profile, to read.
    pub fn noted(&self) -> Option<&ProfileLog> {
        self.0.as_ref()?.profile.as_deref()
    }

    /// What a debugger has been told.
    pub fn debug_log(&mut self) -> Option<&mut DebugLog> {
        self.0.as_mut()?.debug.as_deref_mut()
    }

    /// The same, to read.
    pub fn debugged(&self) -> Option<&DebugLog> {
        self.0.as_ref()?.debug.as_deref()
    }
}
