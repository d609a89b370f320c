//! The description of a layout, as Python passes it on.

use crate::arch::{Direction, PeCoord};
use crate::image::routes::Directions;
use serde::Deserialize;
use std::path::PathBuf;

/// A layout.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Layout {
    /// Columns and rows of the wafer.
    pub(crate) wafer: (u16, u16),
    /// All colors, each name once.
    pub(crate) colors: Vec<ColorSpec>,
    /// The code regions, in the order of their creation.
    pub(crate) regions: Vec<LayoutRegion>,
    /// `connect`, in the order of the calls.
    pub(crate) connections: Vec<Connection>,
    /// Host streams, in the order of their creation.
    pub(crate) streams: Vec<LayoutStream>,
}

impl Layout {
    /// Reads a description in JSON. The memory words of `set_symbol_all` are separate from it, in the order of
    /// the calls within regions, and of the regions.
    ///
    /// # Errors
    /// A message about the part of the text that is not such a description.
    pub fn from_json(text: &str, data: Vec<Vec<u16>>) -> Result<Layout, String> {
        let mut layout: Layout = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let symbols = layout.regions.iter_mut().flat_map(|region| &mut region.symbols);
        symbols.zip(data).for_each(|(symbol, words)| symbol.words = words);
        Ok(layout)
    }
}

/// A color.
#[derive(Clone, Debug, Deserialize)]
pub struct ColorSpec {
    /// Its global name.
    pub name: String,
    /// The number that the program requests.
    pub value: Option<u8>,
}

/// A rectangle of PEs that run one file.
#[derive(Clone, Debug, Deserialize)]
pub struct LayoutRegion {
    /// Its name.
    pub name: String,
    /// The file.
    pub source: PathBuf,
    /// Its position on the wafer.
    pub area: Area,
    /// Whether the program has set that position.
    pub placed: bool,
    /// Parameters; later ones override earlier ones.
    pub params: Vec<ParamSetting>,
    /// `paint`; later calls override earlier ones.
    pub paints: Vec<Paint>,
    /// Its ports.
    pub ports: Vec<Port>,
    /// `set_symbol_all`; later calls override earlier ones.
    pub symbols: Vec<SymbolData>,
}

/// PEs of a rectangle: on the wafer, or within a region.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "[u16; 4]")]
pub struct Area {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    /// Columns.
    pub w: u16,
    /// Rows.
    pub h: u16,
}

impl From<[u16; 4]> for Area {
    fn from([x, y, w, h]: [u16; 4]) -> Area {
        Area { x, y, w, h }
    }
}

impl Area {
    /// Its PEs, row by row.
    pub fn pes(self) -> impl Iterator<Item = PeCoord> {
        (0..self.h).flat_map(move |j| (0..self.w).map(move |i| PeCoord { x: self.x + i, y: self.y + j }))
    }

    /// The area within this one, in the coordinates of the wafer.
    pub fn inner(self, local: Area) -> Area {
        Area { x: self.x + local.x, y: self.y + local.y, ..local }
    }
}

/// `set_param` on some PEs of a region.
#[derive(Clone, Debug, Deserialize)]
pub struct ParamSetting {
    /// The PEs, within the region.
    pub area: Area,
    /// The name of the parameter.
    pub name: String,
    /// Its value.
    pub value: Setting,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    /// An integer.
    Int(i128),
    /// A color, by its index in [`Layout::colors`].
    Color(usize),
}

/// `paint` on some PEs of a region.
#[derive(Clone, Debug, Deserialize)]
pub struct Paint {
    /// The PEs, within the region.
    pub area: Area,
    /// The color, by its index in [`Layout::colors`].
    pub color: usize,
    /// The initial route and the switch positions after it.
    pub positions: Vec<RoutingPosition>,
}

/// `RoutingPosition`
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
pub struct RoutingPosition {
    /// Where wavelets come from.
    #[serde(deserialize_with = "directions")]
    pub inputs: Directions,
    /// Where they go.
    #[serde(deserialize_with = "directions")]
    pub outputs: Directions,
}

fn directions<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Directions, D::Error> {
    let words: Vec<String> = Vec::deserialize(from)?;
    let of = |word: &String| Direction::ALL.into_iter().find(|d| d.name() == word);
    let all: Option<Directions> = words.iter().map(of).collect();
    all.ok_or_else(|| serde::de::Error::custom(format!("{words:?} are not all directions")))
}

/// A side of a region.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Edge {
    /// North.
    Top,
    /// South.
    Bottom,
    /// West.
    Left,
    /// East.
    Right,
}

impl Edge {
    /// The direction out of the region.
    pub fn outward(self) -> Direction {
        match self {
            Edge::Top => Direction::North,
            Edge::Bottom => Direction::South,
            Edge::Left => Direction::West,
            Edge::Right => Direction::East,
        }
    }

    /// Its PEs in a region of this size: from west to east, or from north to south.
    pub fn of(self, w: u16, h: u16) -> Area {
        match self {
            Edge::Top => Area { x: 0, y: 0, w, h: 1 },
            Edge::Bottom => Area { x: 0, y: h - 1, w, h: 1 },
            Edge::Left => Area { x: 0, y: 0, w: 1, h },
            Edge::Right => Area { x: w - 1, y: 0, w: 1, h },
        }
    }
}

/// `create_input_port` and `create_output_port`
#[derive(Clone, Debug, Deserialize)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Whether wavelets come in here.
    pub input: bool,
    /// The color, by its index in [`Layout::colors`].
    pub color: usize,
    /// The side of the region.
    pub edge: Edge,
    /// Outputs of an input port, inputs of an output port, by switch position.
    pub positions: Vec<RoutingPosition>,
}

/// A port, by the index of its region and its own index.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct PortRef {
    /// The index in [`Layout::regions`].
    pub region: usize,
    /// The index in [`LayoutRegion::ports`].
    pub port: usize,
}

/// `connect`
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Connection {
    /// The output port.
    pub from: PortRef,
    /// The input port.
    pub to: PortRef,
}

/// A host stream.
#[derive(Clone, Debug, Deserialize)]
pub struct LayoutStream {
    /// Its name.
    pub name: String,
    /// Whether the host sends.
    pub input: bool,
    /// Its end on the wafer.
    pub end: StreamEnd,
    /// The PE whose place the host takes, if the program chooses one.
    pub io_loc: Option<PeCoord>,
    /// Words that this PE can hold.
    pub buffer: u16,
}

/// The wafer end of a host stream.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StreamEnd {
    /// At a port.
    Port(PortRef),
    /// At a PE, on a color by its index in [`Layout::colors`].
    At(PeCoord, usize),
}

/// `set_symbol_all`
#[derive(Clone, Debug, Deserialize)]
pub struct SymbolData {
    /// The name of the variable.
    pub name: String,
    /// The type of numpy of its numbers; `None` if they are only bits.
    #[serde(default)]
    pub dtype: Option<String>,
    /// Memory words, as many for each PE: PE by PE, row by row.
    #[serde(skip)]
    pub words: Vec<u16>,
}
