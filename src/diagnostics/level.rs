//! Levels: whether a diagnostic is ignored, a warning or an error, for rules that let the user choose.
//!
//! In: rules and the flags `-A`, `-W`, `-D`. Out: for each diagnostic whether it is dropped, a warning
//! or an error. Never: decides how a program continues; the code that raises a diagnostic knows that.

use super::rules;
use super::{Diag, Diagnostic, Rule, Severity, suggest};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::LazyLock;

/// The treatment of a diagnostic.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing is reported, and the program continues.
    Allow,
    /// It is reported once for each source location, and the program continues.
    Warn,
    /// The program is rejected, or its run stops.
    Deny,
}

/// A group of rules whose level can be set together.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// Code that goes wrong silently on the machine, though no document calls it undefined.
    Hazards,
    /// Code that the documents call undefined or leave to the programmer.
    Undefined,
    /// Old syntax, and code without effect.
    Style,
    /// Mistakes in code that nothing uses.
    Unused,
}

/// The level of a rule; rules without one are always errors.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    /// The level unless the user chooses another.
    pub default: Level,
    /// The group.
    pub group: Group,
}

/// The level of every rule that has one.
///
/// Two sets of bits, indexed by the place of a rule in [`lints`]; a rule in neither is allowed.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Levels {
    warn: u128,
    deny: u128,
}

/// Every rule with a level, in the order of the catalogue.
pub fn lints() -> &'static [&'static Rule] {
    static LINTS: LazyLock<Vec<&'static Rule>> =
        LazyLock::new(|| rules::all().filter(|rule| rule.lint.is_some()).collect());
    &LINTS
}

fn place_of(name: &str) -> Option<u32> {
    static PLACES: LazyLock<FxHashMap<&'static str, u32>> =
        LazyLock::new(|| lints().iter().map(|rule| rule.name).zip(0..).collect());
    PLACES.get(name).copied()
}

impl Level {
    /// Every level, from mild to strict.
    pub const ALL: [Level; 3] = [Level::Allow, Level::Warn, Level::Deny];

    /// The flag of the command line that chooses it.
    pub fn flag(self) -> &'static str {
        match self {
            Level::Allow => "-A",
            Level::Warn => "-W",
            Level::Deny => "-D",
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warn => "warn",
            Level::Deny => "deny",
        }
    }
}

impl Group {
    /// Every group.
    pub const ALL: [Group; 4] = [Group::Hazards, Group::Undefined, Group::Style, Group::Unused];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Group::Hazards => "hazards",
            Group::Undefined => "undefined",
            Group::Style => "style",
            Group::Unused => "unused",
        }
    }
}

/// The name that stands for every rule with a level.
const EVERYTHING: &str = "all";

impl Default for Levels {
    fn default() -> Levels {
        let mut levels = Levels { warn: 0, deny: 0 };
        for (rule, place) in lints().iter().zip(0..) {
            let lint = rule.lint.expect("only rules with a level are listed");
            levels.put(place, lint.default);
        }
        levels
    }
}

impl fmt::Debug for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |bits: u128| -> Vec<&str> {
            lints().iter().zip(0..).filter(|(_, i)| bits >> i & 1 != 0).map(|(rule, _)| rule.name).collect()
        };
        f.debug_struct("Levels").field("warn", &names(self.warn)).field("deny", &names(self.deny)).finish()
    }
}

impl Levels {
    fn put(&mut self, place: u32, level: Level) {
        let bit = 1 << place;
        self.warn &= !bit;
        self.deny &= !bit;
        match level {
            Level::Allow => {}
            Level::Warn => self.warn |= bit,
            Level::Deny => self.deny |= bit,
        }
    }

    fn at(self, place: u32) -> Level {
        match (self.deny >> place & 1, self.warn >> place & 1) {
            (0, 0) => Level::Allow,
            (0, _) => Level::Warn,
            (_, _) => Level::Deny,
        }
    }

    /// The level of a rule; a rule that is always an error is denied.
    pub fn of(self, rule: &str) -> Level {
        place_of(rule).map_or(Level::Deny, |place| self.at(place))
    }

    /// Chooses the level of a rule, of a group, or of `all`.
    ///
    /// # Errors
    /// A message if there is no such name, or the rule is always an error.
    pub fn choose(&mut self, level: Level, name: &str) -> Result<(), String> {
        if let Some(place) = place_of(name) {
            self.put(place, level);
            return Ok(());
        }
        let group = Group::ALL.into_iter().find(|group| group.name() == name);
        if group.is_none() && name != EVERYTHING {
            return Err(refusal(name));
        }
        for (rule, place) in lints().iter().zip(0..) {
            let lint = rule.lint.expect("only rules with a level are listed");
            if group.is_none_or(|group| group == lint.group) {
                self.put(place, level);
            }
        }
        Ok(())
    }

    /// Sets the levels from a string of flags, such as `-W undefined -A overlap,map-lengths`.
    ///
    /// # Errors
    /// A message about the first word that is not valid.
    pub fn choose_flags(&mut self, flags: &str) -> Result<(), String> {
        let mut words = flags.split_whitespace();
        while let Some(word) = words.next() {
            let level = Level::ALL.into_iter().find(|level| word.starts_with(level.flag()));
            let level = level.ok_or_else(|| format!("`{word}` is not -A, -W or -D"))?;
            let names = match word[level.flag().len()..].trim_start_matches('=') {
                "" => words.next().ok_or_else(|| format!("{word} needs the name of a rule or group"))?,
                attached => attached,
            };
            names.split(',').try_for_each(|name| self.choose(level, name))?;
        }
        Ok(())
    }

    /// Turns every warning into an error.
    pub fn deny_warnings(&mut self) {
        self.deny |= self.warn;
        self.warn = 0;
    }

    /// Gives a diagnostic the severity of its level; `None` if it is allowed. One whose rule has no
    /// level stays as it is, and so does one that is final.
    pub fn judge(self, mut diagnostic: Diagnostic) -> Option<Diagnostic> {
        let place = place_of(&diagnostic.rule).filter(|_| !diagnostic.is_final);
        let Some(place) = place else { return Some(diagnostic) };
        diagnostic.severity = match self.at(place) {
            Level::Allow => return None,
            Level::Warn => Severity::Warning,
            Level::Deny => Severity::Error,
        };
        Some(diagnostic)
    }

    /// The same, for a caller that continues unless the level is `deny`.
    ///
    /// # Errors
    /// The diagnostic itself if it is denied.
    pub fn weigh(self, diag: Diag) -> Result<Option<Diag>, Diag> {
        match self.judge(*diag.0) {
            None => Ok(None),
            Some(d) if d.severity.is_error() => Err(Diag(Box::new(d))),
            Some(d) => Ok(Some(Diag(Box::new(d)))),
        }
    }
}

fn refusal(name: &str) -> String {
    if rules::find(name).is_some() {
        return format!("`{name}` is an error in every program; docs/levels.md lists the rules with a level");
    }
    let groups = Group::ALL.into_iter().map(Group::name);
    let known = lints().iter().map(|rule| rule.name).chain(groups).chain([EVERYTHING]);
    match suggest::nearest(name, known) {
        Some(near) => format!("there is no rule or group `{name}`; did you mean `{near}`?"),
        None => format!("there is no rule or group `{name}`; docs/levels.md lists them"),
    }
}

/// The line at the end of a message that says how to lower the level of its rule.
pub(super) fn way_down(diagnostic: &Diagnostic) -> Option<String> {
    is_lowerable(diagnostic).then(|| format!("`-W {}` makes this a warning", diagnostic.rule))
}

/// Whether it is an error of a rule that the user may lower.
pub(super) fn is_lowerable(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error && !diagnostic.is_final && place_of(&diagnostic.rule).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_with_a_level_has_a_bit() {
        assert!(lints().len() <= 128, "{} rules", lints().len());
        for rule in lints() {
            assert_eq!(Levels::default().of(rule.name), rule.lint.expect("a level").default, "{}", rule.name);
        }
    }

    #[test]
    fn the_last_flag_wins() {
        let mut levels = Levels::default();
        levels.choose_flags("-D all -W=hazards -Aoverlap,map-lengths -D map-lengths").expect("known names");
        let chosen =
            ["const-destination", "overlap", "map-lengths", "old-color-config"].map(|name| levels.of(name));
        assert_eq!(chosen, [Level::Deny, Level::Allow, Level::Deny, Level::Deny]);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let mut levels = Levels::default();
        let answer = |levels: &mut Levels, name: &str| levels.choose(Level::Allow, name).expect_err(name);
        assert!(answer(&mut levels, "over-lap").contains("`overlap`"));
        assert!(answer(&mut levels, "hazard").contains("`hazards`"));
        assert!(answer(&mut levels, "syntax-error").contains("every program"));
        assert!(levels.choose_flags("-W").expect_err("no name").contains("-W needs"));
        assert!(levels.choose_flags("overlap").expect_err("no flag").contains("-A, -W or -D"));
        assert_eq!(levels, Levels::default());
    }
}
