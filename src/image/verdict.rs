//! The result of verifying a program that was read from a file.

/// Nothing, or what is wrong.
pub type Verdict = Result<(), &'static str>;

/// An error unless something holds.
pub fn ensure(holds: bool, otherwise: &'static str) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise) }
}
