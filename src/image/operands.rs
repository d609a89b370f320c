//! What operations name: registers, functions, places in the code, and scalars in memory.

use serde::{Deserialize, Serialize};

/// A register of the current call.
pub type Reg = u16;

/// A function of the tile.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FnId(pub u32);

/// A place in the code of the function: an index into `Function::code`.
pub type Target = u32;

/// How a scalar lies in memory and is extended in a register.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Access {
    U16,
    S16,
    U32,
    S32,
    W64,
    U8,
    S8,
}

impl Access {
    /// 16-bit words.
    pub fn words(self) -> u16 {
        match self {
            Access::U16 | Access::S16 | Access::U8 | Access::S8 => 1,
            Access::U32 | Access::S32 => 2,
            Access::W64 => 4,
        }
    }

    /// Whether it is half a word.
    #[inline(always)]
    pub fn is_byte(self) -> bool {
        matches!(self, Access::U8 | Access::S8)
    }
}

/// The bit of an address that names the high byte of a word: memory ends far below it.
pub const HIGH_BYTE: u16 = 0x8000;

/// `words` of an `Op::Element` whose elements are bytes.
pub const BYTES: u16 = u16::MAX;

/// The word of an address, which may be that of a byte.
#[inline(always)]
pub fn word_of(address: usize) -> usize {
    address & !usize::from(HIGH_BYTE)
}

/// The address `index` bytes behind another one.
pub fn byte_behind(address: u64, index: u64) -> u64 {
    let high = u64::from(HIGH_BYTE);
    let byte = ((address & !high) << 1 | u64::from(address & high != 0)).wrapping_add(index) & 0xffff;
    byte >> 1 | if byte & 1 != 0 { high } else { 0 }
}

/// `len` of an `Op::Element` whose index has no limit of its own: the element must lie in the variable
/// behind the address.
pub const IN_VARIABLE: u32 = u32::MAX;

/// `len` of an `Op::Element` of which only the address is wanted: nothing is touched yet.
pub const ADDRESS_ONLY: u32 = u32::MAX - 1;
