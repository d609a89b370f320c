//! The configuration space of a PE: the register at each word address.
//!
//! Public programs name two blocks of addresses and the bits in them: the routes and the switches of
//! WSE-2. All other addresses, and the layout on WSE-3, are our own (docs/decisions.md); programs
//! learn them from `<tile_config>`.

use super::{ArchName, Color};

/// The byte addresses of the configuration space, which pointers use.
pub const BYTE_WINDOW: std::ops::RangeInclusive<u64> = 0xc000..=0xffff;

/// A word of the configuration space.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ConfigWord {
    /// Position 0, swap, pop mode and teardown of a color: [`routes`].
    Routes(Color),
    /// The switch of a color: [`switch`].
    Switch(Color),
    /// WSE-3: the route of a switch position (1 to 3), laid out like the routes.
    Position(Color, u8),
    /// A word of the counter filter of a color: [`filter`].
    Filter(Color, u16),
    /// A register of the PE itself: the block and the place in it.
    Pe(PeBlock, u16),
}

/// Registers of the PE, not of its router.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum PeBlock {
    /// Colors that have gone into teardown since it was last read: two words.
    TeardownPending,
    /// Tasks with high priority, bit = task id. Four words.
    TaskPriority,
    /// Priority of the main thread.
    MainThreadPriority,
    /// Bit = input queue: empty in the low byte, full in the high one.
    InputQueues,
    /// The same for output queues.
    OutputQueues,
    /// One word for each input queue: [`queue`].
    InputQueueConfig,
    /// One word for each output queue: [`queue`].
    OutputQueueConfig,
    /// Bit = queue that `@queue_flush` has found empty: inputs in the low byte, outputs in the high one.
    Flushed,
    /// The mask that `.control_transform` XORs into the index of control wavelets.
    ControlMask,
    /// Masked exceptions, which do not stop the PE, bit = exception.
    ExceptionMask,
    /// Whether the time stamp counter runs: 7 starts it at zero, 0 stops it.
    TimerControl,
    /// The time stamp counter, lowest word first. Three words.
    Timer,
}

impl PeBlock {
    /// Its initial value, if a program may set it before the start.
    pub fn initial(self) -> Option<u16> {
        match self {
            PeBlock::TaskPriority | PeBlock::MainThreadPriority | PeBlock::ControlMask => Some(0),
            PeBlock::ExceptionMask => Some(ALL_MASKED),
            PeBlock::TeardownPending
            | PeBlock::InputQueues
            | PeBlock::OutputQueues
            | PeBlock::InputQueueConfig
            | PeBlock::OutputQueueConfig
            | PeBlock::Flushed
            | PeBlock::TimerControl
            | PeBlock::Timer => None,
        }
    }
}

/// The exception mask under which no exception stops the PE.
pub const ALL_MASKED: u16 = 0xffff;

/// Words of a counter filter: counter, limit, and how many pass; each the low half first.
pub mod filter {
    /// Words of a filter.
    pub const WORDS: u16 = 8;
    /// Words that are in use.
    pub const USED: u16 = 6;
}

/// Bits of a route word.
pub mod routes {
    use crate::arch::Direction;

    /// The bit of each direction among those that a wavelet leaves to, `Direction` by `Direction`.
    const TX_BIT: [u16; 5] = [3, 2, 1, 0, 4];
    /// Sides that wavelets come from follow in the same order.
    const RX_SHIFT: u16 = 5;
    /// The bits of all sides.
    pub const SIDES: u16 = 0x3ff;
    /// Arrivals from north and south are swapped with the partner color.
    pub const SWAP_Y: u16 = 1 << 10;
    /// Arrivals from east and west are swapped with the partner color.
    pub const SWAP_X: u16 = 1 << 11;
    /// Position of the pop mode, which has two bits.
    pub const POP_SHIFT: u16 = 12;
    /// The color is in teardown.
    pub const TEARDOWN: u16 = 1 << 14;
    // Bit 15 (point to point) has no effect and reads as 0.

    /// Masks of directions (bit = `Direction`) as the word holds them.
    pub fn pack(rx: u8, tx: u8) -> u16 {
        let bits = |mask: u8, shift: u16| {
            let held = Direction::ALL.into_iter().filter(|d| mask & 1 << *d as u8 != 0);
            held.map(|d| 1 << (TX_BIT[d as usize] + shift)).sum::<u16>()
        };
        bits(tx, 0) | bits(rx, RX_SHIFT)
    }

    /// The masks `(rx, tx)` of a word.
    pub fn unpack(word: u16) -> (u8, u8) {
        let mask = |shift: u16| {
            let held = Direction::ALL.into_iter().filter(|d| word >> (TX_BIT[*d as usize] + shift) & 1 != 0);
            held.map(|d| 1 << d as u8).sum::<u8>()
        };
        (mask(RX_SHIFT), mask(0))
    }
}

/// Bits of a switch word.
pub mod switch {
    use crate::arch::Direction;

    /// Ring mode: position 0 follows the last position.
    pub const RING: u16 = 1 << 12;
    /// Position of the current switch position, which has two bits.
    pub const POSITION_SHIFT: u16 = 13;
    /// A position is four bits wide (WSE-2); position 1 comes first.
    pub const FIELD: u16 = 4;
    /// In the field of a position: it names the side that wavelets come from.
    pub const IS_INPUT: u16 = 8;
    /// In the field of a position: there is no such position.
    pub const INVALID: u16 = 5;

    /// Directions by the number that a position has for them.
    const ORDER: [Direction; 5] =
        [Direction::West, Direction::East, Direction::South, Direction::North, Direction::Ramp];

    /// The number of a direction in the field of a position.
    pub fn number(d: Direction) -> u16 {
        ORDER.iter().position(|x| *x == d).expect("all five are in the order") as u16
    }

    /// The direction in the field of a position; `None` if it is invalid.
    pub fn direction(field: u16) -> Option<Direction> {
        ORDER.get(usize::from(field & 7)).copied()
    }
}

/// Bits of the configuration words of queues.
pub mod queue {
    /// The color of a queue that has none.
    pub const UNBOUND: u16 = 31;
    /// The bits of a color, before they are shifted.
    pub const COLOR: u16 = 31;
    /// Position of the color in the word of an output queue (sdk-examples, topic-16).
    pub const OUTPUT_SHIFT: u16 = 4;
    /// In the word of an input queue: the priority of the microthread of that number (csl-examples,
    /// spmv-hypersparse). Its color is in the lowest bits, which is our own choice.
    pub const INPUT_PRIORITY: u16 = 3 << 8;
}

/// Words that a block of queues takes.
const QUEUES: u16 = 8;
/// Words that a block of colors takes.
const COLORS: u16 = Color::COUNT as u16;

/// The name of each block in `@__config_address`, its start and its length.
const BLOCKS: &[(&str, u16, u16)] = &[
    // sdk-examples, topic-16
    ("output_queue_config", 0x7b80, QUEUES),
    ("filters", 0x7d00, filter::WORDS * COLORS),
    ("positions", 0x7e80, 4 * COLORS),
    ("pe", 0x7ee0, 0x20),
    // csl-examples, allreduce
    ("routes", 0x7f20, COLORS),
    ("switches", 0x7f40, COLORS),
    // csl-examples, spmv-hypersparse
    ("input_queue_config", 0x7f58, QUEUES),
];

/// The registers of the PE, in the order of their addresses, and how many words each takes.
const PE_BLOCKS: &[(&str, PeBlock, u16)] = &[
    ("teardown_pending", PeBlock::TeardownPending, 2),
    ("task_priority", PeBlock::TaskPriority, 4),
    ("main_thread_priority", PeBlock::MainThreadPriority, 1),
    ("input_queues", PeBlock::InputQueues, 1),
    ("output_queues", PeBlock::OutputQueues, 1),
    ("flushed", PeBlock::Flushed, 1),
    ("control_mask", PeBlock::ControlMask, 1),
    ("exception_mask", PeBlock::ExceptionMask, 1),
    ("timer_control", PeBlock::TimerControl, 1),
    // the last one: pointers to it count bytes
    ("timer", PeBlock::Timer, TIMER_WORDS),
];

/// Words of the time stamp counter.
const TIMER_WORDS: u16 = 3;

impl ConfigWord {
    /// The register at a word address; `None` if the address is not modelled.
    pub fn at(arch: ArchName, address: u16) -> Option<ConfigWord> {
        let (name, start, _) =
            BLOCKS.iter().find(|(_, start, words)| (*start..*start + *words).contains(&address))?;
        let place = address - start;
        match (*name, arch) {
            ("routes", _) => Some(ConfigWord::Routes(Color(place as u8))),
            ("switches", _) => Some(ConfigWord::Switch(Color(place as u8))),
            ("positions", ArchName::Wse3) if !place.is_multiple_of(4) => {
                Some(ConfigWord::Position(Color((place / 4) as u8), (place % 4) as u8))
            }
            ("filters", _) if place % filter::WORDS < filter::USED => {
                Some(ConfigWord::Filter(Color((place / filter::WORDS) as u8), place % filter::WORDS))
            }
            ("pe", _) => pe_register(place),
            ("input_queue_config", _) => Some(ConfigWord::Pe(PeBlock::InputQueueConfig, place)),
            ("output_queue_config", _) => Some(ConfigWord::Pe(PeBlock::OutputQueueConfig, place)),
            _ => None,
        }
    }

    /// The word that a pointer points to; `None` if it is not in the configuration space. Pointers count
    /// bytes. Programs for SDK 1.0 also make pointers of the word addresses of the timer, and count bytes
    /// from there.
    pub fn pointed(pointer: u64) -> Option<u16> {
        if BYTE_WINDOW.contains(&pointer) {
            return Some((pointer / 2) as u16);
        }
        let control = u64::from(ConfigWord::address("timer_control")?);
        let timer = control + 1;
        match pointer {
            at if at == control => Some(at as u16),
            at if (timer..timer + 2 * u64::from(TIMER_WORDS)).contains(&at) => {
                Some((timer + (at - timer) / 2) as u16)
            }
            _ => None,
        }
    }

    /// The address of the block or register of this name.
    pub fn address(name: &str) -> Option<u16> {
        if let Some((_, start, _)) = BLOCKS.iter().find(|(block, ..)| *block == name) {
            return Some(*start);
        }
        let at = PE_BLOCKS.iter().position(|(block, ..)| *block == name)?;
        let before: u16 = PE_BLOCKS[..at].iter().map(|(_, _, words)| words).sum();
        Some(ConfigWord::address("pe")? + before)
    }
}

fn pe_register(mut place: u16) -> Option<ConfigWord> {
    for (_, block, words) in PE_BLOCKS {
        if place < *words {
            return Some(ConfigWord::Pe(*block, place));
        }
        place -= words;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_address_leads_back_to_its_word() {
        let at = |name: &str, offset: u16| {
            ConfigWord::at(ArchName::Wse3, ConfigWord::address(name).expect("a known name") + offset)
        };
        assert_eq!(at("routes", 5), Some(ConfigWord::Routes(Color(5))));
        assert_eq!(at("switches", 23), Some(ConfigWord::Switch(Color(23))));
        assert_eq!(at("filters", 8 * 2 + 5), Some(ConfigWord::Filter(Color(2), 5)));
        assert_eq!(at("filters", 8 * 2 + 6), None);
        assert_eq!(at("positions", 4 * 7 + 3), Some(ConfigWord::Position(Color(7), 3)));
        assert_eq!(at("input_queue_config", 7), Some(ConfigWord::Pe(PeBlock::InputQueueConfig, 7)));
        assert_eq!(at("output_queue_config", 2), Some(ConfigWord::Pe(PeBlock::OutputQueueConfig, 2)));
        for (name, block, words) in PE_BLOCKS {
            assert_eq!(at(name, words - 1), Some(ConfigWord::Pe(*block, words - 1)), "{name}");
        }
        assert_eq!(ConfigWord::at(ArchName::Wse2, 0x7f38), None);
        assert_eq!(ConfigWord::at(ArchName::Wse2, 0x7e81), None);
    }

    #[test]
    fn pointers_count_bytes() {
        let timer = ConfigWord::address("timer").expect("a known name");
        assert_eq!(ConfigWord::pointed(2 * 0x7f25), Some(0x7f25));
        assert_eq!(ConfigWord::pointed(u64::from(timer) + 4), Some(timer + 2));
        assert_eq!(ConfigWord::pointed(u64::from(timer) + 6), None);
        assert_eq!(ConfigWord::pointed(0x5fff), None);
    }

    #[test]
    fn directions_stand_where_public_programs_expect_them() {
        let (ramp, west) = (1 << 4, 1 << 3);
        assert_eq!(routes::pack(ramp, west), 0x201);
        assert_eq!(routes::unpack(0x201), (ramp, west));
        assert_eq!(switch::direction(4), Some(crate::arch::Direction::Ramp));
        assert_eq!(switch::direction(switch::INVALID), None);
    }
}
