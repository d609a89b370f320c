//! The data of a report: what the page needs to know about a run, as JSON.

use super::MOST_EVENTS;
use super::events::Events;
use super::held::Holding;
use super::routes::{Gates, routes};
use super::tables::{
    HeldTable, MemoryTable, MoveTable, Notes, Numbered, PlaceTable, QueueTable, RouteTable, SpanTable,
    SwitchTable, ThreadTable,
};
use super::tiles::TileTable;
use crate::cli::Exit;
use crate::cli::html::packed_json;
use crate::cli::outcome::Outcome;
use crate::diagnostics::render::estimated_cycles;
use crate::image::NO_TILE;
use crate::trace::{History, HostEvent, Recording};
use crate::{Diagnostic, FileId, Label, MessageFormat, PeCoord, Program, Runner, SourceMap, Span, render};
use serde::{Serialize, Serializer};

/// A whole report.
#[derive(Debug, Serialize)]
pub struct ReportData {
    /// The program.
    pub title: String,
    /// The machine.
    pub machine: String,
    /// Columns of PEs.
    pub width: u16,
    /// Rows of PEs.
    pub height: u16,
    /// The last cycle that is shown.
    pub last: u64,
    /// `last`, if the run went on.
    pub cut: Option<u64>,
    /// Why it is cut.
    pub cut_because: &'static str,
    /// How the run ended.
    pub verdict: String,
    /// Whether it ended badly.
    pub failed: bool,
    /// Diagnostics.
    pub diagnostics: Vec<ReportDiagnostic>,
    /// Programs of PEs.
    #[serde(serialize_with = "packed")]
    pub tiles: TileTable,
    /// The tile of each PE.
    pub place: PlaceTable,
    /// Texts of programs.
    #[serde(serialize_with = "packed")]
    pub files: Vec<FileText>,
    /// Places in them.
    pub spans: SpanTable,
    /// Words that the tables name by number.
    #[serde(serialize_with = "packed")]
    pub texts: Vec<String>,
    /// What threads do.
    pub threads: ThreadTable,
    /// How wavelets move.
    pub moves: MoveTable,
    /// Wavelets that routers hold up.
    pub held: HeldTable,
    /// How many wavelets queues hold.
    pub queues: QueueTable,
    /// How variables change.
    pub memory: MemoryTable,
    /// How switches move.
    pub switches: SwitchTable,
    /// Where the colors lead.
    pub routes: RouteTable,
    /// What a route lets through in the positions of its switch.
    pub gates: Vec<Gates>,
    /// What the wavelets of each color hold, in the words of CSL; empty where that is not known.
    pub payloads: Vec<&'static str>,
    /// What else happens.
    pub notes: Notes,
    /// What the host does, in the order in which it began.
    pub host: Vec<HostEvent>,
}

fn packed<S: Serializer>(data: &impl Serialize, to: S) -> Result<S::Ok, S::Error> {
    packed_json(data).serialize(to)
}

/// A diagnostic.
#[derive(Debug, Serialize)]
pub struct ReportDiagnostic {
    /// How bad it is.
    pub severity: &'static str,
    /// As the terminal shows it.
    pub text: String,
    /// The PE on which it arose.
    pub pe: Option<usize>,
    /// The lines that it points to; the first one is to blame.
    pub labels: Vec<ReportLabel>,
}

/// A line that a diagnostic points to.
#[derive(Debug, Serialize)]
pub struct ReportLabel {
    /// The file.
    pub file: u32,
    /// The line.
    pub line: u32,
    /// What is said about it.
    pub text: String,
    /// Whether it is to blame.
    pub is_primary: bool,
}

/// The text of a program.
#[derive(Debug, Serialize)]
pub struct FileText {
    /// Its name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// What the page shows of a run that has ended.
pub fn data(runner: &mut Runner, outcome: &Outcome) -> ReportData {
    let recording = shortened(runner.recording().unwrap_or_default());
    let history = runner.memory_history().unwrap_or_default();
    let program = runner.program().clone();
    let cut = [recording.cut, history.cut].into_iter().flatten().min();
    let last = cut.unwrap_or_else(|| last_cycle(&recording, &history));
    let (mut events, mut holding) = (Events::new(&program), Holding::new(&program));
    for event in recording.events.iter().take_while(|e| e.cycle <= last) {
        events.push(event);
        holding.push(event);
    }
    for line in runner.printed().iter().filter(|line| line.cycle <= last) {
        events.note(line.cycle, line.pe, format!("prints: {}", line.text));
    }
    let mut files = program_files(&program.sources);
    let diags = outcome.diagnostics.iter().map(|d| diag(&program, d, &mut files)).collect();
    let threads = events.threads(last);
    let spans = spans(&program.sources, events.spans.0.iter(), &mut files);
    let (routes, gates) = routes(&program);
    ReportData {
        title: title(&program, &outcome.sources),
        machine: program.arch.to_string(),
        width: program.width,
        height: program.height,
        last,
        cut,
        cut_because: "the run continued, but a page cannot hold more events",
        verdict: verdict(outcome, runner.cycles()),
        failed: outcome.exit != Exit::Fine,
        diagnostics: diags,
        tiles: TileTable::new(&program, &history),
        place: PlaceTable {
            tile: program.place.iter().map(|t| if *t == NO_TILE { -1 } else { *t as i32 }).collect(),
        },
        files: files.0.iter().map(|id| file(&program.sources, *id)).collect(),
        spans,
        notes: events.notes(),
        texts: events.texts.0.into_iter().collect(),
        threads,
        moves: events.moves,
        held: holding.table(last),
        queues: events.queues,
        memory: memory(&history, last),
        switches: events.switches,
        routes,
        gates,
        payloads: events.payloads.words(),
        host: recording.host.into_iter().filter(|e| e.issued <= last).collect(),
    }
}

/// A trace may hold more events than a page.
fn shortened(mut recording: Recording) -> Recording {
    if recording.events.len() > MOST_EVENTS {
        recording.events.truncate(MOST_EVENTS);
        recording.cut = recording.events.last().map(|e| e.cycle);
    }
    recording
}

/// A PE that ran ahead of the clock may end later than the clock.
fn last_cycle(recording: &Recording, history: &History) -> u64 {
    let event = recording.events.last().map_or(0, |e| e.cycle);
    let change = history.changes.last().map_or(0, |c| c.cycle);
    recording.end.max(event).max(change)
}

/// The file that the run was started with.
fn title(program: &Program, sources: &SourceMap) -> String {
    let first = sources.files().iter().chain(program.sources.files()).find(|f| !f.is_library());
    first.map_or(String::new(), |f| f.name.clone())
}

/// `ended after about 12 cycles (estimate)`, or the rule that was broken.
fn verdict(outcome: &Outcome, cycles: u64) -> String {
    let error = outcome.diagnostics.iter().find(|d| d.severity.is_error());
    let (what, cycle) = match (outcome.exit, error) {
        (Exit::Fine, _) => ("ended", cycles),
        (_, Some(error)) => (&*error.rule, error.moment.map_or(cycles, |m| m.cycle)),
        (_, None) => ("a step of the host was refused", cycles),
    };
    format!("{what} after {}", estimated_cycles(cycle))
}

/// The user's own files come first, all of them.
fn program_files(sources: &SourceMap) -> Numbered<FileId> {
    let mut files = Numbered::default();
    for (file, _) in sources.files().iter().enumerate().filter(|(_, f)| !f.is_library()) {
        files.number(FileId(file as u32));
    }
    files
}

fn file(sources: &SourceMap, id: FileId) -> FileText {
    let file = sources.file(id);
    FileText { name: file.name.clone(), text: file.text.to_string() }
}

fn diag(program: &Program, diagnostic: &Diagnostic, files: &mut Numbered<FileId>) -> ReportDiagnostic {
    let sources = &program.sources;
    let text = render(sources, std::slice::from_ref(diagnostic), MessageFormat::Plain, false);
    // The last line counts the diagnostics.
    let text = text.trim_end().rsplit_once('\n').map_or(text.as_str(), |(before, _)| before);
    let mut label = |label: &Label, is_primary| ReportLabel {
        file: files.number(label.span.file),
        line: sources.line_col(label.span.file, label.span.lo).line as u32,
        text: label.text.clone(),
        is_primary,
    };
    let primary = diagnostic.primary.iter().map(|its| (its, true));
    let labels = primary.chain(diagnostic.others.iter().map(|its| (its, false)));
    ReportDiagnostic {
        severity: diagnostic.severity.name(),
        text: text.trim_end().to_string(),
        pe: diagnostic.moment.map(|m| program.pe_index(PeCoord { x: m.x, y: m.y })),
        labels: labels.map(|(its, is_primary)| label(its, is_primary)).collect(),
    }
}

fn spans<'s>(
    sources: &SourceMap,
    all: impl Iterator<Item = &'s Span>,
    files: &mut Numbered<FileId>,
) -> SpanTable {
    let mut table = SpanTable::default();
    for span in all {
        table.file.push(files.number(span.file));
        table.line.push(sources.line_col(span.file, span.lo).line as u32);
        table.to.push(sources.line_col(span.file, span.hi.saturating_sub(1).max(span.lo)).line as u32);
    }
    table
}

fn memory(history: &History, last: u64) -> MemoryTable {
    let mut table = MemoryTable::default();
    for change in history.changes.iter().take_while(|c| c.cycle <= last) {
        table.cycle.push(change.cycle);
        table.pe.push(change.pe);
        table.at.push(change.at);
        table.count.push(change.count);
        table.words.extend(history.values(change));
    }
    table
}
