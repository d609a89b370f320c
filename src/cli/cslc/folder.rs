//! The output folder: what host scripts open, and the program for `SdkRuntime`.
//!
//! ```text
//! out/out.json               values of --params and --colors, all as strings
//! out/bin/out_rpc.json       what the layout exports
//! out/bin/out_<n>_0.elf      a marker for each distinct program; scripts only count them
//! out/bin/program.cslrun     the program
//! out/bin/out_routes.txt     the routes, with --out-routes
//! ```

use super::Invocation;
use crate::cli::{listing, output};
use crate::image::{ExportTarget, TileImage};
use crate::{ExportKind, ExportName, Program};
use serde_json::{Map, Value, json};
use std::fs;
use std::io;
use std::path::Path;

/// The file in `bin` that holds the program.
pub const PROGRAM: &str = "program.cslrun";

const MARKER: &str =
    "This file is a placeholder for a compiled tile program; cslrun keeps the code in program.cslrun.\n";

/// The file in `bin` that holds the routes, as `cslrun dump` lists them.
const ROUTES: &str = "out_routes.txt";

/// Each distinct program has a file in the folders of the vendor's compiler; here it says nothing, and to write and remove
/// one for each PE of a wafer would take minutes.
const MOST_STUBS: usize = 1000;

/// What a run leaves behind for debugging; it belongs to one program.
const SNAPSHOT: &str = "snapshot.cslrun";

/// Removes the program of an earlier compilation, and what its runs have left.
pub(super) fn forget(folder: &Path) {
    for name in [PROGRAM, SNAPSHOT, ROUTES] {
        // That there was none is the usual case, and every other problem shows up in writing.
        let _ = fs::remove_file(folder.join("bin").join(name));
    }
}

/// Writes the whole folder.
pub(super) fn write(program: &Program, invocation: &Invocation) -> io::Result<()> {
    let folder = &invocation.output;
    let bin = folder.join("bin");
    fs::create_dir_all(&bin)?;
    let settings = json!({ "params": strings(&invocation.params), "colors": strings(&invocation.colors) });
    write_json(&folder.join("out.json"), &settings)?;
    if let Some(path) = &invocation.output_json {
        let default = folder.with_extension("json");
        write_json(path.as_deref().unwrap_or(&default), &settings)?;
    }
    write_json(&bin.join("out_rpc.json"), &json!({ "rpc_symbols": rpc_symbols(program) }))?;
    for number in 0..program.distinct_programs().clamp(1, MOST_STUBS) {
        let elf = bin.join(format!("out_{number}_0.elf"));
        output::write_file(&elf, |out| out.write_all(MARKER.as_bytes()))?;
    }
    if invocation.out_routes {
        let routes = listing::routes_text(program);
        output::write_file(&bin.join(ROUTES), |out| out.write_all(routes.as_bytes()))?;
    }
    output::write_file(&bin.join(PROGRAM), |out| out.write_all(&program.to_bytes()))
}

fn write_json(path: &Path, value: &Value) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)? + "\n";
    output::write_file(path, |out| out.write_all(text.as_bytes()))
}

/// Of two values for a name the last wins.
fn strings(pairs: &[(String, String)]) -> Map<String, Value> {
    pairs.iter().map(|(name, value)| (name.clone(), Value::from(value.clone()))).collect()
}

/// One entry for each `@export_name`; ids count from 1 in their order.
fn rpc_symbols(program: &Program) -> Vec<Value> {
    program.exports().iter().enumerate().map(|(i, export)| rpc_symbol(program, i + 1, export)).collect()
}

fn rpc_symbol(program: &Program, id: usize, export: &ExportName) -> Value {
    let name = &export.name;
    let symbol = program.tiles.iter().find_map(|tile| name_in(tile, name)).unwrap_or_else(|| name.clone());
    match &export.kind {
        ExportKind::Var { ty, mutable, .. } => json!({
            "id": id, "kind": "Var", "name": name, "sym_name": symbol, "type": ty,
            "immutable": u8::from(!mutable),
        }),
        ExportKind::Fn { inputs } => {
            let mut entry =
                json!({ "id": id, "kind": "Func", "name": name, "sym_name": symbol, "type": "void" });
            if !inputs.is_empty() {
                let inputs = inputs.iter().enumerate();
                entry["inputs"] =
                    inputs.map(|(i, ty)| json!({ "name": format!("x{i}"), "type": ty.name() })).collect();
            }
            entry
        }
    }
}

/// What the exported name is called inside a tile.
fn name_in(tile: &TileImage, exported: &str) -> Option<String> {
    let export = tile.exports.iter().find(|e| e.name == exported)?;
    match export.target {
        ExportTarget::Pointer(addr) | ExportTarget::Data(addr) => {
            tile.symbols.iter().find(|s| s.addr == addr).map(|s| s.name.clone())
        }
        ExportTarget::Fn(id) => tile.functions.get(id.0 as usize).map(|f| f.name.clone()),
    }
}
