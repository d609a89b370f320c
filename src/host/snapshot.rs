//! Snapshots: the globals of every PE and all trace records, as a value that can be stored.

use super::Runner;
use super::records::Record;
use crate::arch::PeCoord;
use crate::image::{Program, TileImage, file};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The memory and the trace records of all PEs at one moment of a run.
pub struct Snapshot {
    program: Arc<Program>,
    contents: Contents,
}

#[derive(Serialize, Deserialize)]
struct Contents {
    /// The globals of every PE, row by row.
    #[serde(with = "as_bytes")]
    memories: Vec<Vec<u16>>,
    records: Vec<Record>,
}

impl Snapshot {
    /// Reads a stored snapshot of `program`; `None` if the bytes are damaged or belong to another program.
    pub fn from_bytes(program: Arc<Program>, bytes: &[u8]) -> Option<Snapshot> {
        let contents: Contents = postcard::from_bytes(file::unsealed(bytes)?).ok()?;
        (contents.memories.len() == program.place.len()).then_some(Snapshot { program, contents })
    }

    /// The snapshot as bytes; [`Snapshot::from_bytes`] reads them back.
    pub fn to_bytes(&self) -> Vec<u8> {
        file::sealed(postcard::to_stdvec(&self.contents).expect("memory and records can be stored"))
    }

    /// The program that was running.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The memory words of a global on a PE of the rectangle; `None` if the PE has no such global.
    pub fn symbol(&self, at: PeCoord, name: &str) -> Option<&[u16]> {
        let symbol = self.program.tile_at(at)?.symbols.iter().find(|s| s.name == name)?;
        let memory = &self.contents.memories[self.program.pe_index(at)];
        memory.get(usize::from(symbol.addr)..usize::from(symbol.addr) + usize::from(symbol.words))
    }

    /// Every trace record, in the order of the run.
    pub fn records(&self) -> &[Record] {
        &self.contents.records
    }
}

impl Runner {
    /// The current memory and trace records of all PEs.
    pub fn snapshot(&mut self) -> Snapshot {
        let program = Arc::clone(&self.program);
        let end = |tile: &Arc<TileImage>| usize::from(tile.data_end);
        let places = (0..program.place.len()).map(|index| program.pe_coord(index));
        let memories = places.map(|at| {
            let words = program.tile_at(at).map_or(0, end);
            self.memory(at, words).map_or_else(Vec::new, <[u16]>::to_vec)
        });
        let memories = memories.collect();
        Snapshot { contents: Contents { memories, records: self.records() }, program }
    }
}

/// Memory words stored as bytes, low byte first: word by word in the format's own numbers they take ten times as long.
mod as_bytes {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    struct Words<'w>(&'w [u16]);

    impl serde::Serialize for Words<'_> {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            let mut bytes = vec![0; 2 * self.0.len()];
            for (pair, word) in bytes.chunks_exact_mut(2).zip(self.0) {
                pair.copy_from_slice(&word.to_le_bytes());
            }
            to.serialize_bytes(&bytes)
        }
    }

    pub fn serialize<S: Serializer>(memories: &[Vec<u16>], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(memories.iter().map(|words| Words(words)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<u16>>, D::Error> {
        let words = |bytes: &[u8]| match bytes.as_chunks::<2>() {
            (pairs, []) => Ok(pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect()),
            _ => Err(D::Error::custom("an odd number of bytes is no memory")),
        };
        Vec::<&[u8]>::deserialize(from)?.into_iter().map(words).collect()
    }
}
