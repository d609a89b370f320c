//! Where wavelets arrive that leave a router.

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
