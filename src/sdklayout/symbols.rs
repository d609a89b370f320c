//! Initial data of variables, PE by PE (`set_symbol_all`).

use super::describe::{Layout, LayoutRegion, SymbolData};
use crate::image::{InitialWords, Program, Symbol};

/// The initial contents of memory. Also adds warnings about likely mistakes, as sentences.
pub fn initial(
    layout: &Layout,
    program: &Program,
    warnings: &mut Vec<String>,
) -> Result<Vec<InitialWords>, String> {
    let mut all = Vec::new();
    for region in &layout.regions {
        for data in &region.symbols {
            let pes = usize::from(region.area.w) * usize::from(region.area.h);
            let each = data.words.len() / pes.max(1);
            let mut is_short = None;
            for (pe, words) in region.area.pes().zip(data.words.chunks(each.max(1))) {
                let symbol = symbol(program, region, data, pe)?;
                if each > usize::from(symbol.words) {
                    return Err(format!(
                        "set_symbol_all('{}') of code region '{}' gives each PE {} bytes, and the variable ({}) \
                         has {}; the data need as many elements as all PEs together",
                        data.name,
                        region.name,
                        each * 2,
                        symbol.ty,
                        symbol.words * 2
                    ));
                }
                if each < usize::from(symbol.words) {
                    is_short = Some(symbol);
                }
                all.push(InitialWords { pe, addr: symbol.addr, words: words.to_vec() });
            }
            if let Some(symbol) = is_short {
                warnings.push(format!(
                    "set_symbol_all('{}') of code region '{}' gives each PE {} bytes, and the variable ({}) has {}: \
                     the rest keeps its initial value",
                    data.name,
                    region.name,
                    each * 2,
                    symbol.ty,
                    symbol.words * 2
                ));
            }
        }
    }
    Ok(all)
}

fn symbol<'p>(
    program: &'p Program,
    region: &LayoutRegion,
    data: &SymbolData,
    pe: crate::arch::PeCoord,
) -> Result<&'p Symbol, String> {
    let symbols = program.tile_at(pe).map_or(&[][..], |tile| &tile.symbols);
    symbols.iter().find(|symbol| symbol.name == data.name).ok_or_else(|| {
        let names: Vec<&str> = symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        format!(
            "set_symbol_all('{}'): the code of region '{}' has no such variable in memory on {pe}; it has {}. \
             `export var` keeps a variable in memory",
            data.name,
            region.name,
            if names.is_empty() { "none".to_string() } else { names.join(", ") }
        )
    })
}
