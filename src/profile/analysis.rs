//! From the notes of a run to its profile.

use super::ProfiledRun;
use super::accounts::account;
use super::graph::Graph;
use super::items::Work;
use super::path::CriticalPath;
use super::records::Record;
use super::sites::Sites;
use super::summary::Profile;
use super::tables::Tables;

impl Profile {
    /// The profile of a run.
    pub fn new(run: &ProfiledRun) -> Profile {
        let cut = run.pes.iter().filter_map(|(_, notes)| notes.cut).min();
        let mut sites = Sites::new(&run.program);
        let mut work = Work::default();
        for (index, notes) in &run.pes {
            let tile = run.program.place[*index as usize];
            match cut {
                None => work.add(*index, tile, notes, &mut sites),
                Some(cut) => {
                    let mut notes = notes.clone();
                    notes.records.retain(|record| ends_by(record, cut));
                    work.add(*index, tile, &notes, &mut sites);
                }
            }
        }
        let done = work.items.iter().map(|item| item.until).max().unwrap_or(0);
        let end = cut.unwrap_or(run.end.max(done));
        let mut tables = Tables::new(run, &work, &sites, end);
        for (place, pe) in work.pes.iter().enumerate() {
            let account = account(&work, pe, end, tables.phase_starts());
            tables.add_pe(place, pe, &account);
        }
        tables.add_unmade();
        if cut.is_none() {
            let commands = tables.command_starts();
            let graph = Graph::new(&work, &run.pes, &commands);
            let path = CriticalPath::new(&graph);
            let steps = path.steps();
            tables.add_path(&steps, &path);
        }
        tables.finish(cut)
    }
}

fn ends_by(record: &Record, cut: u64) -> bool {
    match *record {
        Record::Task { until, .. } | Record::Code { until, .. } | Record::Wait { until, .. } => until <= cut,
        Record::TaskEnd { at } | Record::End { at, .. } => at <= cut,
        Record::Begin { started, .. } => started < cut,
        Record::Moves { from, times, stride, .. } => {
            from + u64::from(times.saturating_sub(1)) * u64::from(stride) < cut
        }
    }
}
