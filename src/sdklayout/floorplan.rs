//! The wafer with its regions, and the settings of colors on each PE.

use super::describe::{Layout, LayoutRegion, Port, PortRef, RoutingPosition, Setting};
use super::grid::{PeNumber, WaferSize};
use crate::arch::PeCoord;
use crate::image::routes::Directions;
use rustc_hash::{FxHashMap, FxHashSet};

/// The route of a color on a PE: position 0, then the switch positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The positions that the program has set.
    pub positions: Vec<RoutingPosition>,
    /// The port that has set it; the side on which wavelets enter or leave the region is still open.
    pub port: Option<PortRef>,
}

impl Draft {
    /// All sides from which any position receives.
    pub fn inputs(&self) -> Directions {
        self.positions.iter().flat_map(|p| p.inputs.iter()).collect()
    }

    /// All sides that any position sends to.
    pub fn outputs(&self) -> Directions {
        self.positions.iter().flat_map(|p| p.outputs.iter()).collect()
    }
}

/// The wafer with its regions.
pub struct Floorplan {
    /// Its size.
    pub grid: WaferSize,
    /// The region of each PE.
    owners: FxHashMap<PeNumber, u32>,
    /// The draft route of each color on each PE.
    pub drafts: FxHashMap<(PeNumber, u32), Draft>,
    /// PEs whose code gets a color as a parameter.
    pub color_params: FxHashSet<(PeNumber, u32)>,
}

impl Floorplan {
    /// Places the regions on the wafer, and paints them.
    pub fn new(layout: &Layout) -> Result<Floorplan, String> {
        let grid = WaferSize { width: layout.wafer.0, height: layout.wafer.1 };
        let (owners, drafts, color_params) = Default::default();
        let mut floorplan = Floorplan { grid, owners, drafts, color_params };
        for n in 0..layout.regions.len() {
            floorplan.settle(layout, n)?;
        }
        for (n, region) in layout.regions.iter().enumerate() {
            floorplan.paint(region);
            for port in 0..region.ports.len() {
                floorplan.open(layout, PortRef { region: n, port })?;
            }
        }
        Ok(floorplan)
    }

    /// The region of a PE.
    pub fn owner(&self, pe: PeNumber) -> Option<usize> {
        self.owners.get(&pe).map(|n| *n as usize)
    }

    /// The PEs of a port, from west to east or from north to south.
    pub fn pes_of(&self, layout: &Layout, port: PortRef) -> Vec<PeNumber> {
        let region = &layout.regions[port.region];
        let area = region.area.inner(region.ports[port.port].edge.of(region.area.w, region.area.h));
        area.pes().map(|at| self.grid.pe(at)).collect()
    }

    fn settle(&mut self, layout: &Layout, n: usize) -> Result<(), String> {
        let region = &layout.regions[n];
        let area = region.area;
        let ends = |from: u16, count: u16, end: u16| u32::from(from) + u32::from(count) <= u32::from(end);
        if !ends(area.x, area.w, self.grid.width) || !ends(area.y, area.h, self.grid.height) {
            return Err(format!(
                "code region '{}' has {} x {} PEs at ({}, {}) and does not fit on the wafer, which has {} x {} \
                 PEs; place it elsewhere or make it smaller",
                region.name, area.w, area.h, area.x, area.y, self.grid.width, self.grid.height
            ));
        }
        for at in area.pes() {
            if let Some(other) = self.owners.insert(self.grid.pe(at), n as u32) {
                return Err(overlap(&layout.regions[other as usize], region, at));
            }
        }
        Ok(())
    }

    fn paint(&mut self, region: &LayoutRegion) {
        for paint in &region.paints {
            for at in region.area.inner(paint.area).pes() {
                let draft = Draft { positions: paint.positions.clone(), port: None };
                self.drafts.insert((self.grid.pe(at), paint.color as u32), draft);
            }
        }
        for param in &region.params {
            let Setting::Color(color) = param.value else { continue };
            let pes = region.area.inner(param.area).pes();
            self.color_params.extend(pes.map(|at| (self.grid.pe(at), color as u32)));
        }
    }

    /// The routes of a port replace painted routes.
    fn open(&mut self, layout: &Layout, port: PortRef) -> Result<(), String> {
        let this = &layout.regions[port.region].ports[port.port];
        for pe in self.pes_of(layout, port) {
            let key = (pe, this.color as u32);
            let other = self.drafts.get(&key).and_then(|draft| draft.port);
            if let Some(other) = other.filter(|other| !agree(port_of(layout, *other), this)) {
                return Err(format!(
                    "ports '{}' and '{}' of code region '{}' set different routes for color '{}' on {}; a router \
                     has one route for a color: use another color for one of them",
                    port_of(layout, other).name,
                    this.name,
                    layout.regions[port.region].name,
                    layout.colors[this.color].name,
                    self.grid.at(pe)
                ));
            }
            self.drafts.insert(key, Draft { positions: this.positions.clone(), port: Some(port) });
        }
        Ok(())
    }
}

/// The port behind a reference.
pub fn port_of(layout: &Layout, port: PortRef) -> &Port {
    &layout.regions[port.region].ports[port.port]
}

/// A port with its region and position, for messages.
pub fn describe_port(layout: &Layout, port: PortRef) -> String {
    let region = &layout.regions[port.region];
    let Port { name, edge, input, .. } = &region.ports[port.port];
    let kind = if *input { "input" } else { "output" };
    let at = region.area.inner(edge.of(region.area.w, region.area.h));
    let pes = match (at.w, at.h) {
        (1, 1) => format!("PE({},{})", at.x, at.y),
        (w, h) => format!("PE({},{}) to PE({},{})", at.x, at.y, at.x + w - 1, at.y + h - 1),
    };
    format!("{kind} port '{name}' of code region '{}' ({pes})", region.name)
}

fn agree(one: &Port, other: &Port) -> bool {
    one.input == other.input && one.positions == other.positions
}

fn overlap(one: &LayoutRegion, other: &LayoutRegion, at: PeCoord) -> String {
    let place = |region: &LayoutRegion| {
        let by = if region.placed { "" } else { ", where regions go that place() was not called for" };
        format!(
            "'{}' ({} x {} PEs at ({}, {}){by})",
            region.name, region.area.w, region.area.h, region.area.x, region.area.y
        )
    };
    format!("code regions {} and {} overlap at {at}; place one of them elsewhere", place(one), place(other))
}
