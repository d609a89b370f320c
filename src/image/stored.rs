//! Tiles as they lie in a file: each list and function of which several tiles have an equal copy stands there once.
//!
//! The official example gemm-collectives_2d on 48 x 48 PEs takes 3 MB instead of 105, and its tiles share their
//! lists again when it is read.

use super::code::{DsrLoad, MapOp, Op, VectorOp};
use super::{
    ColorConfig, Export, Fifo, Function, Local, OperandPlace, OperandRegisters, QueueBinding, RegisterUse,
    Shared, Symbol, TaskBinding, TileImage, UnboundTask,
};
use crate::arch::{Color, InQueue, OutQueue};
use crate::dsd::Dsd;
use crate::source::Span;
use indexmap::IndexSet;
use postcard::Error;
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A tile without its lists, and their numbers.
#[derive(Serialize, Deserialize)]
struct StoredTile {
    tile: TileImage,
    /// In the order of the fields of [`TileImage`].
    lists: [u32; 18],
    /// Its functions.
    functions: Vec<u32>,
}

/// A function without its lists, and the numbers of code, spans and locals.
#[derive(Serialize, Deserialize)]
struct StoredFunction(Function, [u32; 3]);

/// Appends tiles to bytes.
pub fn append(tiles: &[Arc<TileImage>], bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    let mut lists = WrittenLists::default();
    let mut stored = Vec::new();
    for tile in tiles {
        stored = postcard::to_extend(&lists.without_lists(tile)?, stored)?;
    }
    let all: Vec<&[u8]> = lists.all.iter().map(Vec::as_slice).collect();
    let mut bytes = postcard::to_extend(&(all, tiles.len()), bytes)?;
    bytes.extend(stored);
    Ok(bytes)
}

/// The tiles that [`append`] has appended.
pub fn read(bytes: &[u8]) -> Result<Vec<Arc<TileImage>>, Error> {
    let ((all, count), mut rest): ((Vec<&[u8]>, usize), _) = postcard::take_from_bytes(bytes)?;
    let mut lists = ReadLists::default();
    let mut tiles = Vec::new();
    for _ in 0..count {
        let (stored, behind) = postcard::take_from_bytes(rest)?;
        tiles.push(Arc::new(lists.with_lists(stored, &all)?));
        rest = behind;
    }
    if rest.is_empty() { Ok(tiles) } else { Err(Error::DeserializeBadEncoding) }
}

/// The lists of the tiles written so far.
#[derive(Default)]
struct WrittenLists {
    /// By number.
    all: IndexSet<Vec<u8>, FxBuildHasher>,
    /// The numbers of copies that were met, by their places in memory.
    met: FxHashMap<usize, u32>,
}

impl WrittenLists {
    fn without_lists(&mut self, tile: &TileImage) -> Result<StoredTile, Error> {
        let mut tile = tile.clone();
        let lists = [
            self.take(&mut tile.data)?,
            self.take(&mut tile.symbols)?,
            self.take(&mut tile.exports)?,
            self.take(&mut tile.vector_ops)?,
            self.take(&mut tile.maps)?,
            self.take(&mut tile.dsr_loads)?,
            self.take(&mut tile.dsds)?,
            self.take(&mut tile.origins)?,
            self.take(&mut tile.places)?,
            self.take(&mut tile.fifos)?,
            self.take(&mut tile.tasks)?,
            self.take(&mut tile.unbound)?,
            self.take(&mut tile.input_queues)?,
            self.take(&mut tile.output_queues)?,
            self.take(&mut tile.local_routes)?,
            self.take(&mut tile.strings)?,
            self.take(&mut tile.registers)?,
            self.take(&mut tile.operands)?,
        ];
        let functions = std::mem::take(&mut tile.functions);
        let functions = functions.iter().map(|f| self.function(f));
        Ok(StoredTile { lists, functions: functions.collect::<Result<_, Error>>()?, tile })
    }

    /// The number of a function. Like a list, it stands in the file once.
    fn function(&mut self, function: &Arc<Function>) -> Result<u32, Error> {
        // The tile itself keeps the function where it is.
        let place = Arc::as_ptr(function).addr();
        if let Some(number) = self.met.get(&place) {
            return Ok(*number);
        }
        let mut function = Function::clone(function);
        let lists = [
            self.take(&mut function.code)?,
            self.take(&mut function.spans)?,
            self.take(&mut function.locals)?,
        ];
        let bytes = postcard::to_stdvec(&StoredFunction(function, lists))?;
        let number = self.all.insert_full(bytes).0 as u32;
        self.met.insert(place, number);
        Ok(number)
    }

    /// Takes a list out of the copy of a tile; its number.
    fn take<T: Serialize>(&mut self, list: &mut Shared<T>) -> Result<u32, Error> {
        let list = std::mem::take(list);
        // The tile itself keeps the list where it is.
        let place = std::ptr::from_ref::<Vec<T>>(&list).addr();
        if let Some(number) = self.met.get(&place) {
            return Ok(*number);
        }
        let number = self.all.insert_full(postcard::to_stdvec(&list)?).0 as u32;
        self.met.insert(place, number);
        Ok(number)
    }
}

/// Lists of one type that were read, by their numbers.
type Known<T> = FxHashMap<u32, Shared<T>>;

/// The lists of the tiles read so far.
#[derive(Default)]
struct ReadLists {
    data: Known<u16>,
    symbols: Known<Symbol>,
    exports: Known<Export>,
    vector_ops: Known<VectorOp>,
    maps: Known<MapOp>,
    dsr_loads: Known<DsrLoad>,
    dsds: Known<Dsd>,
    spans: Known<Span>,
    places: Known<OperandPlace>,
    fifos: Known<Fifo>,
    tasks: Known<TaskBinding>,
    unbound: Known<UnboundTask>,
    input_queues: Known<QueueBinding<InQueue>>,
    output_queues: Known<QueueBinding<OutQueue>>,
    local_routes: Known<(Color, ColorConfig, Span)>,
    strings: Known<String>,
    registers: Known<RegisterUse>,
    operands: Known<OperandRegisters>,
    code: Known<Op>,
    locals: Known<Local>,
    functions: FxHashMap<u32, Arc<Function>>,
}

impl ReadLists {
    fn with_lists(&mut self, stored: StoredTile, all: &[&[u8]]) -> Result<TileImage, Error> {
        let StoredTile { mut tile, lists, functions } = stored;
        let mut numbers = lists.into_iter();
        let mut next = || numbers.next().ok_or(Error::DeserializeUnexpectedEnd);
        tile.data = list(&mut self.data, all, next()?)?;
        tile.symbols = list(&mut self.symbols, all, next()?)?;
        tile.exports = list(&mut self.exports, all, next()?)?;
        tile.vector_ops = list(&mut self.vector_ops, all, next()?)?;
        tile.maps = list(&mut self.maps, all, next()?)?;
        tile.dsr_loads = list(&mut self.dsr_loads, all, next()?)?;
        tile.dsds = list(&mut self.dsds, all, next()?)?;
        tile.origins = list(&mut self.spans, all, next()?)?;
        tile.places = list(&mut self.places, all, next()?)?;
        tile.fifos = list(&mut self.fifos, all, next()?)?;
        tile.tasks = list(&mut self.tasks, all, next()?)?;
        tile.unbound = list(&mut self.unbound, all, next()?)?;
        tile.input_queues = list(&mut self.input_queues, all, next()?)?;
        tile.output_queues = list(&mut self.output_queues, all, next()?)?;
        tile.local_routes = list(&mut self.local_routes, all, next()?)?;
        tile.strings = list(&mut self.strings, all, next()?)?;
        tile.registers = list(&mut self.registers, all, next()?)?;
        tile.operands = list(&mut self.operands, all, next()?)?;
        let functions = functions.into_iter().map(|number| self.function(all, number));
        tile.functions = functions.collect::<Result<_, Error>>()?;
        Ok(tile)
    }

    fn function(&mut self, all: &[&[u8]], number: u32) -> Result<Arc<Function>, Error> {
        if let Some(function) = self.functions.get(&number) {
            return Ok(Arc::clone(function));
        }
        let StoredFunction(mut function, [code, spans, locals]) = decoded(all, number)?;
        function.code = list(&mut self.code, all, code)?;
        function.spans = list(&mut self.spans, all, spans)?;
        function.locals = list(&mut self.locals, all, locals)?;
        let function = Arc::new(function);
        self.functions.insert(number, Arc::clone(&function));
        Ok(function)
    }
}

/// The list with a number.
fn list<T: DeserializeOwned>(known: &mut Known<T>, all: &[&[u8]], number: u32) -> Result<Shared<T>, Error> {
    if let Some(list) = known.get(&number) {
        return Ok(list.clone());
    }
    let list: Shared<T> = decoded(all, number)?;
    known.insert(number, list.clone());
    Ok(list)
}

fn decoded<T: DeserializeOwned>(all: &[&[u8]], number: u32) -> Result<T, Error> {
    postcard::from_bytes(all.get(number as usize).ok_or(Error::DeserializeBadEncoding)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn tile(data: &[u16], code: &Shared<Op>) -> Arc<TileImage> {
        let span = Span::new(FileId(0), 0, 0);
        let function = Function {
            name: "main".to_string(),
            span,
            params: 0,
            consts: Vec::new(),
            registers: 1,
            frame_words: 0,
            locals: Vec::new().into(),
            code: code.clone(),
            spans: vec![span; code.len()].into(),
        };
        let data = data.to_vec().into();
        Arc::new(TileImage { data, functions: vec![function.into()], ..TileImage::default() })
    }

    #[test]
    fn tiles_come_back_as_they_were_and_share_equal_lists() {
        let code = Shared::from(vec![Op::Jump { to: 1 }, Op::Ret]);
        let other = Shared::from(vec![Op::Ret]);
        let equal = Shared::from(code.to_vec());
        let tiles = [tile(&[1, 2], &code), tile(&[1, 2], &other), tile(&[3], &equal)];
        let bytes = append(&tiles, Vec::new()).expect("tiles can be stored");
        let again = read(&bytes).expect("they were just written");
        assert_eq!(again, tiles);
        assert!(again[0].data.is_same(&again[1].data));
        assert!(again[0].functions[0].code.is_same(&again[2].functions[0].code));
    }

    #[test]
    fn bytes_do_not_depend_on_what_is_shared() {
        let code = Shared::from(vec![Op::Ret]);
        let equal = Shared::from(code.to_vec());
        let shared = append(&[tile(&[1], &code), tile(&[2], &code)], Vec::new());
        assert_eq!(shared, append(&[tile(&[1], &code), tile(&[2], &equal)], Vec::new()));
    }
}
