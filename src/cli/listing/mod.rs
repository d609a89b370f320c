//! The listing of a program that `cslrun dump` prints: tiles, memory map, registers, routes.
//!
//! In: a `Program`. Out: text, the same for equal programs. Never: runs anything, or prints.

mod about;
pub(super) mod describe;
mod places;
mod tile;

pub use about::{bound, color, memory, registers_of_operations};

use crate::diagnostics::counted;
use crate::image::{ColorConfig, NO_TILE};
use crate::{ExportKind, Program};
use comfy_table::{Cell, CellAlignment, Table, presets::NOTHING};
use describe::config;
use indexmap::IndexSet;
use places::places;
use std::collections::BTreeMap;

/// The whole program as people read it. Equal programs give equal text.
pub fn text(program: &Program) -> String {
    let mut out = head(program);
    if !program.exports.is_empty() {
        push_table(&mut out, "exports", exports(program));
    }
    for (number, pes) in homes(program).iter().enumerate() {
        tile::push(&mut out, program, number, pes);
    }
    if let Some(table) = routes(program) {
        push_table(&mut out, "routes", table);
    }
    out
}

/// The routes alone.
pub fn routes_text(program: &Program) -> String {
    let mut out = String::new();
    match routes(program) {
        Some(table) => push_table(&mut out, "routes", table),
        None => out += "\nthe program has no routes\n",
    }
    out.trim_start().to_string()
}

fn head(program: &Program) -> String {
    let f = program.fabric;
    let mut out = format!(
        "program for {}: {} x {} PEs at ({}, {}) of a {} x {} fabric, {}\n",
        program.arch,
        program.width,
        program.height,
        f.x,
        f.y,
        f.width,
        f.height,
        counted(program.tiles.len() as u64, "tile program"),
    );
    if let Some(colors) = &program.memcpy {
        let streams = [("MEMCPYH2D", &colors.h2d), ("MEMCPYD2H", &colors.d2h)];
        let named = streams.iter().flat_map(|(name, colors)| {
            let given = colors.iter().enumerate().filter_map(|(i, c)| c.map(|c| (i, c)));
            given.map(move |(i, c)| format!(", {name}_{} is color {c}", i + 1))
        });
        out += &format!("connected to the host{}\n", named.collect::<String>());
    }
    out
}

/// The PEs of each tile program.
fn homes(program: &Program) -> Vec<Vec<usize>> {
    let mut homes = vec![Vec::new(); program.tiles.len()];
    for (pe, tile) in program.place.iter().enumerate() {
        if *tile != NO_TILE {
            homes[*tile as usize].push(pe);
        }
    }
    homes
}

fn exports(program: &Program) -> Table {
    let mut table = table(&["id", "name", "what"], &[0]);
    for (i, export) in program.exports.iter().enumerate() {
        let what = match &export.kind {
            ExportKind::Var { ty, mutable: true, .. } => ty.clone(),
            ExportKind::Var { ty, mutable: false, .. } => format!("{ty}, read only"),
            ExportKind::Fn { inputs } => {
                let inputs: Vec<_> = inputs.iter().map(|s| s.name()).collect();
                format!("fn({}) void", inputs.join(", "))
            }
        };
        table.add_row([(i + 1).to_string(), export.name.clone(), what]);
    }
    table
}

/// One row per color and configuration, with the PEs that have it.
fn routes(program: &Program) -> Option<Table> {
    let mut table = table(&["color", "route", "PEs"], &[0]);
    for (color, route, pes) in routes_of(program) {
        table.add_row([color.to_string(), config(route), places(&pes, program.width)]);
    }
    (table.row_count() > 0).then_some(table)
}

/// Each color and configuration, with the PEs that have it.
fn routes_of(program: &Program) -> Vec<(u8, &ColorConfig, Vec<usize>)> {
    let mut distinct: IndexSet<&ColorConfig> = IndexSet::new();
    let declared = program.routes.declared().iter();
    let config_of: Vec<usize> = declared.map(|d| distinct.insert_full(&d.config).0).collect();
    let mut groups: BTreeMap<(u8, usize), Vec<usize>> = BTreeMap::new();
    for pe in 0..program.place.len() {
        for (color, id) in program.routes.row(pe) {
            groups.entry((color.0, config_of[*id as usize])).or_default().push(pe);
        }
    }
    groups.into_iter().map(|((color, id), pes)| (color, distinct[id], pes)).collect()
}

/// An empty table; the columns in `numbers` are aligned to the right.
fn table(header: &[&str], numbers: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(header.iter().map(Cell::new));
    for column in numbers {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn push_table(out: &mut String, title: &str, table: Table) {
    *out += &format!("\n{title}\n");
    for line in table.lines() {
        *out += &format!(" {}\n", line.trim_end());
    }
}

#[cfg(test)]
mod tests;
