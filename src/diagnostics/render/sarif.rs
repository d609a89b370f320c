use super::sheet::{Mark, Sheets};
use super::visible::escaped_json;
use crate::diagnostics::{Diagnostic, Moment, Rule, Severity, rules};
use crate::source::SourceMap;
use serde_json::{Map, Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A SARIF 2.1.0 document under construction: the diagnostics of one or more programs, and the rules that they name.
#[derive(Clone, Debug, Default)]
pub struct SarifLog {
    rules: Vec<(String, Value)>,
    results: Vec<Value>,
}

impl SarifLog {
    /// Adds the diagnostics of a program, in order.
    pub fn add(&mut self, map: &SourceMap, diagnostics: &[Diagnostic]) {
        let sheets = Sheets::new(map, diagnostics);
        for d in diagnostics {
            let rule = self.index_of(d);
            self.results.push(result(&sheets, map, d, rule));
        }
    }

    /// The place of its rule in the document.
    fn index_of(&mut self, d: &Diagnostic) -> usize {
        if let Some(known) = self.rules.iter().position(|(name, _)| *name == d.rule) {
            return known;
        }
        let described = rules::find(&d.rule).map_or_else(|| json!({ "id": d.rule }), descriptor);
        self.rules.push((d.rule.to_string(), described));
        self.rules.len() - 1
    }

    /// The document. `trouble` is what has kept the command from its work: without it, a document without results says
    /// that nothing is wrong.
    pub fn text(&self, trouble: Option<&str>) -> String {
        let rules: Vec<&Value> = self.rules.iter().map(|(_, rule)| rule).collect();
        let mut invocation = json!({ "executionSuccessful": trouble.is_none() });
        if let Some(text) = trouble {
            let notification = json!({ "level": "error", "message": { "text": text } });
            invocation["toolExecutionNotifications"] = json!([notification]);
        }
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "cslrun",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                } },
                "columnKind": "unicodeCodePoints",
                "invocations": [invocation],
                "results": self.results,
            }],
        });
        let text = serde_json::to_string_pretty(&log).expect("numbers and strings are always valid JSON");
        escaped_json(&text) + "\n"
    }
}

/// What the catalogue and the page of a rule say about it.
fn descriptor(rule: &'static Rule) -> Value {
    let meaning = rule.meaning.trim();
    let full =
        if rule.why.is_empty() { meaning.to_string() } else { format!("{meaning} {}", rule.why.trim()) };
    let more = format!("`cslrun explain {}` prints a page with an example.", rule.name);
    let help = rule.help.map_or(more.clone(), |help| format!("{help}\n{more}"));
    let mut help = json!({ "text": help });
    if let Some(page) = rules::page(rule) {
        help["markdown"] = page.into();
    }
    json!({
        "id": rule.name,
        "shortDescription": { "text": meaning },
        "fullDescription": { "text": full },
        "help": help,
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn result(sheets: &Sheets, map: &SourceMap, d: &Diagnostic, rule: usize) -> Value {
    let mut result = json!({
        "ruleId": d.rule,
        "ruleIndex": rule,
        "level": level(d.severity),
        "message": { "text": message(d) },
        "properties": properties(d),
    });
    let marks = sheets.marks(d);
    let related = |(mark, id): (&Mark, usize)| {
        let mut place = location(sheets, mark);
        place["id"] = id.into();
        place
    };
    match marks.split_first() {
        Some((primary, others)) if primary.primary => {
            result["locations"] = json!([location(sheets, primary)]);
            result["relatedLocations"] = others.iter().zip(1..).map(related).collect();
        }
        Some(_) | None => {
            // Readers drop a result without a file: it is about the program as a whole.
            let own = map.files().iter().find(|file| !file.is_library());
            result["locations"] = own
                .map(|file| json!({ "physicalLocation": { "artifactLocation": artifact(&file.name) } }))
                .into_iter()
                .collect();
            result["relatedLocations"] = marks.iter().zip(1..).map(related).collect();
        }
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error | Severity::Unsupported => "error",
    }
}

/// The title, and what else is told without a place.
fn message(d: &Diagnostic) -> String {
    let help = d.help.iter().map(|help| format!("help: {help}"));
    let lines: Vec<String> = std::iter::once(d.title.clone()).chain(super::notes(d)).chain(help).collect();
    lines.join("\n")
}

/// Where and when on the wafer, and how often; the hang report.
fn properties(d: &Diagnostic) -> Value {
    let mut all = Map::new();
    if let Some(Moment { x, y, cycle }) = d.moment {
        all.insert("pe".into(), json!([x, y]));
        if cycle != Moment::UNDATED {
            all.insert("cycle".into(), cycle.into());
        }
    }
    for (name, count) in [("repeats", d.repeats), ("also_on", d.also_on)] {
        if count > 0 {
            all.insert(name.into(), count.into());
        }
    }
    if let Some(report) = &d.report {
        all.insert("report".into(), Value::clone(report));
    }
    all.into()
}

/// Lines and columns count from 1; the end column is the one behind the last character.
fn location(sheets: &Sheets, mark: &Mark) -> Value {
    let ((line, column), (last, end)) = sheets.region(mark);
    let mut place = json!({ "physicalLocation": {
        "artifactLocation": artifact(sheets.exact_name_of(mark.file)),
        "region": { "startLine": line, "startColumn": column, "endLine": last, "endColumn": end },
    } });
    if !mark.text.is_empty() {
        place["message"] = json!({ "text": mark.text });
    }
    place
}

/// A relative URI, from the folder in which the command runs, or that of an absolute path.
fn artifact(name: &str) -> Value {
    let scheme = if name.starts_with('/') { "file://" } else { "" };
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    let path: String = name
        .strip_prefix("./")
        .unwrap_or(name)
        .bytes()
        .map(|b| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect();
    json!({ "uri": format!("{scheme}{path}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_uris() {
        assert_eq!(artifact("a b/ü.csl")["uri"], "a%20b/%C3%BC.csl");
        assert_eq!(artifact("./a.csl")["uri"], "a.csl");
        assert_eq!(artifact("/x/pe.csl")["uri"], "file:///x/pe.csl");
        assert_eq!(artifact("<memcpy/memcpy>")["uri"], "%3Cmemcpy/memcpy%3E");
    }

    #[test]
    fn every_rule_has_a_description_and_a_page() {
        for rule in rules::all() {
            let described = descriptor(rule);
            assert!(
                described["shortDescription"]["text"].as_str().is_some_and(|text| text.len() > 10),
                "{}",
                rule.name
            );
            assert!(described["help"]["markdown"].is_string(), "{}", rule.name);
        }
    }

    #[test]
    fn a_command_that_could_not_do_its_work_says_so() {
        let log: Value =
            serde_json::from_str(&SarifLog::default().text(Some("there is no file a.csl"))).unwrap();
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        assert_eq!(invocation["toolExecutionNotifications"][0]["message"]["text"], "there is no file a.csl");
        assert_eq!(log["runs"][0]["results"], json!([]));
    }
}
