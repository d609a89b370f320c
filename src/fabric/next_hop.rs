//! Where the wavelets that leave a router arrive.

/// Where a wavelet that leaves a router on one side arrives.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum NextHop {
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

/// A [`NextHop`] in four bytes: the number of a lane, or of an entry in `Grid::pairs`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PackedHop(u32);

impl PackedHop {
    /// Not yet looked up.
    pub const UNKNOWN: PackedHop = PackedHop(u32::MAX);
    const EDGE: PackedHop = PackedHop(u32::MAX - 1);
    /// Numbers from here on are entries of `Grid::pairs`.
    const PAIRS: u32 = 1 << 31;

    /// The way to a landing; two lanes are added to the pairs.
    pub fn to(landing: NextHop, pairs: &mut Vec<(u32, u32)>) -> PackedHop {
        match landing {
            NextHop::Unknown => PackedHop::UNKNOWN,
            NextHop::Edge => PackedHop::EDGE,
            NextHop::Lane(id) => PackedHop(id),
            NextHop::Both(first, second) => {
                pairs.push((first, second));
                PackedHop(PackedHop::PAIRS + pairs.len() as u32 - 1)
            }
        }
    }

    /// The way to one lane.
    #[inline]
    pub fn single(lane: u32) -> PackedHop {
        PackedHop(lane)
    }

    /// The lane to which it leads, if it is one.
    #[inline]
    pub fn lane(self) -> Option<u32> {
        (self.0 < PackedHop::PAIRS).then_some(self.0)
    }

    /// Where it leads.
    #[inline]
    pub fn landing(self, pairs: &[(u32, u32)]) -> NextHop {
        match self {
            PackedHop(id) if id < PackedHop::PAIRS => NextHop::Lane(id),
            PackedHop::UNKNOWN => NextHop::Unknown,
            PackedHop::EDGE => NextHop::Edge,
            PackedHop(pair) => {
                let (first, second) = pairs[(pair - PackedHop::PAIRS) as usize];
                NextHop::Both(first, second)
            }
        }
    }
}

impl NextHop {
    /// The lanes.
    #[inline]
    pub fn lanes(self) -> impl Iterator<Item = u32> {
        let (lanes, count) = match self {
            NextHop::Unknown | NextHop::Edge => ([0; 2], 0),
            NextHop::Lane(id) => ([id, 0], 1),
            NextHop::Both(first, second) => ([first, second], 2),
        };
        lanes.into_iter().take(count)
    }
}
