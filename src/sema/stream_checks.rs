//! What is wrong with the streams to and from the host.

use super::layout::Placed;
use super::streams::Streams;
use super::value::Value;
use super::walk::Sema;
use crate::arch::{Color, MEMCPY_COLORS};
use crate::diagnostics::rules::{check as check_rules, layout as rules};
use crate::diagnostics::{Diag, Result};
use crate::image::{MemcpyColors, TileImage};
use crate::source::Span;
use std::fmt::Display;
use std::sync::Arc;

/// Keeps what `<memcpy/get_params>` was given.
///
/// # Errors
/// A color is reserved, or another import was given other colors.
pub fn found(sema: &mut Sema<'_>, colors: MemcpyColors, params: Value, at: Span) -> Result<()> {
    if sema.layout.streams().is_some_and(|old| old.colors != colors) {
        return Err(rules::MEMCPY_TWICE.plain().at(at));
    }
    let import = sema.instance(sema.frame().instance).imported_at;
    let streams = Streams { colors, params, at: import.unwrap_or(at) };
    check_colors(sema, &streams)?;
    sema.layout.set_streams(streams);
    Ok(())
}

/// Adds the colors that tiles give `<memcpy/memcpy>`: programs for SDK 0.9 and before give `<memcpy/get_params>` none, or
/// do not import it.
///
/// # Errors
/// A color is reserved, or two tiles give a stream different colors.
pub fn add_those_of_tiles(sema: &mut Sema<'_>, placed: &mut Placed, tiles: &[Arc<TileImage>]) -> Result<()> {
    if placed.streams.is_none() && tiles.iter().any(|tile| tile.has_old_tasks && tile.has_memcpy) {
        let (.., rectangle) = placed.rectangle;
        let colors = MemcpyColors::default();
        placed.streams = Some(Streams { colors, params: Value::Void, at: rectangle });
    }
    let Some(streams) = &mut placed.streams else { return Ok(()) };
    let known = streams.colors.clone();
    if !tiles.iter().all(|tile| streams.colors.add(&tile.streams)) {
        return Err(rules::MEMCPY_TWICE.plain().at(streams.at));
    }
    if streams.colors == known { Ok(()) } else { check_colors(sema, streams) }
}

/// The colors of the library are not free for streams, and each stream has its own.
fn check_colors(sema: &mut Sema<'_>, streams: &Streams) -> Result<()> {
    let mut seen: Vec<(String, Color)> = Vec::new();
    for (name, color) in streams.named() {
        if MEMCPY_COLORS.contains(&color.0) {
            let diag = check_rules::MEMCPY_COLOR.because(&[("color", &color)]).at(streams.at);
            sema.lint(diag.help(format!("give `.{name}` a color from 0 to 20")))?;
        }
        if let Some((other, _)) = seen.iter().find(|(_, taken)| *taken == color) {
            let facts: [(&str, &dyn Display); 3] = [("color", &color), ("one", other), ("other", &name)];
            sema.lint(rules::STREAM_COLOR_TWICE.because(&facts).at(streams.at))?;
        }
        seen.push((name, color));
    }
    Ok(())
}

/// What is wrong with the streams of a layout that has ended: the size that they were given, and routes on their colors.
pub fn misused(placed: &Placed) -> Vec<Diag> {
    let Some(streams) = &placed.streams else { return Vec::new() };
    let (width, height, rectangle) = placed.rectangle;
    let is = |name, size: u16| {
        let given = streams.params.field(name).and_then(Value::to::<i128>);
        given.is_none_or(|given| given == size.into())
    };
    let wrong_size = (!is("width", width) || !is("height", height)).then(|| {
        let size = |name| streams.params.field(name).map(ToString::to_string).unwrap_or_default();
        let have = format!("{} x {}", size("width"), size("height"));
        let facts: [(&str, &dyn Display); 2] = [("have", &have), ("want", &format!("{width} x {height}"))];
        let diag = rules::MEMCPY_SIZE.because(&facts).at(streams.at);
        diag.also(rectangle, format!("the rectangle has {width} x {height} PEs"))
            .help(format!("write `.width = {width}, .height = {height}`"))
    });
    let routed = streams.named().filter_map(|(name, color)| {
        let declared = placed.routes.declared();
        let routes = (0..placed.routes.rows() as u32).flat_map(|row| placed.routes.row_at(row));
        let mut of_color = routes.filter(|(routed, _)| *routed == color);
        let route = of_color.find_map(|(_, id)| declared[*id as usize].span)?;
        let facts: [(&str, &dyn Display); 2] = [("color", &color), ("stream", &name)];
        let diag = rules::STREAM_COLOR_ROUTE.because(&facts).at(route);
        Some(diag.also(streams.at, format!("`.{name}` is given here")))
    });
    wrong_size.into_iter().chain(routed).collect()
}
