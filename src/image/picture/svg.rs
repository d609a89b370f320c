//! The picture as SVG: the array, numbered in the order of visits, with a path from first to last.

use super::View;
use super::grid::Grid;
use std::fmt::Write;

/// Side of a cell, in units of the picture.
const CELL: usize = 44;
/// Room for labels.
const EDGE: usize = 64;

/// A whole SVG document; without an array to draw it holds the title alone.
pub fn svg(view: &View<'_>) -> String {
    let grid = view.memory.as_ref().and_then(|m| m.grid.as_ref());
    let (columns, rows) = grid.map_or((8, 0), |g| (g.columns.max(8), g.labels.len()));
    let (width, height) = (EDGE + columns * CELL + 20, EDGE + rows * CELL + 20);
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
    out.push_str("</svg>\n");
    out
}

fn push_cells(out: &mut String, grid: &Grid) {
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
fn push_path(out: &mut String, grid: &Grid) {
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

fn push_numbers(out: &mut String, grid: &Grid) {
    for (i, cell) in grid.cells().iter().enumerate().filter(|(i, _)| !grid.visits[*i].is_empty()) {
        let (x, y) =
            (EDGE + i % grid.columns * CELL + CELL / 2, EDGE + i / grid.columns * CELL + CELL / 2 + 5);
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{cell}</text>");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
