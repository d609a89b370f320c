//! The four forms of a diagnostic.
