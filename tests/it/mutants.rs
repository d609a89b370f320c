//! Programs with one mistake each: the messages lead to it.
//!
//! `tests/mutants` has six programs and ten mutants of each: a mistake that people make with a route, an extent, a
//! color, a count, an id or an activation. Of what a user reads, the first three places must name the line of the
//! mistake, and its PE where it is made on one PE; for a mistake in the layout, a PE of the broken link is enough.
//! Where a mutant only leaves something out, the place that misses it also counts.

use crate::case_file::Case;
use crate::cases::check;
use crate::{files_below, root};
use cslrun::MemoryLoader;
use cslrun::cli::{Exit, Outcome, perform_words};
use std::collections::{BTreeMap, BTreeSet};

/// Mutants whose mistake is among the first three places.
const FOUND: usize = 57;

/// Places that count.
const FIRST: usize = 3;

/// One mutant of a program.
#[derive(Debug, Default)]
struct Mutant {
    class: String,
    what: String,
    file: String,
    /// PEs of which one has to be named; empty if the mistake is made on all.
    pes: BTreeSet<String>,
    before: Vec<String>,
    after: Vec<String>,
    /// Lines that miss what was left out.
    also: Vec<String>,
}

/// A place that a message names.
#[derive(Debug, Default, PartialEq)]
struct Place {
    pes: BTreeSet<String>,
    line: Option<(String, usize)>,
}

#[test]
fn the_first_places_of_a_message_lead_to_the_mistake() {
    let programs = files_below(&root().join("tests/mutants"), "csl");
    assert_eq!(programs.len(), 6);
    let (mut found, mut missed): (BTreeMap<String, [usize; 2]>, Vec<String>) = Default::default();
    for path in programs {
        let case = Case::read(&path).expect("a program");
        check(&case).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let list = std::fs::read_to_string(path.with_extension("txt")).expect("a list of mutants");
        let mutants = mutants(&list);
        assert_eq!(mutants.len(), 10, "{}", path.display());
        for mutant in mutants {
            let [hits, all] = found.entry(mutant.class.clone()).or_default();
            *all += 1;
            match mutant.is_found(&case) {
                Ok(()) => *hits += 1,
                Err(why) => missed.push(format!("{}: {}: {why}", path.display(), mutant.what)),
            }
        }
    }
    let classes: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(classes, ["activate", "color", "count", "extent", "id", "route"]);
    let hits: usize = found.values().map(|[hits, _]| hits).sum();
    println!("found by class: {found:?}; missed:\n{}", missed.join("\n"));
    assert!(hits >= FOUND, "{hits} mistakes found: {found:?}\n{}", missed.join("\n"));
}

/// `class: what`, then the file with the PEs, `- ` and `+ ` before lines of the text and of what replaces it, `= `
/// before lines that miss it.
fn mutants(list: &str) -> Vec<Mutant> {
    let mut all: Vec<Mutant> = Vec::new();
    for line in list.lines() {
        let is_head = line.starts_with(|c: char| c.is_ascii_lowercase());
        if let Some((class, what)) = line.split_once(": ").filter(|_| is_head) {
            all.push(Mutant { class: class.into(), what: what.into(), ..Mutant::default() });
            continue;
        }
        let mutant = all.last_mut().expect("a list begins with a mutant");
        match line.split_at_checked(2) {
            Some(("- ", text)) => mutant.before.push(text.to_string()),
            Some(("+ ", text)) => mutant.after.push(text.to_string()),
            Some(("= ", text)) => mutant.also.push(text.to_string()),
            Some(("  ", place)) => {
                let mut words = place.split_whitespace().map(str::to_string);
                mutant.file = words.next().expect("a file");
                mutant.pes = words.collect();
            }
            _ => panic!("not a line of a list of mutants: {line}"),
        }
    }
    all
}

impl Mutant {
    fn is_found(&self, case: &Case) -> Result<(), String> {
        let (before, after) = (self.before.join("\n"), self.after.join("\n"));
        let file = case.files.iter().find(|file| file.name == self.file).expect("a file of the program");
        assert_eq!(file.text.matches(&before).count(), 1, "{}: `{before}`", self.what);
        let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let start = file.text.find(&before).expect("it was just counted");
        let line_of = |at: usize| file.text[..at].matches('\n').count() + 1;
        let mut lines = BTreeSet::from([line_of(start + same)]);
        for text in &self.also {
            assert_eq!(file.text.matches(text).count(), 1, "{}: `{text}`", self.what);
            lines.extend(file.text.find(text).map(line_of));
        }
        let outcome = perform(case, &self.file, &file.text.replacen(&before, &after, 1));
        if outcome.diagnostics.is_empty() && outcome.exit == Exit::Fine {
            return Err("nothing is said".to_string());
        }
        let places = places(&outcome);
        let first = &places[..places.len().min(FIRST)];
        let has_line = |p: &Place| p.line.as_ref().is_some_and(|(f, n)| *f == self.file && lines.contains(n));
        let has_pe = |p: &Place| !p.pes.is_disjoint(&self.pes);
        // What is told before the run concerns all PEs with this code.
        let is_before = outcome.diagnostics.first().is_some_and(|d| d.moment.is_none());
        let names_no_pe = self.pes.is_empty() || is_before;
        let is_named = match self.file == "layout.csl" {
            true => first.iter().any(|place| has_line(place) || has_pe(place)),
            false => first.iter().any(has_line) && (names_no_pe || first.iter().any(has_pe)),
        };
        if is_named { Ok(()) } else { Err(format!("line {lines:?}, but named are {first:?}")) }
    }
}

fn perform(case: &Case, changed: &str, text: &str) -> Outcome {
    let mut loader = MemoryLoader::default();
    for file in &case.files {
        loader.add(&file.name, if file.name == changed { text } else { &file.text });
    }
    let mut words = vec!["cslrun", case.files[0].name.as_str(), "--max-cycles", "20000"];
    words.extend(case.args.iter().map(String::as_str));
    perform_words(&words, &loader).expect("arguments that the command takes")
}

/// The places that messages name, each once, in the order in which people read them: the headline with the first
/// label, the other labels, the notes.
fn places(outcome: &Outcome) -> Vec<Place> {
    let mut all: Vec<Place> = Vec::new();
    let mut add = |place: Place| {
        if !all.contains(&place) {
            all.push(place);
        }
    };
    for d in &outcome.diagnostics {
        let mut head = pes(&d.title);
        head.extend(d.moment.map(|m| format!("PE({},{})", m.x, m.y)));
        let labels = d.primary.iter().chain(&d.others).enumerate();
        for (n, label) in labels {
            let at = outcome.sources.line_col(label.span.file, label.span.lo).line;
            let line = Some((outcome.sources.file(label.span.file).name.clone(), at));
            let mut named = pes(&label.text);
            if n == 0 {
                named.append(&mut head);
            }
            add(Place { pes: named, line });
        }
        if !head.is_empty() {
            add(Place { pes: head, line: None });
        }
        d.notes.iter().flat_map(|note| places_of(note)).for_each(&mut add);
    }
    all
}

/// The PEs of a note, each with the line that follows it.
fn places_of(note: &str) -> Vec<Place> {
    let parts = note.split("PE(").skip(1);
    let place = |part: &str| {
        let words = part.split([' ', '(', ')']);
        let line = words.clone().find_map(|word| {
            let (file, rest) = word.split_once(':')?;
            let (line, _) = rest.split_once(':')?;
            Some((file.to_string(), line.parse().ok().filter(|_| file.ends_with(".csl"))?))
        });
        Place { pes: pes(&format!("PE({part}")), line }
    };
    parts.map(place).collect()
}

/// The PEs of a text.
fn pes(text: &str) -> BTreeSet<String> {
    let named = text.split("PE(").skip(1).filter_map(|rest| rest.split_once(')'));
    named.map(|(at, _)| format!("PE({at})")).collect()
}
