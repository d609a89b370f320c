//! What a program has that was laid out in Python, region by region: host streams and initial data.

use crate::arch::{Color, PeCoord};
use serde::{Deserialize, Serialize};

/// What only a program has that was laid out in Python (`SdkLayout`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SdkLayoutData {
    /// Its code regions.
    pub regions: Vec<CodeRegion>,
    /// Its streams to and from the host.
    pub streams: Vec<HostStream>,
    /// What memory holds before the program starts, beside the contents that PEs of one tile share.
    pub initial: Vec<InitialWords>,
}

/// A rectangle of PEs that run one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeRegion {
    /// Its name.
    pub name: String,
    /// Its north-west PE.
    pub at: PeCoord,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// A stream of words between the host and one PE, which has no code: the host stands in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostStream {
    /// Its name.
    pub name: String,
    /// Whether the host sends.
    pub to_wafer: bool,
    /// The PE in whose place the host sends or receives.
    pub pe: PeCoord,
    /// The color.
    pub color: Color,
    /// Words that the PE can hold.
    pub buffer: u16,
}

/// Words of one PE's memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitialWords {
    /// The PE.
    pub pe: PeCoord,
    /// The first word.
    pub addr: u16,
    /// The words.
    pub words: Vec<u16>,
}
