//! Initial data of variables, PE by PE (`set_symbol_all`).

use super::describe::{Layout, LayoutRegion, SymbolData};
use crate::diagnostics::render::grouped;
use crate::image::{InitialWords, Program, Scalar, Symbol};

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
            let mut is_misread = None;
            for (pe, words) in region.area.pes().zip(data.words.chunks(each.max(1))) {
                let symbol = symbol(program, region, data, pe)?;
                if each > usize::from(symbol.words) {
                    return Err(format!(
                        "set_symbol_all('{}') of code region '{}' gives each PE {} bytes, and the variable ({}) \
                         has {}; the data need as many elements as all PEs together",
                        data.name,
                        region.name,
                        grouped(2 * each as u64),
                        symbol.ty,
                        grouped(2 * u64::from(symbol.words))
                    ));
                }
                if each < usize::from(symbol.words) {
                    is_short = Some(symbol);
                }
                if misreads(data, symbol) {
                    is_misread = Some(symbol);
                }
                all.push(InitialWords { pe, addr: symbol.addr, words: words.to_vec() });
            }
            if let (Some(symbol), Some(dtype)) = (is_misread, &data.dtype) {
                warnings.push(format!(
                    "set_symbol_all('{}') of code region '{}' has data of {dtype}, and the variable is a {}: the \
                     bits are copied as they are; make the array of the type of the variable",
                    data.name, region.name, symbol.ty
                ));
            }
            if let Some(symbol) = is_short {
                warnings.push(format!(
                    "set_symbol_all('{}') of code region '{}' gives each PE {} bytes, and the variable ({}) has {}: \
                     the rest keeps its initial value",
                    data.name,
                    region.name,
                    grouped(2 * each as u64),
                    symbol.ty,
                    grouped(2 * u64::from(symbol.words))
                ));
            }
        }
    }
    Ok(all)
}

/// Whether the numbers of the data would be others in the variable. Unsigned data and variables can hold the bits of any
/// type.
fn misreads(data: &SymbolData, symbol: &Symbol) -> bool {
    let element = match symbol.element {
        None | Some(Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::I64) => {
            return false;
        }
        Some(element) => element,
    };
    match data.dtype.as_deref() {
        Some("float32") => element != Scalar::F32,
        Some("float16") => !matches!(element, Scalar::F16 | Scalar::Bf16 | Scalar::Cb16),
        Some("int32") => element == Scalar::F32,
        Some(_) | None => false,
    }
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
