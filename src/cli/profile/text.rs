//! The profile as some twenty lines.

use super::percent;
use crate::diagnostics::counted;
use crate::diagnostics::render::{estimated_cycles, grouped};
use crate::profile::{LineProfile, PeProfile, Phase, Profile, Times};

/// Lines of the source that are shown.
const MOST_LINES: usize = 6;
/// Functions.
const MOST_FUNCTIONS: usize = 4;
/// Lines without which the run would be shorter.
const MOST_FREE: usize = 3;
/// Phases of the host.
const MOST_PHASES: usize = 3;
/// Characters of a line of the source.
const EXCERPT: usize = 60;

/// The summary.
pub fn summary(profile: &Profile) -> String {
    let mut out = head(profile);
    out += &hardware(profile);
    out += &phases(profile);
    out += &functions(profile);
    out += &lines(profile);
    out += &path(profile);
    out
}

fn head(profile: &Profile) -> String {
    let mut out = format!("profile: {}", estimated_cycles(profile.cycles));
    if let Some(cut) = profile.cut {
        out += &format!(", of which only the first {} were recorded: the limit was reached", grouped(cut));
    }
    out += &format!("\nall PEs      {}\n", shares(&profile.times));
    let busiest = profile.pes.iter().max_by_key(|pe| (pe.times.busy, std::cmp::Reverse((pe.y, pe.x))));
    if let Some(pe) = busiest.filter(|_| profile.pes.len() > 1) {
        out += &format!("busiest PE   {}: {}\n", place(pe), shares(&pe.times));
    }
    out
}

/// `busy 45 %, waits for a wavelet 20 %, idle 35 %`
fn shares(times: &Times) -> String {
    let of = |cycles| percent(cycles, times.total());
    let waits =
        [("a wavelet", times.wavelet), ("room", times.room), ("a FIFO", times.fifo), ("a task", times.task)];
    let waits = waits.into_iter().filter(|(_, cycles)| *cycles > 0);
    let waits = waits.map(|(what, cycles)| format!(", waits for {what} {} %", of(cycles)));
    format!("busy {} %{}, idle {} %", of(times.busy), waits.collect::<String>(), of(times.idle))
}

fn place(pe: &PeProfile) -> String {
    format!("({},{})", pe.x, pe.y)
}

/// Elements, links, queues and memory.
fn hardware(profile: &Profile) -> String {
    let mut out = String::new();
    let sum = |of: fn(&LineProfile) -> u64| profile.lines.iter().map(of).sum::<u64>();
    let (elements, cycles) = (sum(|line| line.elements), sum(|line| line.element_cycles));
    if elements > 0 && cycles > 0 {
        let best = sum(|line| line.best_cycles);
        out += &format!(
            "elements     {} in {} cycles of their operations: {}, at best {}\n",
            grouped(elements),
            grouped(cycles),
            rate(elements, cycles),
            rate(elements, best),
        );
    }
    let hops: u64 = profile.colors.iter().map(|color| color.hops).sum();
    if let Some(link) = profile.links.iter().find(|link| link.to != "RAMP").or(profile.links.first()) {
        let used = percent(link.words, profile.until);
        let words = grouped(link.words);
        out += &format!(
            "links        {} hops; most words: ({},{}) {} with {words}, {used} % of the cycles\n",
            grouped(hops),
            link.x,
            link.y,
            link.to,
        );
    }
    let fullest = profile.queues.iter().max_by_key(|queue| {
        (100 * queue.most / queue.depth.max(1), queue.most, std::cmp::Reverse((queue.y, queue.x)))
    });
    if let Some(queue) = fullest {
        let kind = if queue.is_input { "input" } else { "output" };
        let number = queue.queue.map_or(String::new(), |number| format!(" {number}"));
        let (x, y, color, most, depth) = (queue.x, queue.y, queue.color, queue.most, queue.depth);
        out += &format!(
            "queues       fullest: ({x},{y}) {kind} queue{number} of color {color}, {most} of {depth}\n"
        );
    }
    let most = profile.pes.iter().max_by_key(|pe| (pe.memory, std::cmp::Reverse((pe.y, pe.x))));
    if let Some(pe) = most {
        out += &format!("memory       most: {} with {} words\n", place(pe), grouped(pe.memory.into()));
    }
    out
}

/// `1.33 per cycle`
fn rate(elements: u64, cycles: u64) -> String {
    let hundredths = 100 * elements / cycles.max(1);
    format!("{}.{:02} per cycle", hundredths / 100, hundredths % 100)
}

fn phases(profile: &Profile) -> String {
    if profile.phases.len() < 2 {
        return String::new();
    }
    let mut longest: Vec<&Phase> = profile.phases.iter().collect();
    longest.sort_by_key(|phase| (std::cmp::Reverse(phase.until - phase.from), phase.from));
    let mut out = format!("phases       {}, the longest:\n", profile.phases.len());
    for phase in longest.into_iter().take(MOST_PHASES) {
        let place = phase.place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
        let (name, length) = (&phase.name, grouped(phase.until - phase.from));
        out += &format!("  {length:>11}  {name}{place}: {}\n", shares(&phase.times));
    }
    out
}

/// `functions    main 60 %, arrival 40 %`
fn functions(profile: &Profile) -> String {
    let all: u64 = profile.functions.iter().map(|function| function.busy).sum();
    let shown = profile.functions.iter().filter(|function| function.busy > 0);
    let shown: Vec<String> = shown
        .take(MOST_FUNCTIONS)
        .map(|function| format!("`{}` {} %", function.name, percent(function.busy, all)))
        .collect();
    if shown.is_empty() { String::new() } else { format!("functions    {}\n", shown.join(", ")) }
}

fn lines(profile: &Profile) -> String {
    let all: u64 = profile.lines.iter().map(|line| line.busy).sum();
    let shown: Vec<&LineProfile> =
        profile.lines.iter().filter(|line| line.busy > 0).take(MOST_LINES).collect();
    let places: Vec<String> = shown.iter().map(|line| name(profile, line)).collect();
    let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0);
    let mut out = format!("{:>11} {:>5} {:>11}  line\n", "busy", "", "waits");
    for (line, place) in shown.into_iter().zip(places) {
        let waits = grouped(line.wavelet + line.room + line.fifo);
        let part = format!("{} %", percent(line.busy, all));
        let text = excerpt(&line.text);
        out += &format!("{:>11} {part:>5} {waits:>11}  {place:width$}  {text}\n", grouped(line.busy));
    }
    out
}

/// `pe.csl:12`
fn name(profile: &Profile, line: &LineProfile) -> String {
    let file = profile.files.get(line.file as usize).map_or("", String::as_str);
    format!("{}:{}", file.rsplit_once('/').map_or(file, |(_, file)| file), line.line)
}

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text.to_string(),
    }
}

fn path(profile: &Profile) -> String {
    let path = &profile.path;
    let all = path.work + path.wavelet + path.room + path.host + path.other;
    if all == 0 {
        return String::new();
    }
    let kinds = [
        ("work", path.work),
        ("wavelets on their way", path.wavelet),
        ("room that comes back", path.room),
        ("the host", path.host),
        ("other delays", path.other),
    ];
    let kinds = kinds.into_iter().filter(|(_, cycles)| *cycles > 0);
    let kinds: Vec<String> =
        kinds.map(|(what, cycles)| format!("{what} {} %", percent(cycles, all))).collect();
    let pes = profile.pes.iter().filter(|pe| pe.path > 0).count();
    let on = counted(pes as u64, "PE");
    let mut out = format!("critical path: {} cycles over {on}: {}\n", grouped(all), kinds.join(", "));
    let saves = |cycles: u64| percent(all.saturating_sub(cycles), all) > 0;
    let mut free: Vec<_> = path.free.iter().filter(|free| saves(free.cycles)).collect();
    free.sort_by_key(|free| (free.cycles, free.line));
    for free in free.into_iter().take(MOST_FREE) {
        let line = &profile.lines[free.line as usize];
        let less = percent(all - free.cycles, all);
        let (place, left) = (name(profile, line), counted(free.cycles, "cycle"));
        out += &format!("  if {place} took no time, the run would take {left} (-{less} %)\n");
    }
    out
}
