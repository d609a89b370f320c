use super::{Diagnostic, Moment};
use crate::source::Span;
use indexmap::IndexMap;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Merges equal run-time diagnostics of many PEs into one.
///
/// Two diagnostics are equal if they have the same rule and source location. The earliest one is kept, with the
/// number of other PEs in `also_on`; diagnostics without a moment are not changed. The order is that of
/// first appearance, so the result does not depend on how PEs are visited within a cycle as long
/// as the caller sorts by cycle.
pub fn fold_moments(diagnostics: impl IntoIterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut groups: IndexMap<FoldKey, Occurrences> = IndexMap::new();
    for (i, d) in diagnostics.into_iter().enumerate() {
        let key = match d.moment {
            Some(_) => FoldKey::Rule(d.rule.clone(), d.primary.as_ref().map(|l| l.span)),
            None => FoldKey::Alone(i),
        };
        groups.entry(key).or_default().take(d);
    }
    groups.into_values().filter_map(Occurrences::finish).collect()
}

#[derive(PartialEq, Eq, Hash)]
enum FoldKey {
    Rule(Cow<'static, str>, Option<Span>),
    Alone(usize),
}

#[derive(Default)]
struct Occurrences {
    earliest: Option<Diagnostic>,
    pes: BTreeSet<(u16, u16)>,
    taken: u64,
    folded_before: u64,
}

impl Occurrences {
    fn take(&mut self, d: Diagnostic) {
        self.pes.extend(d.moment.map(|m| (m.x, m.y)));
        self.folded_before += d.also_on;
        self.taken += 1 + d.repeats;
        match &self.earliest {
            Some(e) if order(e) <= order(&d) => {}
            Some(_) | None => self.earliest = Some(d),
        }
    }

    fn finish(self) -> Option<Diagnostic> {
        let mut d = self.earliest?;
        if d.moment.is_some() {
            d.repeats = self.taken - 1;
        }
        d.also_on = self.folded_before + (self.pes.len() as u64).saturating_sub(1);
        Some(d)
    }
}

fn order(d: &Diagnostic) -> Option<(u64, u16, u16)> {
    d.moment.map(|Moment { x, y, cycle }| (cycle, y, x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{Label, Severity};
    use crate::source::FileId;

    fn at(rule: &'static str, lo: usize, moment: Option<Moment>) -> Diagnostic {
        Diagnostic {
            rule: rule.into(),
            severity: Severity::Error,
            title: format!("seen at {moment:?}"),
            primary: Some(Label { span: Span::new(FileId(0), lo, lo + 1), text: String::new() }),
            others: Vec::new(),
            notes: Vec::new(),
            help: None,
            fix: None,
            has_own_help: false,
            moment,
            calls: Vec::new(),
            repeats: 0,
            also_on: 0,
            is_final: false,
            report: None,
        }
    }

    #[test]
    fn one_error_on_a_thousand_pes_is_told_once_from_the_earliest() {
        let all =
            (0..1000).map(|i| at("r", 5, Some(Moment { x: i % 40, y: i / 40, cycle: 2000 - i as u64 })));
        let folded = fold_moments(all);
        assert_eq!(folded.len(), 1);
        assert_eq!(folded[0].also_on, 999);
        assert_eq!(folded[0].moment, Some(Moment { x: 39, y: 24, cycle: 1001 }));
    }

    #[test]
    fn the_same_pe_twice_is_no_other_pe() {
        let moment = |cycle| Some(Moment { x: 1, y: 2, cycle });
        let folded = fold_moments([at("r", 5, moment(3)), at("r", 5, moment(9))]);
        assert_eq!((folded.len(), folded[0].also_on), (1, 0));
    }

    #[test]
    fn different_rules_and_places_stay_apart() {
        let moment = Some(Moment { x: 0, y: 0, cycle: 1 });
        assert_eq!(fold_moments([at("r", 5, moment), at("s", 5, moment), at("r", 6, moment)]).len(), 3);
    }

    #[test]
    fn diagnostics_without_a_moment_pass_unchanged() {
        let all = vec![at("r", 5, None), at("r", 5, None)];
        assert_eq!(fold_moments(all.clone()), all);
    }

    #[test]
    fn folding_twice_counts_every_pe_once() {
        let moment = |x| Some(Moment { x, y: 0, cycle: 1 });
        let once = fold_moments((0..5).map(|x| at("r", 5, moment(x))));
        assert_eq!(fold_moments(once.clone()), once);
    }
}
