//! Programs of PEs in a report. Each PE of a large wafer may have one of its own, but most differ in parameters alone.

use super::tables::Numbered;
use crate::Program;
use crate::image::TileImage;
use crate::trace::{Followed, History};
use serde::Serialize;
use std::sync::Arc;

/// The programs, by their number.
#[derive(Debug, Default, Serialize)]
pub struct TileTable {
    /// The file of each.
    pub file: Vec<String>,
    /// The values of its parameters.
    pub params: Vec<String>,
    /// The variables that are followed, a number of `shapes`.
    pub shape: Vec<u32>,
    /// Their words at the start, a number of `starts`.
    pub start: Vec<u32>,
    /// Lists of variables.
    pub shapes: Vec<Vec<FollowedVariable>>,
    /// Words, one variable after the other.
    pub starts: Vec<Vec<u16>>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct FollowedVariable {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// The scalar that it is made of.
    pub element: &'static str,
    /// Its first word among those of all variables.
    pub at: u16,
    /// Its words.
    pub words: u16,
    /// Sizes of an array.
    pub dims: Vec<u32>,
}

impl TileTable {
    /// The programs of a run.
    pub fn new(program: &Program, history: &History) -> TileTable {
        let (mut table, mut shapes, mut starts) =
            (TileTable::default(), Numbered::default(), Numbered::default());
        for (tile, followed) in program.tiles.iter().zip(&history.variables) {
            table.add(tile);
            table.shape.push(shapes.number(followed.iter().map(variable).collect::<Vec<_>>()));
            table.start.push(starts.number(followed.iter().flat_map(|v| v.start(tile)).collect::<Vec<_>>()));
        }
        TileTable { shapes: shapes.0.into_iter().collect(), starts: starts.0.into_iter().collect(), ..table }
    }

    fn add(&mut self, tile: &Arc<TileImage>) {
        self.file.push(tile.file.clone());
        self.params.push(tile.params.to_string());
    }
}

fn variable(followed: &Followed) -> FollowedVariable {
    FollowedVariable {
        name: followed.name.clone(),
        ty: followed.ty.clone(),
        element: followed.element.name(),
        at: followed.at,
        words: followed.words,
        dims: followed.dims.clone(),
    }
}
