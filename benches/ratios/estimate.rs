//! The estimate of cycles, compared with records of programs and with the published model of collectives.

use crate::collectives::ALL;
use crate::records;
use crate::table::{Row, Target, Unit};

/// The largest deviation, either way.
const DEVIATION: Target = Target { must: 0.2, goal: 0.05 };
const WIDTHS: [u16; 4] = [8, 32, 128, 512];
const LENGTHS: [u16; 4] = [1, 16, 128, 1024];

pub fn rows() -> Vec<Row> {
    let collectives = ALL.map(|collective| {
        let each = WIDTHS.iter().flat_map(|w| LENGTHS.map(|n| collective.deviation(*w, n).abs()));
        let worst = each.fold(0.0, f64::max);
        let what = format!("estimate of cycles of a {}, 8 to 512 PEs, off by at most", collective.name());
        Row::new(what).ratio(worst, Unit::Percent).target(DEVIATION)
    });
    records::rows().into_iter().chain(collectives).collect()
}
