//! The picture as SVG: the array, numbered in the order of visits, with a path from first to last.

use super::grid::ArrayGrid;
use super::{View, ViewedDsd};
use std::fmt::Write;

/// Side of a cell, in units of the picture.
const CELL: usize = 44;
/// Room for labels.
const EDGE: usize = 64;

/// Width of a station of a stream, and the room to the next.
const STATION: usize = 210;
const ARROW: usize = 40;

/// A whole SVG document; what cannot be drawn is a title alone.
pub fn svg(view: &View<'_>) -> String {
    let grid = view.grid();
    let stations = match &view.elements {
        ViewedDsd::Stream(stream) if view.descriptor.open.is_empty() => stream.stations.as_slice(),
        ViewedDsd::Stream(_) | ViewedDsd::Memory(_) => &[],
    };
    let (columns, rows) = grid.map_or((8, 0), |g| (g.columns.max(8), g.labels.len()));
    let (width, height) = match stations.len() {
        0 => (EDGE + columns * CELL + 20, EDGE + rows * CELL + 20),
        n => (20 + n * (STATION + ARROW), EDGE + CELL + 20),
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" \
         font-size=\"14\">\n"
    );
    let _ = writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>");
    let _ = writeln!(out, "<text x=\"10\" y=\"20\">{}</text>", escaped(&view.title()));
    if let Some(grid) = grid {
        push_cells(&mut out, grid);
        push_path(&mut out, grid);
        push_numbers(&mut out, grid);
    }
    push_stations(&mut out, stations);
    out.push_str("</svg>\n");
    out
}

/// Boxes with arrows between them.
fn push_stations(out: &mut String, stations: &[String]) {
    for (i, station) in stations.iter().enumerate() {
        let (x, y) = (20 + i * (STATION + ARROW), EDGE - CELL / 2);
        let (middle, line) = (y + CELL / 2, x + STATION);
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{STATION}\" height=\"{CELL}\" rx=\"6\" fill=\"#cfe8ff\" \
             stroke=\"#999\"/>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x + STATION / 2,
            middle + 5,
            escaped(station)
        );
        if i + 1 < stations.len() {
            let tip = line + ARROW - 6;
            let _ = writeln!(
                out,
                "<path d=\"M {} {middle} H {tip} m -8 -5 l 8 5 l -8 5\" fill=\"none\" stroke=\"#e07a00\" \
                 stroke-width=\"2\"/>",
                line + 6
            );
        }
    }
}

fn push_cells(out: &mut String, grid: &ArrayGrid) {
    for column in 0..grid.columns {
        let x = EDGE + column * CELL + CELL / 2;
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"gray\">{column}</text>",
            EDGE - 8
        );
    }
    for (row, label) in grid.labels.iter().enumerate() {
        let y = EDGE + row * CELL + CELL / 2 + 5;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\" fill=\"gray\">{label}</text>",
            EDGE - 8
        );
    }
    for (i, visits) in grid.visits.iter().enumerate() {
        let (x, y) = (EDGE + i % grid.columns * CELL, EDGE + i / grid.columns * CELL);
        let fill = if visits.is_empty() { "white" } else { "#cfe8ff" };
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" stroke=\"#999\"/>"
        );
    }
}

/// A line through the middles of the elements in the order of visits.
fn push_path(out: &mut String, grid: &ArrayGrid) {
    let mut order: Vec<(usize, usize)> =
        grid.visits.iter().enumerate().flat_map(|(i, v)| v.iter().map(move |n| (*n, i))).collect();
    order.sort_unstable();
    let middle = |i: usize| {
        let (x, y) = (i % grid.columns * CELL, i / grid.columns * CELL);
        format!("{},{}", EDGE + x + CELL / 2, EDGE + y + CELL / 2)
    };
    let points: Vec<String> = order.iter().map(|(_, i)| middle(*i)).collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#e07a00\" stroke-width=\"2\" opacity=\"0.6\"/>",
        points.join(" ")
    );
}

fn push_numbers(out: &mut String, grid: &ArrayGrid) {
    for (i, cell) in grid.cells().iter().enumerate().filter(|(i, _)| !grid.visits[*i].is_empty()) {
        let (x, y) =
            (EDGE + i % grid.columns * CELL + CELL / 2, EDGE + i / grid.columns * CELL + CELL / 2 + 5);
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{cell}</text>");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
