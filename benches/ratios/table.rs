//! The table: rows, what they must reach and should reach, and the verdict.

use comfy_table::{Table, presets::UTF8_HORIZONTAL_ONLY};
use std::fmt;

/// What a number counts.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Unit {
    Nanoseconds,
    Milliseconds,
    Seconds,
    /// 10^6 bytes in a second.
    MegabytesPerSecond,
    /// 10^6 in a second.
    MillionsPerSecond,
    Bytes,
    Gibibytes,
    Cycles,
    /// A ratio.
    Times,
    /// A ratio, too.
    Percent,
}

/// A number that says what it counts, in the unit in which it is shown; ratios are 1 when equal.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Measure(pub f64, pub Unit);

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.1 {
            Unit::Nanoseconds => (self.0, " ns"),
            Unit::Milliseconds => (self.0, " ms"),
            Unit::Seconds => (self.0, " s"),
            Unit::MegabytesPerSecond => (self.0, " MB/s"),
            Unit::MillionsPerSecond => (self.0, " M/s"),
            Unit::Bytes => (self.0, " bytes"),
            Unit::Gibibytes => (self.0, " GiB"),
            Unit::Cycles => (self.0, " cycles"),
            Unit::Times => (self.0, "x"),
            Unit::Percent => (self.0 * 100.0, " %"),
        };
        let decimals = match value {
            v if self.1 == Unit::Percent || v >= 100.0 || v == v.trunc() => 0,
            v if v >= 10.0 => 1,
            _ => 2,
        };
        write!(f, "{value:.decimals$}{unit}")
    }
}

/// What a row must reach, and what it should reach. More is better if `goal` is more than `must`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Target {
    pub must: f64,
    pub goal: f64,
}

/// How a row stands to its target.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Verdict {
    Ok,
    GoalMissed,
    MustMissed,
}

impl Target {
    fn verdict(self, value: f64) -> Verdict {
        let reaches = |bound: f64| if self.goal > self.must { value >= bound } else { value <= bound };
        match (reaches(self.must), reaches(self.goal)) {
            (false, _) => Verdict::MustMissed,
            (true, false) => Verdict::GoalMissed,
            (true, true) => Verdict::Ok,
        }
    }
}

/// One line of the table. The target is one of the ratio if there is a ratio, else one of `ours`.
#[derive(Clone, Debug, Default)]
pub struct Row {
    what: String,
    ours: Option<Measure>,
    anchor: String,
    ratio: Option<Measure>,
    target: Option<Target>,
    /// Why nothing was measured.
    missing: Option<String>,
}

impl Row {
    pub fn new(what: impl Into<String>) -> Row {
        Row { what: what.into(), ..Row::default() }
    }

    /// What cslrun takes or does.
    pub fn ours(self, value: f64, unit: Unit) -> Row {
        Row { ours: Some(Measure(value, unit)), ..self }
    }

    /// What the anchor takes or does, in the unit of ours.
    pub fn anchor(self, name: &str, value: f64) -> Row {
        let unit = self.ours.expect("an anchor stands beside something").1;
        Row { anchor: format!("{name}: {}", Measure(value, unit)), ..self }
    }

    /// Both compared.
    pub fn ratio(self, value: f64, unit: Unit) -> Row {
        Row { ratio: Some(Measure(value, unit)), ..self }
    }

    pub fn target(self, target: Target) -> Row {
        Row { target: Some(target), ..self }
    }

    pub fn not_measured(self, why: impl Into<String>) -> Row {
        Row { missing: Some(why.into()), ..self }
    }

    fn cells(&self) -> [String; 7] {
        let judged = self.ratio.or(self.ours);
        let unit = judged.map(|m| m.1);
        let bound = |of: fn(Target) -> f64| match (self.target, unit) {
            (Some(target), Some(unit)) => Measure(of(target), unit).to_string(),
            (Some(_), None) | (None, _) => String::new(),
        };
        let verdict = match (self.target, judged, &self.missing) {
            (_, _, Some(why)) => format!("not measured: {why}"),
            (Some(target), Some(measure), None) => match target.verdict(measure.0) {
                Verdict::Ok => "ok".to_string(),
                Verdict::GoalMissed => "goal missed".to_string(),
                Verdict::MustMissed => "MINIMUM MISSED".to_string(),
            },
            (None, _, None) | (Some(_), None, None) => String::new(),
        };
        let show = |measure: Option<Measure>| measure.map_or(String::new(), |m| m.to_string());
        [
            self.what.clone(),
            show(self.ours),
            self.anchor.clone(),
            show(self.ratio),
            bound(|t| t.must),
            bound(|t| t.goal),
            verdict,
        ]
    }
}

/// Everything in one table.
pub fn render(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY);
    table.set_header(["what", "cslrun", "baseline", "ratio", "minimum", "goal", "verdict"]);
    for row in rows {
        table.add_row(row.cells());
    }
    table.to_string()
}
