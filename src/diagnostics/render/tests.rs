use super::*;
use crate::diagnostics::Label;
use crate::source::{FileId, Span};

const FORMATS: [MessageFormat; 6] = [
    MessageFormat::Plain,
    MessageFormat::Rich,
    MessageFormat::Short,
    MessageFormat::Json,
    MessageFormat::Sarif,
    MessageFormat::Github,
];

fn diagnostic(severity: Severity, primary: Option<Label>) -> Diagnostic {
    Diagnostic {
        rule: "test-rule".into(),
        severity,
        title: "something is wrong".into(),
        primary,
        others: Vec::new(),
        notes: Vec::new(),
        help: None,
        fix: None,
        has_own_help: false,
        moment: None,
        calls: Vec::new(),
        repeats: 0,
        also_on: 0,
        is_final: false,
        report: None,
    }
}

fn label(file: FileId, lo: usize, hi: usize, text: &str) -> Label {
    Label { span: Span::new(file, lo, hi), text: text.into() }
}

fn two_files() -> (SourceMap, Diagnostic) {
    let mut map = SourceMap::default();
    let a = map.add("layout.csl", "// ä ö ü\nlayout {\n  @set_rectangle(1, 1);\n}\n");
    let b = map.add("pe.csl", "// é\nvar x: u16 = 70000;\nvar y = x;\n");
    let mut d = diagnostic(Severity::Error, Some(label(b, 19, 24, "does not fit")));
    d.others.push(label(a, 26, 40, "the rectangle"));
    d.others.push(label(b, 13, 16, "the type"));
    d.notes.push("the largest u16 is 65535".into());
    d.help = Some("use u32".into());
    (map, d)
}

#[test]
fn plain_shows_every_place_and_counts() {
    let (map, d) = two_files();
    insta::assert_snapshot!(render(&map, &[d.clone(), d], MessageFormat::Plain, false));
}

#[test]
fn rich_shows_both_files_with_their_true_lines() {
    let (map, d) = two_files();
    insta::assert_snapshot!(render(&map, &[d], MessageFormat::Rich, false));
}

#[test]
fn rich_marks_places_behind_tabs_and_wide_characters_and_across_lines() {
    let mut map = SourceMap::default();
    let text = "fn f() void {\n\tvar 幅 = \"日本語\"; g(幅);\n}\n";
    let file = map.add("wide.csl", text);
    let call = text.find("g(").expect("a call");
    let mut d = diagnostic(Severity::Warning, Some(label(file, call, call + "g(幅)".len(), "")));
    let width = text.find("幅").expect("a name");
    d.others.push(label(file, width, width + "幅".len(), "declared here"));
    d.others.push(label(file, 0, text.len(), "in this function"));
    insta::assert_snapshot!(render(&map, &[d], MessageFormat::Rich, false));
}

#[test]
fn short_is_one_line_with_place_and_rule() {
    let (map, d) = two_files();
    let text = render(&map, &[d], MessageFormat::Short, false);
    assert_eq!(text, "pe.csl:2:14: error[test-rule]: something is wrong\n1 error\n");
}

#[test]
fn json_is_one_object_per_line() {
    let (map, d) = two_files();
    let text = render(&map, &[d.clone(), d], MessageFormat::Json, false);
    let values: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(values.len(), 2);
    assert_eq!(values[0]["rule"], "test-rule");
    assert_eq!(values[0]["labels"][0]["line"], 2);
    assert_eq!(values[0]["labels"][0]["column"], 14);
    assert_eq!(values[0]["labels"][1]["file"], "layout.csl");
    assert_eq!(values[0]["help"], "use u32");
    assert!(values[0]["pe"].is_null());
}

#[test]
fn github_gets_one_workflow_command_with_all_texts() {
    let (map, mut d) = two_files();
    d.moment = Some(Moment { x: 3, y: 4, cycle: 12 });
    let text = render(&map, &[d], MessageFormat::Github, false);
    let expected = "::error file=pe.csl,line=2,col=14,endLine=2,title=error[test-rule]::something is wrong%0A\
                    does not fit%0Alayout.csl:3:6: the rectangle%0Ape.csl:2:8: the type%0APE(3,4), cycle 12%0A\
                    the largest u16 is 65535%0Ahelp: use u32\n1 error\n";
    assert_eq!(text, expected);
}

#[test]
fn sarif_is_one_document_with_rules_places_and_properties() {
    let (map, mut d) = two_files();
    d.moment = Some(Moment { x: 3, y: 4, cycle: 12 });
    let mut placeless = diagnostic(Severity::Warning, None);
    placeless.rule = "deadlock".into();
    let text = render(&map, &[d.clone(), placeless, d], MessageFormat::Sarif, false);
    let log: serde_json::Value = serde_json::from_str(&text).expect("one document");
    let run = &log["runs"][0];
    let rules = &run["tool"]["driver"]["rules"];
    assert_eq!(
        (&rules[0]["id"], &rules[1]["id"], &rules[2]),
        (&"test-rule".into(), &"deadlock".into(), &().into())
    );
    assert_eq!(rules[1]["defaultConfiguration"]["level"], "error");
    let [first, second, third] = run["results"].as_array().expect("results").as_slice() else {
        panic!("{text}")
    };
    assert_eq!(
        (&first["level"], &second["level"], &third["ruleIndex"]),
        (&"error".into(), &"warning".into(), &0.into())
    );
    assert_eq!(first["properties"], serde_json::json!({ "pe": [3, 4], "cycle": 12 }));
    let place = &first["locations"][0];
    assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "pe.csl");
    let region = serde_json::json!({ "startLine": 2, "startColumn": 14, "endLine": 2, "endColumn": 19 });
    assert_eq!(
        (&place["physicalLocation"]["region"], &place["message"]["text"]),
        (&region, &"does not fit".into())
    );
    let others: Vec<_> =
        first["relatedLocations"].as_array().expect("places").iter().map(|p| &p["message"]["text"]).collect();
    assert_eq!(others, ["the rectangle", "the type"]);
    assert_eq!(second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "layout.csl");
}

#[test]
fn a_run_time_diagnostic_names_pe_cycle_and_the_other_pes() {
    let (map, mut d) = two_files();
    d.moment = Some(Moment { x: 3, y: 4, cycle: 12345 });
    d.also_on = 1022;
    let told = "PE(3,4), cycle 12,345; the same on 1,022 other PEs";
    for format in [MessageFormat::Plain, MessageFormat::Rich, MessageFormat::Short] {
        assert!(render(&map, std::slice::from_ref(&d), format, false).contains(told), "{format:?}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&render(&map, &[d], MessageFormat::Json, false)).unwrap();
    assert_eq!(json["pe"], serde_json::json!([3, 4]));
    assert_eq!(json["cycle"], 12345);
    assert_eq!(json["also_on"], 1022);
}

#[test]
fn no_span_makes_a_renderer_panic() {
    for text in
        ["", "\n", "a", "ä\r\nö\u{2028}ü\n\n", "\u{feff}\t日本語\n\0\x1b[31m", "a\nb\nc\nd\ne\nf\ng\nh"]
    {
        let mut map = SourceMap::default();
        let file = map.add("odd.csl", text);
        let ends = [0, 1, 2, 3, 4, 5, 7, 11, text.len(), text.len() + 1, u32::MAX as usize];
        for (lo, hi) in ends.iter().flat_map(|lo| ends.iter().map(move |hi| (*lo, *hi))) {
            let mut d = diagnostic(Severity::Error, Some(label(file, lo, hi, "here")));
            d.others.push(label(file, hi, lo, "there"));
            d.others.push(label(FileId(7), lo, hi, "in no file"));
            for format in FORMATS {
                let shown = render(&map, std::slice::from_ref(&d), format, true);
                assert!(shown.contains("something is wrong"), "{format:?}");
            }
        }
    }
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let mut map = SourceMap::default();
    let file = map.add("odd.csl", "var x = \"\x1b[31m\u{202e}\";");
    let d = diagnostic(Severity::Error, Some(label(file, 0, 3, "")));
    for format in FORMATS {
        let text = render(&map, std::slice::from_ref(&d), format, false);
        assert!(!text.contains(['\x1b', '\u{202e}']), "{format:?}");
    }
}

#[test]
fn no_text_of_a_diagnostic_commands_a_terminal() {
    let harmful = "\u{1b}[2J\u{7}\u{7f}\u{9b}31m\u{202e}\r";
    let mut map = SourceMap::default();
    let file = map.add(format!("{harmful}.csl"), "var x: u16;\n");
    let mut d = diagnostic(Severity::Error, Some(label(file, 4, 5, harmful)));
    d.title = harmful.to_string();
    d.notes = vec![harmful.to_string()];
    d.help = Some(harmful.to_string());
    d.others = vec![label(file, 0, 3, harmful)];
    for format in FORMATS {
        let text = render(&map, std::slice::from_ref(&d), format, false);
        let harms = |c: &char| c.is_control() && *c != '\n' || *c == '\u{202e}';
        assert_eq!(text.chars().find(harms), None, "{format:?}: {text:?}");
        assert!(
            text.contains(match format {
                MessageFormat::Json | MessageFormat::Sarif => "\\u001b[2J",
                _ => "\\x1b[2J",
            }),
            "{text}"
        );
    }
}

#[test]
fn an_overlong_line_is_told_not_shown() {
    let mut map = SourceMap::default();
    let file = map.add("long.csl", "(".repeat(1_000_000));
    let d = diagnostic(Severity::Error, Some(label(file, 500, 501, "too deep")));
    for format in FORMATS {
        let text = render(&map, std::slice::from_ref(&d), format, false);
        assert!(text.len() < 1500, "{format:?}: {} bytes", text.len());
    }
    let text = render(&map, &[d], MessageFormat::Plain, false);
    assert!(text.contains("at long.csl:1:501: too deep"), "{text}");
}

#[test]
fn a_diagnostic_without_a_place_keeps_notes_and_help() {
    let mut d = diagnostic(Severity::Unsupported, None);
    d.notes.push("a fact".into());
    d.help = Some("do this".into());
    for format in [MessageFormat::Plain, MessageFormat::Rich] {
        let text = render(&SourceMap::default(), std::slice::from_ref(&d), format, false);
        assert!(text.starts_with("unsupported[test-rule]: something is wrong\n"), "{text}");
        assert!(text.contains("a fact") && text.contains("help: do this"), "{text}");
    }
}

#[test]
fn the_summary_counts_each_severity_once() {
    let of = |s| diagnostic(s, None);
    assert_eq!(summary(&[]), None);
    assert_eq!(summary(&[of(Severity::Note)]), None);
    let all = [of(Severity::Warning), of(Severity::Error), of(Severity::Error), of(Severity::Unsupported)];
    assert_eq!(summary(&all).unwrap(), "2 errors, 1 unsupported feature, 1 warning");
}

#[test]
fn large_numbers_are_grouped_by_thousands() {
    let shown: Vec<String> = [0, 999, 1000, 1022, 1234567].map(grouped).into();
    assert_eq!(shown, ["0", "999", "1,000", "1,022", "1,234,567"]);
}

#[test]
fn the_same_label_is_shown_once() {
    let mut map = SourceMap::default();
    let file = map.add("a.csl", "f(f(1));");
    let mut d = diagnostic(Severity::Error, Some(label(file, 2, 6, "")));
    d.others = vec![label(file, 0, 7, "in this call"); 4];
    let text = render(&map, &[d], MessageFormat::Plain, false);
    assert_eq!(text.matches("in this call").count(), 1, "{text}");
}
