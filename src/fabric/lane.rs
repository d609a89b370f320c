//! One color at one router: its buffers, switch and filter.

use super::Wavelet;
use super::filter::FilterState;
use super::route::{Gate, Mask, Route, RouteId};
use crate::arch::{Color, Direction};
use crate::image::routes::Inject;
use crate::ring::Ring;

/// The express channel of a lane that is on none.
pub const NO_CHANNEL: u32 = u32::MAX;

/// The deepest link buffer that a [`Lane`] has room for.
pub const MAX_LINK_DEPTH: usize = 4;

/// A wavelet on its way.
#[derive(Copy, Clone, Debug, Default)]
pub struct Flit {
    /// The word; of a control wavelet with the commands that are left.
    pub word: u32,
    /// The low half as it was sent: the argument of a control task.
    argument: u16,
    control: bool,
    /// The switch of the sender's router advances behind it.
    pub advances: bool,
}

impl Flit {
    /// A wavelet that starts its way.
    pub fn new(w: Wavelet) -> Flit {
        Flit { word: w.data, argument: w.data as u16, control: w.control, advances: false }
    }

    /// Whether it changes nothing on its way.
    pub fn is_plain(&self) -> bool {
        !self.control && !self.advances
    }

    /// Whether it is a control wavelet.
    pub fn is_control(&self) -> bool {
        self.control
    }

    /// What the PE sees of it.
    pub fn delivered(&self) -> Wavelet {
        let data = match self.control {
            true => self.word & 0xffff_0000 | u32::from(self.argument),
            false => self.word,
        };
        Wavelet { data, control: self.control }
    }
}

/// A bounded queue at the end of a link.
#[derive(Copy, Clone, Debug)]
pub struct Buffer {
    slots: [Flit; MAX_LINK_DEPTH],
    head: u8,
    len: u8,
    /// The side that it belongs to; `None` as long as it belongs to none.
    side: Option<Direction>,
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer::EMPTY
    }
}

impl Buffer {
    const EMPTY: Buffer = Buffer {
        slots: [Flit { word: 0, argument: 0, control: false, advances: false }; MAX_LINK_DEPTH],
        head: 0,
        len: 0,
        side: None,
    };

    /// Wavelets inside.
    pub fn len(&self) -> usize {
        self.len.into()
    }

    /// The oldest.
    pub fn front(&self) -> Option<&Flit> {
        (self.len > 0).then(|| &self.slots[usize::from(self.head) % MAX_LINK_DEPTH])
    }

    /// Adds one; there must be room.
    pub fn push(&mut self, flit: Flit) {
        assert!(self.len() < MAX_LINK_DEPTH, "a router sends only into buffers with room");
        self.slots[(usize::from(self.head) + self.len()) % MAX_LINK_DEPTH] = flit;
        self.len += 1;
    }

    /// Drops the oldest.
    pub fn pop(&mut self) {
        self.head = (self.head + 1) % MAX_LINK_DEPTH as u8;
        self.len -= 1;
    }
}

/// Where a wavelet arrives that leaves a router on one side.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Landing {
    /// Not yet looked up.
    #[default]
    Unknown,
    /// Beyond the rectangle.
    Edge,
    /// In one lane.
    Lane(u32),
    /// In two by a color swap.
    Both(u32, u32),
}

/// A [`Landing`] in four bytes: the number of a lane, or of one of the pairs that the fabric keeps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Way(u32);

impl Way {
    /// Not yet looked up.
    pub const UNKNOWN: Way = Way(u32::MAX);
    const EDGE: Way = Way(u32::MAX - 1);
    /// Numbers from here on are those of pairs.
    const PAIRS: u32 = 1 << 31;

    /// The way to a landing; two lanes are added to the pairs.
    pub fn to(landing: Landing, pairs: &mut Vec<(u32, u32)>) -> Way {
        match landing {
            Landing::Unknown => Way::UNKNOWN,
            Landing::Edge => Way::EDGE,
            Landing::Lane(id) => Way(id),
            Landing::Both(first, second) => {
                pairs.push((first, second));
                Way(Way::PAIRS + pairs.len() as u32 - 1)
            }
        }
    }

    /// The lane to which it leads, if it is one.
    #[inline]
    pub fn lane(self) -> Option<u32> {
        (self.0 < Way::PAIRS).then_some(self.0)
    }

    /// Where it leads.
    #[inline]
    pub fn landing(self, pairs: &[(u32, u32)]) -> Landing {
        match self {
            Way(id) if id < Way::PAIRS => Landing::Lane(id),
            Way::UNKNOWN => Landing::Unknown,
            Way::EDGE => Landing::Edge,
            Way(pair) => {
                let (first, second) = pairs[(pair - Way::PAIRS) as usize];
                Landing::Both(first, second)
            }
        }
    }
}

impl Landing {
    /// The lanes.
    #[inline]
    pub fn lanes(self) -> impl Iterator<Item = u32> {
        let (lanes, count) = match self {
            Landing::Unknown | Landing::Edge => ([0; 2], 0),
            Landing::Lane(id) => ([id, 0], 1),
            Landing::Both(first, second) => ([first, second], 2),
        };
        lanes.into_iter().take(count)
    }
}

/// What is known about the oldest wavelet of one input, in one byte: the low bits are targets.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadState(u8);

impl HeadState {
    /// Nothing has happened to it.
    pub const UNTOUCHED: HeadState = HeadState(0);
    const TARGETS: u8 = 0x1f;
    const ASKED: u8 = 0x20;
    const PASSES: u8 = 0x40;

    /// Targets that still wait for a copy; empty before the first copy has left.
    pub fn left(self) -> Mask {
        self.0 & HeadState::TARGETS
    }

    /// Sets them.
    pub fn leave(&mut self, targets: Mask) {
        self.0 = self.0 & !HeadState::TARGETS | targets;
    }

    /// What a filter says, which is asked once.
    pub fn filtered(&mut self, ask: impl FnOnce() -> bool) -> bool {
        if self.0 & HeadState::ASKED == 0 {
            self.0 |= HeadState::ASKED | if ask() { HeadState::PASSES } else { 0 };
        }
        self.0 & HeadState::PASSES != 0
    }
}

/// Wavelets on a ramp, each with the cycle in which it arrives; most ramps take two cycles.
pub type RampQueue = Ring<(u64, Flit), 2>;

/// One color at one router. The fields are in this order because what a hop looks at is to lie in few
/// lines of the cache: the first one has what every hop needs, the second what the PE sends, the third
/// what it gets, the last one where wavelets go on to, and what is rarely looked at.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Lane {
    /// The PE.
    pub pe: u32,
    /// The express channel that it is part of, or `NO_CHANNEL`.
    pub channel: u32,
    /// The color.
    pub color: Color,
    /// Inputs that hold something.
    pub filled: Mask,
    /// What the position lets through.
    pub gate: Gate,
    /// Suspended until the program leaves teardown.
    pub teardown: bool,
    /// Its buffers move the switch.
    pub inject: Option<Inject>,
    /// A send was refused since room was last made.
    pub refused: bool,
    /// The input that was served last.
    pub last_input: u8,
    /// The oldest wavelet of each input.
    pub heads: [HeadState; 5],
    /// The switch position.
    pub position: u8,
    /// What the PE sends arrives here and nowhere else, and nothing moves because of it but itself.
    pub sends_plainly: bool,
    /// Where wavelets land that leave on the only side that the gate leads to, once it was looked up.
    pub course: Way,
    /// The buffer of a link from a neighbour. Nearly all lanes use one at most.
    link: Buffer,
    /// From the PE, with the cycle of arrival.
    pub onramp: RampQueue,
    /// Wavelets that the PE has sent.
    pub sent: u64,
    /// The cycle from which on a express channel may begin here.
    pub try_at: u64,
    /// To the PE, with the cycle of arrival.
    pub offramp: RampQueue,
    /// Wavelets that the PE has been given.
    pub received: u64,
    /// The filter.
    pub filter: Option<Box<FilterState>>,
    /// Where wavelets arrive that leave on each side; for the ramp, those that the PE sends.
    pub ways: [Way; 5],
    /// Its place on the express channel.
    pub spot: u32,
    /// Its configuration.
    pub route: RouteId,
    /// The buffers of the other links.
    other_links: Option<Box<[Buffer; 4]>>,
    /// How long no express channel could begin after the last one.
    pub pause: u64,
}

impl Lane {
    /// An empty lane.
    pub fn new(pe: u32, color: Color, id: RouteId, route: &Route) -> Lane {
        Lane {
            pe,
            channel: NO_CHANNEL,
            color,
            filled: 0,
            gate: route.gate(route.start),
            teardown: route.teardown,
            inject: route.inject,
            refused: false,
            last_input: 0,
            heads: Default::default(),
            position: route.start,
            sends_plainly: false,
            course: Way::UNKNOWN,
            link: Buffer::EMPTY,
            onramp: RampQueue::default(),
            sent: 0,
            try_at: 0,
            offramp: RampQueue::default(),
            received: 0,
            filter: route.filter.as_ref().map(|f| Box::new(FilterState::new(f))),
            ways: [Way::UNKNOWN; 5],
            spot: 0,
            route: id,
            other_links: None,
            pause: 0,
        }
    }

    /// The buffer of the link from one side.
    #[inline]
    pub fn link(&self, side: Direction) -> &Buffer {
        if self.link.side == Some(side) {
            return &self.link;
        }
        self.other_links.as_ref().map_or(&Buffer::EMPTY, |all| &all[side as usize])
    }

    /// The same, to change.
    #[inline]
    pub fn link_mut(&mut self, side: Direction) -> &mut Buffer {
        if *self.link.side.get_or_insert(side) == side {
            return &mut self.link;
        }
        &mut self.other_links.get_or_insert_default()[side as usize]
    }

    /// The oldest wavelet of an input that has arrived by now.
    #[inline]
    pub fn head(&self, input: Direction, now: u64) -> Option<&Flit> {
        match input {
            Direction::Ramp => self.onramp.front().filter(|(ready, _)| *ready <= now).map(|(_, f)| f),
            side => self.link(side).front(),
        }
    }

    /// Wavelets in an input.
    #[inline]
    pub fn waiting(&self, input: Direction) -> usize {
        match input {
            Direction::Ramp => self.onramp.len(),
            side => self.link(side).len(),
        }
    }

    /// Adds a wavelet that has crossed the link from one side.
    #[inline]
    pub fn push(&mut self, side: Direction, flit: Flit) {
        self.link_mut(side).push(flit);
        self.filled |= 1 << side as u8;
    }

    /// Drops the oldest wavelet of an input.
    #[inline]
    pub fn pop(&mut self, input: Direction) {
        match input {
            Direction::Ramp => drop(self.onramp.pop_front()),
            side => self.link_mut(side).pop(),
        }
        self.heads[input as usize] = HeadState::UNTOUCHED;
        if self.waiting(input) == 0 {
            self.filled &= !(1 << input as u8);
        }
    }

    /// Lets the buffers of an injecting color set the switch: low priority sends what the PE has
    /// while the fabric brings nothing, high priority as long as the PE has something.
    pub fn choose_side(&mut self, now: u64, route: &Route) {
        let Some(inject) = self.inject else { return };
        let from_pe = match inject {
            Inject::Low => self.filled & route.gate(0).rx == 0,
            Inject::High => self.head(Direction::Ramp, now).is_some(),
        };
        self.turn_to(from_pe.into(), route);
    }

    /// Sets the switch.
    pub fn turn_to(&mut self, position: u8, route: &Route) {
        self.position = position;
        self.gate = route.gate(position);
        self.course = Way::UNKNOWN;
    }

    /// Where wavelets land has to be looked up again.
    pub fn forget_ways(&mut self) {
        (self.ways, self.course, self.sends_plainly) = ([Way::UNKNOWN; 5], Way::UNKNOWN, false);
    }
}
