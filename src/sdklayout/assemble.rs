//! Assembles the program of a layout: tiles, parameters, initial data and host streams.

use super::describe::{Layout, LayoutRegion, LayoutStream, Setting, StreamEnd};
use super::plan::Plan;
use super::{Compiled, Error, symbols};
use crate::arch::{Color, PeCoord};
use crate::diagnostics::Sink;
use crate::image::{CodeRegion, HostStream, NO_TILE, SdkLayoutData};
use crate::sema::{
    CompileOptions, CompiledRegions, ParamValue, Placement, RegionCode, RegionSource, compile_regions,
};
use crate::source::{Loader, SourceMap};
use indexmap::{IndexMap, IndexSet};

/// Compiles the code of the regions and assembles the program.
pub fn compile(
    layout: &Layout,
    plan: Plan,
    loader: &dyn Loader,
    sources: &mut SourceMap,
    options: &CompileOptions,
    sink: &mut Sink,
) -> Result<Compiled, Error> {
    let Plan { size, colors, routes, hosts, relays, mut warnings } = plan;
    let mut place = vec![NO_TILE; usize::from(size.0) * usize::from(size.1)];
    let mut codes = Vec::new();
    let mut first = 0;
    let index = |at: PeCoord| usize::from(at.y) * usize::from(size.0) + usize::from(at.x);
    for region in &layout.regions {
        let (tiles, of) = tiles(region, &colors);
        region.area.pes().zip(of).for_each(|(at, tile)| place[index(at)] = first + tile);
        first += tiles.len() as u32;
        let source = RegionSource::File(region.source.clone());
        codes.push(RegionCode { source, size: (region.area.w, region.area.h), tiles });
    }
    if !relays.is_empty() {
        codes.push(relay_code(&relays, |at, tile| place[index(at)] = first + tile));
    }
    let placement = Placement { size, place, routes };
    let compiled = compile_regions(loader, sources, &codes, placement, options, sink).ok_or(Error::Code)?;
    let CompiledRegions { mut program, with_layout } = compiled;
    if program.memcpy.is_some() || program.tiles.iter().any(|tile| tile.has_memcpy) {
        let text = "the code of a region imports <memcpy>, which a layout block sets up; use streams instead";
        return Err(Error::Layout(text.to_string()));
    }
    for file in with_layout {
        warnings.push(format!("the layout block of {file} has no effect in a code region"));
    }
    let initial = symbols::initial(layout, &program, &mut warnings).map_err(Error::Layout)?;
    program.sdk_layout =
        Some(SdkLayoutData { regions: regions(layout), streams: streams(layout, &hosts, &colors), initial });
    Ok(Compiled { program, colors, warnings })
}

/// The parameters of each tile of a region, and the tile of each PE, row by row.
fn tiles(region: &LayoutRegion, colors: &[u8]) -> (Vec<Vec<(String, ParamValue)>>, Vec<u32>) {
    let (w, h) = (usize::from(region.area.w), usize::from(region.area.h));
    let names: IndexSet<&str> = region.params.iter().map(|p| p.name.as_str()).collect();
    let mut given: Vec<Vec<Option<ParamValue>>> = vec![vec![None; names.len()]; w * h];
    for param in &region.params {
        let name = names.get_index_of(param.name.as_str()).expect("it is among them");
        let value = match param.value {
            Setting::Int(n) => ParamValue::Int(n),
            Setting::Color(color) => ParamValue::Color(colors[color]),
        };
        for at in param.area.pes() {
            given[usize::from(at.y) * w + usize::from(at.x)][name] = Some(value.clone());
        }
    }
    let mut tiles: Vec<Vec<(String, ParamValue)>> = Vec::new();
    let mut known: IndexMap<String, u32> = IndexMap::new();
    let of = given.into_iter().map(|values| {
        let set = names.iter().zip(values).filter_map(|(name, value)| Some((name.to_string(), value?)));
        let set: Vec<(String, ParamValue)> = set.collect();
        *known.entry(format!("{set:?}")).or_insert_with(|| {
            tiles.push(set);
            tiles.len() as u32 - 1
        })
    });
    let of = of.collect();
    (tiles, of)
}

fn relay_code(relays: &[(PeCoord, u8, u8)], mut put: impl FnMut(PeCoord, u32)) -> RegionCode {
    let mut pairs = IndexSet::new();
    for (at, takes, sends) in relays {
        let (tile, _) = pairs.insert_full((*takes, *sends));
        put(*at, tile as u32);
    }
    let tile = |(takes, sends): (u8, u8)| {
        vec![("rx".to_string(), ParamValue::Color(takes)), ("tx".to_string(), ParamValue::Color(sends))]
    };
    RegionCode {
        source: RegionSource::Own("<sdklayout/relay>", include_str!("relay.csl")),
        size: (1, 1),
        tiles: pairs.into_iter().map(tile).collect(),
    }
}

fn regions(layout: &Layout) -> Vec<CodeRegion> {
    let region = |r: &LayoutRegion| CodeRegion {
        name: r.name.clone(),
        at: PeCoord { x: r.area.x, y: r.area.y },
        width: r.area.w,
        height: r.area.h,
    };
    layout.regions.iter().map(region).collect()
}

fn streams(layout: &Layout, hosts: &[PeCoord], colors: &[u8]) -> Vec<HostStream> {
    let color = |stream: &LayoutStream| match stream.end {
        StreamEnd::Port(port) => layout.regions[port.region].ports[port.port].color,
        StreamEnd::At(_, color) => color,
    };
    let stream = |(stream, pe): (&LayoutStream, &PeCoord)| HostStream {
        name: stream.name.clone(),
        to_wafer: stream.input,
        pe: *pe,
        color: Color(colors[color(stream)]),
        buffer: stream.buffer,
    };
    layout.streams.iter().zip(hosts).map(stream).collect()
}
