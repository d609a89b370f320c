//! What is known of all DSD operations of a tile before they run.
//!
//! Tiles often differ only in constants of their functions. Those with the same operations, DSDs and code share one copy,
//! which stays in a cache of the processor while their PEs run in turns.

use super::plan::{VectorPlan, plan};
use super::site::VectorSite;
use crate::arch::Arch;
use crate::image::TileImage;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// What is known of the DSD operations of a tile, by their numbers in `vector_ops`.
pub(crate) struct KnownOperations {
    /// The plan of each; `None` where not all operands are known.
    pub plans: Box<[Option<VectorPlan>]>,
    /// What else is known of each.
    pub sites: Box<[VectorSite]>,
}

impl KnownOperations {
    fn new(tile: &TileImage, arch: &Arch, is_plain: bool) -> KnownOperations {
        KnownOperations {
            plans: tile.vector_ops.iter().map(|op| plan(tile, op, arch)).collect(),
            sites: VectorSite::all(tile, arch, is_plain),
        }
    }
}

/// The known operations of the tiles that have run.
#[derive(Default)]
pub(crate) struct OperationCache {
    /// By [`key`].
    known: Mutex<FxHashMap<u64, Vec<KnownTile>>>,
}

/// The first tile with certain operations.
struct KnownTile {
    /// It keeps what the key is made of.
    tile: Arc<TileImage>,
    operations: Arc<KnownOperations>,
}

impl OperationCache {
    /// What is known of the operations of a tile. `is_plain`: the engine works element by element, for all tiles.
    pub fn of(&self, tile: &Arc<TileImage>, arch: &Arch, is_plain: bool) -> Arc<KnownOperations> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.entry(key(tile)).or_default();
        if let Some(same) = known.iter().find(|known| have_same_operations(&known.tile, tile)) {
            return Arc::clone(&same.operations);
        }
        let operations = Arc::new(KnownOperations::new(tile, arch, is_plain));
        known.push(KnownTile { tile: Arc::clone(tile), operations: Arc::clone(&operations) });
        operations
    }
}

/// Whether two tiles agree in all that [`KnownOperations::new`] reads.
fn have_same_operations(a: &TileImage, b: &TileImage) -> bool {
    let mut functions = a.functions.iter().zip(&b.functions);
    a.vector_ops.is_same(&b.vector_ops)
        && a.dsds.is_same(&b.dsds)
        && a.data_end == b.data_end
        && a.functions.len() == b.functions.len()
        && functions.all(|(a, b)| Arc::ptr_eq(a, b) || a.code.is_same(&b.code))
}

/// The same number for tiles with the same operations: the addresses of their lists.
fn key(tile: &TileImage) -> u64 {
    let mut hasher = FxHasher::default();
    (tile.vector_ops.as_ptr() as usize, tile.dsds.as_ptr() as usize, tile.data_end).hash(&mut hasher);
    tile.functions.iter().for_each(|function| (function.code.as_ptr() as usize).hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::WSE3;
    use crate::dsd::Dsd;
    use crate::image::Shared;

    #[test]
    fn tiles_share_what_is_known_unless_their_dsds_differ() {
        let tile = Arc::new(TileImage::default());
        let renamed = Arc::new(TileImage { file: "other.csl".into(), ..TileImage::clone(&tile) });
        let other_dsds =
            Arc::new(TileImage { dsds: Shared::from(Vec::<Dsd>::new()), ..TileImage::clone(&tile) });
        let longer = Arc::new(TileImage { data_end: 8, ..TileImage::clone(&tile) });
        let cache = OperationCache::default();
        let of = |tile| cache.of(tile, &WSE3, false);
        let first = of(&tile);
        assert!(Arc::ptr_eq(&first, &of(&renamed)));
        assert!(!Arc::ptr_eq(&first, &of(&longer)));
        assert!(!Arc::ptr_eq(&first, &of(&other_dsds)));
    }
}
