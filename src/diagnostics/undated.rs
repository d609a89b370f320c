//! Diagnostics that do not say when: for output that must not depend on the estimate of cycles.

use super::{Diagnostic, Moment};

/// What may stand around a number of cycles; with it goes what stands there.
const PHRASES: [(&str, &str); 5] = [
    (" after about ", " cycles (estimate)"),
    (" after about ", " cycle (estimate)"),
    (" since cycle ", ""),
    (", starting in cycle ", ""),
    (" in cycle ", ""),
];

impl Moment {
    /// Stands for a cycle that is not told.
    pub const UNDATED: u64 = u64::MAX;
}

impl Diagnostic {
    /// The same without cycles.
    pub fn undated(mut self) -> Diagnostic {
        let texts = self.primary.iter_mut().chain(&mut self.others).map(|label| &mut label.text);
        for text in texts.chain([&mut self.title]).chain(&mut self.notes).chain(&mut self.help) {
            *text = without_cycles(text);
        }
        if let Some(moment) = &mut self.moment {
            moment.cycle = Moment::UNDATED;
        }
        self.report = None;
        self
    }
}

fn without_cycles(text: &str) -> String {
    PHRASES.iter().fold(text.to_string(), |text, (before, behind)| cut(&text, before, behind))
}

/// Removes a phrase around a number wherever it stands.
fn cut(text: &str, before: &str, behind: &str) -> String {
    let mut parts = text.split(before);
    let mut left = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
        match rest.strip_prefix(behind).filter(|_| rest.len() < part.len()) {
            Some(rest) => left += rest,
            None => left = left + before + part,
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_cut_out_with_the_words_around_them() {
        let title = "deadlock after about 1,014 cycles (estimate): 1 operation can never finish";
        assert_eq!(without_cycles(title), "deadlock: 1 operation can never finish");
        assert_eq!(without_cycles("waiting for a wavelet since cycle 13"), "waiting for a wavelet");
        assert_eq!(without_cycles("`f` ran last, starting in cycle 7 (a.csl:1)"), "`f` ran last (a.csl:1)");
        assert_eq!(without_cycles("one hop in each cycle"), "one hop in each cycle");
    }
}
