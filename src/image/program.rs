//! The whole program: the tiles, which PE runs which, and what the host knows of it.

use super::routes::{ColorConfig, Directions};
use super::sdk_layout::SdkLayoutData;
use super::{ExportName, Fp16Format, Op, Origin, RouteTable, Scalar, TaskBinding, TaskKind, TileImage};
use crate::arch::{ArchName, Color, Direction, PeCoord, TEARDOWN_TASK};
use crate::source::{SourceMap, Span};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A whole compiled program.
///
/// ```
/// use cslrun::{Arch, CompileOptions, MemoryLoader, Program, compile};
///
/// let mut files = MemoryLoader::default();
/// files.add("layout.csl", "layout {\n  @set_rectangle(1, 1);\n  @set_tile_code(0, 0, \"pe.csl\", .{});\n}\n");
/// files.add("pe.csl", "export var total: u32 = 0;\n");
/// let options = CompileOptions::new(Arch::Wse2);
/// let program = compile("layout.csl".as_ref(), &files, &options).into_program()?;
///
/// assert_eq!((program.arch(), program.size()), (Arch::Wse2, (1, 1)));
/// let again = Program::from_bytes(&program.to_bytes()).expect("these bytes were just written");
/// assert_eq!(again.size(), program.size());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The machine.
    pub(crate) arch: ArchName,
    /// Columns of the program rectangle.
    pub(crate) width: u16,
    /// Rows of the program rectangle.
    pub(crate) height: u16,
    /// Width and height of the whole fabric, and the place of the rectangle in it.
    pub(crate) fabric: FabricPlace,
    /// One image per distinct (file, parameters), in order of first use. They stand apart in a file.
    #[serde(skip)]
    pub(crate) tiles: Vec<Arc<TileImage>>,
    /// The tile of each PE, row by row; `NO_TILE` where the layout sets none.
    pub(crate) place: Vec<u32>,
    /// Static routes of every PE.
    pub(crate) routes: RouteTable,
    /// What the layout advertises with `@export_name`, in order; a symbol's id is its index + 1.
    pub(crate) exports: Vec<ExportName>,
    /// Whether the program talks to the host through `<memcpy>`.
    pub(crate) memcpy: Option<MemcpyColors>,
    /// Regions, host streams and initial data, if it was laid out in Python.
    pub(crate) sdk_layout: Option<SdkLayoutData>,
    /// How it was compiled; `None` if it was laid out in Python.
    pub(crate) origin: Option<Origin>,
    /// The files, for messages at run time.
    pub(crate) sources: SourceMap,
}

/// The colors of the streaming host connections, index 0 is `.._1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemcpyColors {
    /// `MEMCPYH2D_1..4`
    pub h2d: [Option<Color>; 4],
    /// `MEMCPYD2H_1..4`
    pub d2h: [Option<Color>; 4],
}

impl MemcpyColors {
    /// Adds the streams that `other` has and it lacks; false if both give a stream a color and these differ.
    pub(crate) fn add(&mut self, other: &MemcpyColors) -> bool {
        let own = self.h2d.iter_mut().chain(&mut self.d2h);
        let mut both = own.zip(other.h2d.iter().chain(&other.d2h));
        both.all(|(own, other)| other.is_none_or(|color| *own.get_or_insert(color) == color))
    }
}

/// Where the rectangle lies in the fabric, and how the host reaches it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FabricPlace {
    /// Fabric columns.
    pub width: u16,
    /// Fabric rows.
    pub height: u16,
    /// Column of the rectangle's north-west PE.
    pub x: u16,
    /// Row of the rectangle's north-west PE.
    pub y: u16,
    /// Channels to the host; each carries a word per cycle.
    pub channels: u16,
}

/// A PE of the rectangle that has no code.
pub const NO_TILE: u32 = u32::MAX;

impl Program {
    /// What `@fp16()` names. Each region of a layout in Python has an option of its own: `f16` stands for all of them.
    pub fn fp16(&self) -> Scalar {
        match self.origin.as_ref().map_or(Fp16Format::F16, |origin| origin.fp16) {
            Fp16Format::F16 => Scalar::F16,
            Fp16Format::Bf16 => Scalar::Bf16,
            Fp16Format::Cb16 => Scalar::Cb16,
        }
    }

    /// Local tasks of the program, by their declarations, that nothing activates on any PE that has them, and nothing would with
    /// other parameters. A task that does nothing does not count: programs for both machines have such. On WSE-2 a
    /// control wavelet can name any.
    pub fn idle_tasks(&self) -> Vec<(Span, &TaskBinding)> {
        if self.arch == ArchName::Wse2 && self.tiles.iter().any(|tile| tile.sends_control()) {
            return Vec::new();
        }
        let mut found: IndexMap<Span, (&TaskBinding, bool)> = IndexMap::new();
        for tile in &self.tiles {
            let known = tile.activated();
            for task in tile.tasks.iter().filter(|t| t.kind == TaskKind::Local && t.id.0 < TEARDOWN_TASK) {
                let function = &tile.functions[task.function.0 as usize];
                let is_idle = known.is_some_and(|known| (known | tile.conditional) & 1 << task.id.0 == 0);
                let is_idle = is_idle && function.code.iter().any(|op| !matches!(op, Op::Ret));
                found.entry(function.span).or_insert((task, true)).1 &= is_idle;
            }
        }
        let is_own = |span: Span| !self.sources.file(span.file).is_library();
        let idle = found.into_iter().filter(|(span, (_, is_idle))| *is_idle && is_own(*span));
        idle.map(|(span, (task, _))| (span, task)).collect()
    }

    /// The position of a PE in row-by-row order.
    pub(crate) fn pe_index(&self, at: PeCoord) -> usize {
        usize::from(at.y) * usize::from(self.width) + usize::from(at.x)
    }

    /// The PE at a position in row-by-row order.
    pub(crate) fn pe_coord(&self, index: usize) -> PeCoord {
        let width = usize::from(self.width.max(1));
        PeCoord { x: (index % width) as u16, y: (index / width) as u16 }
    }

    /// The PE next to another one; `None` beyond the rectangle.
    pub(crate) fn neighbour(&self, index: usize, side: Direction) -> Option<usize> {
        let PeCoord { x, y } = self.pe_coord(index);
        let at = match side {
            Direction::North => PeCoord { x, y: y.checked_sub(1)? },
            Direction::South => PeCoord { x, y: y + 1 },
            Direction::East => PeCoord { x: x + 1, y },
            Direction::West => PeCoord { x: x.checked_sub(1)?, y },
            Direction::Ramp => PeCoord { x, y },
        };
        (at.x < self.width && at.y < self.height).then(|| self.pe_index(at))
    }

    /// The route of a color on a PE, as the layout or the PE itself has set it.
    pub(crate) fn route_of(&self, pe: usize, color: Color) -> Option<&ColorConfig> {
        let by_layout = self.routes.get(pe, color).map(|declared| &declared.config);
        by_layout.or_else(|| {
            let tile = self.tile_at(self.pe_coord(pe))?;
            tile.local_routes.iter().find(|(c, ..)| *c == color).map(|(_, config, _)| config)
        })
    }

    /// How a PE writes the route that accepts what comes from `side`, as far as that is known.
    pub(crate) fn route_to_give(&self, pe: usize, color: Color, side: Direction) -> String {
        let is_taken = || self.tile_at(self.pe_coord(pe)).is_some_and(|tile| tile.may_take(self.arch, color));
        match self.route_of(pe, color) {
            None if is_taken() => format!(".rx = .{{ {side} }}, .tx = .{{ RAMP }}"),
            None | Some(_) => format!(".rx = .{{ {side} }}"),
        }
    }

    /// `.rx` and `.tx` of a route the other way round, if only so it would accept what comes from `side` and lead it on.
    pub(crate) fn swapped_route(
        &self,
        pe: usize,
        color: Color,
        side: Direction,
    ) -> Option<(Directions, Directions)> {
        let ColorConfig { rx, tx, switches, .. } = self.route_of(pe, color)?;
        let leads = |to: Direction| match to {
            Direction::Ramp => {
                self.tile_at(self.pe_coord(pe)).is_some_and(|tile| tile.may_take(self.arch, color))
            }
            _ => self
                .neighbour(pe, to)
                .and_then(|next| self.route_of(next, color))
                .is_some_and(|next| next.rx.contains(to.opposite())),
        };
        let is_single = self.arch == ArchName::Wse2 || tx.iter().count() == 1;
        let would_lead = tx.contains(side) && !rx.contains(side) && rx.iter().any(leads);
        (is_single && would_lead && switches.is_none()).then_some((*tx, *rx))
    }

    /// Whether its tables cover the rectangle: what a damaged file may lack.
    pub(crate) fn is_whole(&self) -> bool {
        let pes = usize::from(self.width) * usize::from(self.height);
        self.place.len() == pes && self.routes.is_whole(pes)
    }

    /// The image of a PE, if the layout gave it code.
    pub(crate) fn tile_at(&self, at: PeCoord) -> Option<&Arc<TileImage>> {
        self.tiles.get(self.place[self.pe_index(at)] as usize)
    }
}
