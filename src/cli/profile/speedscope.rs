//! A profile for https://speedscope.app: busy cycles as stacks of PE, task, function and line.

use crate::profile::Profile;
use indexmap::IndexSet;
use serde_json::{Value, json};

/// PEs that have a profile of their own in the file, beside that of all.
const MOST_PES: usize = 64;

/// The file.
pub fn file(title: &str, profile: &Profile) -> String {
    let mut frames = Frames { profile, all: IndexSet::new() };
    let mut profiles = vec![frames.samples("all PEs", None)];
    let mut busiest: Vec<usize> = (0..profile.pes.len()).collect();
    busiest.sort_by_key(|pe| (std::cmp::Reverse(profile.pes[*pe].times.busy), *pe));
    for pe in busiest.into_iter().take(MOST_PES) {
        let row = &profile.pes[pe];
        profiles.push(frames.samples(&format!("PE ({},{})", row.x, row.y), Some(pe as u32)));
    }
    let shown: Vec<Value> = frames.all.iter().map(|frame| frame.json()).collect();
    let file = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": format!("{title}: busy cycles (estimates)"),
        "exporter": concat!("cslrun ", env!("CARGO_PKG_VERSION")),
        "activeProfileIndex": 0,
        "shared": { "frames": shown },
        "profiles": profiles,
    });
    format!("{file}\n")
}

/// A frame: its name, and where it stands.
#[derive(PartialEq, Eq, Hash)]
struct Frame {
    name: String,
    place: Option<(String, u32)>,
}

impl Frame {
    fn json(&self) -> Value {
        match &self.place {
            Some((file, line)) => json!({ "name": self.name, "file": file, "line": line }),
            None => json!({ "name": self.name }),
        }
    }
}

struct Frames<'p> {
    profile: &'p Profile,
    all: IndexSet<Frame>,
}

impl Frames<'_> {
    fn number(&mut self, name: String, place: Option<(u32, u32)>) -> usize {
        let file = |file: u32| self.profile.files.get(file as usize).cloned().unwrap_or_default();
        let place = place.map(|(number, line)| (file(number), line));
        self.all.insert_full(Frame { name, place }).0
    }

    /// The profile of all PEs, or of one.
    fn samples(&mut self, name: &str, pe: Option<u32>) -> Value {
        let profile = self.profile;
        let (mut samples, mut weights, mut total) = (Vec::new(), Vec::new(), 0);
        for slice in profile.slices.iter().filter(|slice| pe.is_none_or(|pe| slice.pe == pe)) {
            let at = &profile.pes[slice.pe as usize];
            let mut stack = Vec::new();
            if pe.is_none() {
                stack.push(self.number(format!("PE ({},{})", at.x, at.y), None));
            }
            for function in
                slice.task.into_iter().chain([slice.function].into_iter().filter(|f| Some(*f) != slice.task))
            {
                let row = &profile.functions[function as usize];
                stack.push(self.number(row.name.clone(), Some((row.file, row.line))));
            }
            let line = &profile.lines[slice.line as usize];
            stack.push(
                self.number(format!("line {}: {}", line.line, line.text), Some((line.file, line.line))),
            );
            samples.push(stack);
            weights.push(slice.busy);
            total += slice.busy;
        }
        json!({
            "type": "sampled",
            "name": name,
            "unit": "none",
            "startValue": 0,
            "endValue": total,
            "samples": samples,
            "weights": weights,
        })
    }
}
