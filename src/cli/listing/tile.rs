//! One tile program: where it runs, its memory, registers, tasks and code.

use super::describe::{config, dsd, priority};
use super::{places, push_table, table};
use crate::Program;
use crate::diagnostics::counted;
use crate::diagnostics::render::grouped;
use crate::image::{QueueBinding, TaskBinding, TaskKind, TileImage};
use comfy_table::Table;
use std::fmt::Display;

/// Appends everything about tile `number` on its `pes`; parts that are empty are left out.
pub fn push(out: &mut String, program: &Program, number: usize, pes: &[usize]) {
    let tile = &program.tiles[number];
    *out += &format!("\ntile {number}: {}\n", tile.file);
    if !tile.params.is_empty() {
        *out += &format!(" params: {}\n", tile.params);
    }
    *out += &format!(" on {}: {}\n", counted(pes.len() as u64, "PE"), places(pes, program.width));
    *out += &memory_line(program, tile);
    let operations: usize = tile.functions.iter().map(|f| f.code.len()).sum();
    *out += &format!(
        " code: {}, {}\n",
        counted(tile.functions.len() as u64, "function"),
        counted(operations as u64, "operation")
    );
    let parts = [
        ("memory map", memory(tile)),
        ("vectors", vectors(tile)),
        ("registers", registers(program, tile)),
        ("registers of each operation", operands(program, tile)),
        ("fifos", fifos(tile)),
        ("tasks", tasks(tile)),
        ("queues", queues(tile)),
        ("local routes", local_routes(tile)),
        ("functions", functions(tile)),
    ];
    for (title, table) in parts {
        if table.row_count() > 0 {
            push_table(out, &format!("tile {number}: {title}"), table);
        }
    }
}

fn memory_line(program: &Program, tile: &TileImage) -> String {
    let all = program.arch.numbers().memory_words;
    let used = u32::from(tile.data_end);
    let percent = f64::from(used) * 100.0 / f64::from(all);
    let (used, all) = (grouped(used.into()), grouped(all.into()));
    format!(" memory: {used} of {all} words for globals ({percent:.1} %)\n")
}

fn memory(tile: &TileImage) -> Table {
    let mut table = table(&["address", "words", "name", "type"], &[1]);
    for s in &tile.symbols {
        let ty = if s.mutable { s.ty.clone() } else { format!("const {}", s.ty) };
        table.add_row([format!("{:#06x}", s.addr), grouped(s.words.into()), s.name.clone(), ty]);
    }
    table
}

fn vectors(tile: &TileImage) -> Table {
    let mut table = table(&["dsd", "what"], &[0]);
    for (i, d) in tile.dsds.iter().enumerate() {
        table.add_row([i.to_string(), dsd(d)]);
    }
    table
}

fn registers(program: &Program, tile: &TileImage) -> Table {
    let mut table = table(&["register", "holds", "chosen by", "at"], &[]);
    for r in &tile.registers {
        let at = program.sources.describe(r.span);
        table.add_row([&r.register, &*r.holds, &r.chosen_by, &at]);
    }
    table
}

fn operands(program: &Program, tile: &TileImage) -> Table {
    let mut table = table(&["at", "operation", "operand", "registers", "why"], &[]);
    for o in &tile.operands {
        let at = program.sources.describe(o.span);
        table.add_row([&at, &format!("@{}", o.operation), &o.operand, &o.registers, &*o.why]);
    }
    table
}

fn fifos(tile: &TileImage) -> Table {
    let mut table = table(&["fifo", "name", "buffer", "elements", "dsr", "xdsr", "tasks"], &[0, 3, 4, 5]);
    for (i, f) in tile.fifos.iter().enumerate() {
        let push = f.activate_push.map(|t| format!("push activates {t}"));
        let pop = f.activate_pop.map(|t| format!("pop activates {t}"));
        table.add_row([
            i.to_string(),
            f.name.clone(),
            format!("{:#06x}", f.base),
            format!("{} x {} bits", grouped(f.capacity.into()), u16::from(f.element_words) * 16),
            f.registers.dsr.to_string(),
            f.registers.xdsr.to_string(),
            push.into_iter().chain(pop).collect::<Vec<_>>().join(", "),
        ]);
    }
    table
}

fn tasks(tile: &TileImage) -> Table {
    let mut table = table(&["id", "task", "runs on", "at the start"], &[0]);
    for t in &tile.tasks {
        let params: Vec<_> = t.params.iter().map(|s| s.name()).collect();
        let name = format!("{}({})", t.name, params.join(", "));
        table.add_row([t.id.to_string(), name, trigger(t), state(tile, t.id.0)]);
    }
    table
}

fn trigger(task: &TaskBinding) -> String {
    match task.kind {
        TaskKind::Local => "activation",
        TaskKind::Data => "data",
        TaskKind::Control => "control wavelet",
    }
    .to_string()
}

fn state(tile: &TileImage, id: u8) -> String {
    let is_set = |bits: u64| bits >> id & 1 == 1;
    match (is_set(tile.active), is_set(tile.blocked)) {
        (true, true) => "active, blocked",
        (true, false) => "active",
        (false, true) => "blocked",
        (false, false) => "",
    }
    .to_string()
}

fn queues(tile: &TileImage) -> Table {
    let mut table = table(&["queue", "color", "priority", "bound by"], &[1]);
    for q in &tile.input_queues {
        table.add_row(queue(format!("input {}", q.queue), q));
    }
    for q in &tile.output_queues {
        table.add_row(queue(format!("output {}", q.queue), q));
    }
    table
}

fn queue<Q: Display>(name: String, q: &QueueBinding<Q>) -> [String; 4] {
    let bound_by = if q.explicit { "@initialize_queue" } else { "a DSD" };
    [name, q.color.to_string(), priority(q.priority).to_string(), bound_by.to_string()]
}

fn local_routes(tile: &TileImage) -> Table {
    let mut table = table(&["color", "route"], &[0]);
    for (color, c, _) in &tile.local_routes {
        table.add_row([color.to_string(), config(c)]);
    }
    table
}

fn functions(tile: &TileImage) -> Table {
    let mut table = table(&["function", "operations", "registers", "frame words"], &[1, 2, 3]);
    for f in &tile.functions {
        table.add_row([
            f.name.clone(),
            grouped(f.code.len() as u64),
            f.registers.to_string(),
            grouped(f.frame_words.into()),
        ]);
    }
    table
}
