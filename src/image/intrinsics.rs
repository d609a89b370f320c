//! Requests to a PE for which code has no operation of its own: those of the embedded library, and builtins
//! that are nothing but a request.
//!
//! In: nothing. Out: for each request a number that code carries, and a row of what it takes and gives.
//! Never: answers one; `pe::intrinsics` does.

use crate::value::ty::Ty;
use serde::{Deserialize, Serialize};

/// What a request takes and gives.
#[derive(Debug)]
pub struct IntrinsicRow {
    /// The request.
    pub id: Intrinsic,
    /// Its name in `@__intrinsic`.
    pub name: &'static str,
    /// The types of its arguments.
    pub params: &'static [Ty],
    /// The type of its result.
    pub result: Ty,
    /// The builtin that makes it, if there is one: how it is called, and what it does.
    pub builtin: Option<(&'static str, &'static str)>,
}

macro_rules! intrinsics {
    ($($(#[doc = $what:literal])+ $id:ident($($param:expr),*) -> $result:expr $(, $usage:literal: $doc:literal)?;)*) => {
        /// A request; arguments and result as noted.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Intrinsic {
            $($(#[doc = $what])+ $id,)*
        }

        impl Intrinsic {
            /// The rows of all requests.
            pub const ALL: &[IntrinsicRow] = &[$(IntrinsicRow {
                id: Intrinsic::$id,
                name: stringify!($id),
                params: &[$($param),*],
                result: $result,
                builtin: intrinsics!(@builtin $($usage, $doc)?),
            }),*];
        }
    };
    (@builtin) => { None };
    (@builtin $usage:literal, $doc:literal) => { Some(($usage, $doc)) };
}

// Stored programs name a request by its place in this list: a new one comes last.
intrinsics! {
    /// Column in the rectangle.
    PeX() -> Ty::U16;
    /// Row in the rectangle.
    PeY() -> Ty::U16;
    /// `(id, names)`: where the advertised symbol with this id lies; the names of all stand in
    /// `TileImage::strings`, with commas between.
    SymbolAddress(Ty::U16, Ty::U32) -> Ty::U16;
    /// Lets the PE take its next host command.
    UnblockCommandStream() -> Ty::Void;
    /// Starts or stops the time stamp counter; starting clears it.
    TscEnable(Ty::Bool) -> Ty::Void;
    /// Clears the time stamp counter.
    TscReset() -> Ty::Void;
    /// Word 0..2 of the counter; word 0 latches the others.
    TscRead(Ty::U16) -> Ty::U16;
    /// Next number of the active generator.
    Random16() -> Ty::U16, "@random16()": "a random number";
    /// Makes another generator the active one.
    SetActivePrng(Ty::U16) -> Ty::Void, "@set_active_prng(n)": "selects a random number generator";
    /// Seeds the active generator.
    SeedPrng(Ty::U32) -> Ty::Void;
    /// Prints a string of `TileImage::strings`.
    PrintString(Ty::U32) -> Ty::Void;
    /// `(x, base, digits)`: prints an integer in base 2, 10 or 16.
    PrintInt(Ty::U32, Ty::U16, Ty::U16) -> Ty::Void;
    /// Prints a number.
    PrintF32(Ty::F32) -> Ty::Void;
    /// `(function, x, y)`: see `value::math::MathFunction`.
    Math32(Ty::U16, Ty::F32, Ty::F32) -> Ty::F32;
    /// The same for 16 bits.
    Math16(Ty::U16, Ty::F16, Ty::F16) -> Ty::F16;
    /// `(key, tag, lo, hi)`: appends a record to a debug trace.
    /// Tags are 0 bool, 1 u8, 2 i8, 3 u16, 4 i16, 5 u32, 6 i32, 7 f16, 8 f32, 9 u64, 10 i64, 11 string
    /// (a number of `TileImage::strings`), 12 time stamp (48 bits).
    Trace(Ty::U32, Ty::U16, Ty::U32, Ty::U32) -> Ty::Void;
    /// `@queue_flush` of input queue n, or of output queue n as 8 + n.
    QueueFlush(Ty::U16) -> Ty::Void;
    /// Reads the configuration word at an address.
    ConfigRead(Ty::U16) -> Ty::U16;
    /// `(address, value)`: writes a configuration word.
    ConfigWrite(Ty::U16, Ty::U16) -> Ty::Void;
    /// `(line, kind, root, count, from, to)`: this PE begins a collective operation with its row or column, with buffers
    /// at these addresses. `line` is 0 for a row and 1 for a column, plus 2 times the color, plus 65536 times the number
    /// of PEs. Kinds are 0 broadcast, 1 scatter, 2 gather, 3 reduce_fadds, 4 reduce_faddh.
    Collective(Ty::U32, Ty::U16, Ty::U16, Ty::U16, Ty::U16, Ty::U16) -> Ty::Void;
    /// `(column, row, length, room)`: the next `length` words on the color of messages, from a buffer of
    /// `room` elements, go to a PE.
    SendMessage(Ty::U16, Ty::U16, Ty::U16, Ty::U16) -> Ty::Void;
    /// `(queue, room)`: the next message of an input queue is received, without its header, into a buffer
    /// of `room` elements.
    ReceiveMessage(Ty::U16, Ty::U16) -> Ty::Void;
}
