//! The formats of `--message-format` that programs read, and `--junit`.

use crate::cli::{Folder, answers, finish, spawn};
use crate::root;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Tests of which one fails and prints, and a file that does not compile.
const TESTS: &str = "const simprint = @import_module(\"<simprint>\");
fn test_good() void { @assert(true); }
fn test_bad() void { simprint.print_string(\"a < b & c\\x1b[2J\\n\"); @assert(false); }
comptime { @export_symbol(test_good); @export_symbol(test_bad); }
";

/// A folder with programs of all kinds.
fn programs(test: &str) -> Folder {
    let folder = Folder::new(test);
    let copy = |from: &str, to: &str| {
        std::fs::copy(root().join(from), folder.0.join(to)).expect("a file of the repository");
    };
    copy("examples/02-tasks/countdown.csl", "countdown.csl");
    copy("examples/06-host/layout.csl", "layout.csl");
    copy("examples/06-host/pe.csl", "pe.csl");
    copy("examples/seeds/dsds/shared-queue.csl", "wrong.csl");
    copy("tests/cases/orders/two-writers.csl", "writers.csl");
    copy("tests/cases/orders/two-writers-clean.csl", "clean.csl");
    std::fs::write(folder.0.join("test_one.csl"), TESTS).expect("a writable folder");
    std::fs::write(folder.0.join("fixable.csl"), "const n == 4;\ncomptime { @comptime_print(n); }\n")
        .expect("a writable folder");
    std::fs::write(folder.0.join("test_two.csl"), "fn\n").expect("a writable folder");
    folder
}

/// Command lines that print every kind of record.
const LINES: [&str; 21] = [
    "countdown.csl",
    "countdown.csl --cycles off",
    "layout.csl --set A=1 --set x=1 --launch multiply:1.0 --get y",
    "layout.csl --launch multply",
    "layout.csl --max-cycles 40 --launch multiply:1",
    "countdown.csl --trace",
    "countdown.csl --trace=trace.json --report report.html",
    "clean.csl --seeds 1..3",
    "profile countdown.csl",
    "profile countdown.csl --output profile.html",
    "check countdown.csl",
    "check test_two.csl",
    "dump countdown.csl",
    "dsd layout.csl",
    "explore clean.csl",
    "explore writers.csl",
    "wrong.csl",
    "check --fix fixable.csl",
    "test .",
    "nowhere.csl",
    "countdown.csl --nothing",
];

#[test]
fn every_line_of_json_is_an_object_that_its_page_describes() {
    let page = std::fs::read_to_string(root().join("docs/formats.md")).expect("the page of the formats");
    let sections: Vec<(&str, &str)> =
        page.split("\n### `").skip(1).filter_map(|section| section.split_once('`')).collect();
    let folder = programs("json");
    let mut seen = BTreeSet::new();
    for line in LINES {
        let output = folder.cslrun(&format!("{line} --message-format json"));
        for text in [output.stdout, output.stderr] {
            for record in String::from_utf8(text).expect("UTF-8").lines() {
                let value: Value =
                    serde_json::from_str(record).unwrap_or_else(|e| panic!("{line}: {e}: {record}"));
                let kind = value["kind"].as_str().unwrap_or_else(|| panic!("{line}: {record}")).to_string();
                let section = sections.iter().find(|(name, _)| *name == kind);
                let (_, described) = section.unwrap_or_else(|| panic!("no section for {kind}"));
                for member in value.as_object().expect("an object").keys().filter(|key| *key != "kind") {
                    assert!(described.contains(&format!("`{member}`")), "{kind}: {member}");
                }
                seen.insert(kind);
            }
        }
    }
    let described: BTreeSet<String> = sections.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(seen, described);
}

#[test]
fn sarif_stands_alone_on_standard_output_whatever_happens() {
    let folder = programs("sarif");
    for line in LINES.iter().filter(|line| !line.ends_with("--nothing")) {
        let plain = folder.cslrun(line);
        let output = folder.cslrun(&format!("{line} --message-format sarif"));
        assert_eq!(output.status.code(), plain.status.code(), "{line}");
        let log: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{line}: {e}"));
        let run = &log["runs"][0];
        assert_eq!((&log["version"], &run["tool"]["driver"]["name"]), (&"2.1.0".into(), &"cslrun".into()));
        let could_work = run["invocations"][0]["executionSuccessful"].as_bool();
        assert_eq!(could_work, Some(!String::from_utf8_lossy(&output.stderr).contains("cslrun: ")), "{line}");
        for result in run["results"].as_array().expect("results") {
            let rule =
                &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            assert!(
                rule["fullDescription"]["text"].is_string() && rule["help"]["markdown"].is_string(),
                "{rule}"
            );
            assert!(
                result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].is_string(),
                "{line}"
            );
        }
    }
    let failed = folder.cslrun("wrong.csl --message-format sarif");
    let log: Value = serde_json::from_slice(&failed.stdout).expect("a document");
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"queue-in-use".into(), &"error".into()));
    assert_eq!(result["properties"], json!({ "pe": [0, 0], "cycle": 6 }));
    assert_eq!(result["relatedLocations"][0]["message"]["text"], "this one is still running");
    let text =
        folder.cslrun("layout.csl --set A=1 --set x=1 --launch multiply:1.0 --get y --message-format sarif");
    answers(&text, 0, &["y = [2.0, 2.0, 2.0]", "about "]);
}

#[test]
fn annotations_are_workflow_commands_of_one_line() {
    let folder = programs("github");
    let output = folder.cslrun("wrong.csl --message-format github");
    answers(
        &output,
        3,
        &["::error file=wrong.csl,line=15,col=3,endLine=15,title=error[queue-in-use]::another"],
    );
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(text.lines().filter(|line| !line.starts_with("::")).collect::<Vec<_>>(), ["1 error"]);
    let missing = folder.cslrun("nowhere.csl --message-format github");
    answers(&missing, 2, &["::error title=cslrun::there is no file nowhere.csl"]);
}

#[test]
fn several_programs_are_checked_by_one_command() {
    let folder = programs("several");
    let line = "check countdown.csl test_two.csl nowhere.csl clean.csl";
    let output = folder.cslrun(line);
    answers(&output, 1, &["test_two.csl:", "error[syntax-error]", "cslrun: there is no file nowhere.csl"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let fine: Vec<_> =
        printed.lines().filter_map(|line| line.split_once(": fine")).map(|(file, _)| file).collect();
    assert_eq!(fine, ["countdown.csl", "clean.csl"]);
    answers(&folder.cslrun("check countdown.csl nowhere.csl clean.csl"), 2, &[]);
    let log: Value = serde_json::from_slice(&folder.cslrun(&format!("{line} --message-format sarif")).stdout)
        .expect("one document");
    let run = &log["runs"][0];
    assert_eq!(run["results"].as_array().map(Vec::len), Some(1));
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(notification, "there is no file nowhere.csl");
}

#[test]
fn an_unknown_format_is_answered_with_the_formats() {
    for command in ["check a.csl", "test"] {
        let output = finish(spawn(root(), &format!("{command} --message-format xml")));
        answers(&output, 2, &["plain, rich, short, json, sarif, github"]);
    }
}

#[test]
fn junit_has_a_suite_for_each_file_and_a_case_for_each_test() {
    let folder = programs("junit");
    let output = folder.cslrun("test --junit out.xml");
    assert!(matches!(output.status.code(), Some(1 | 3)), "{output:?}");
    let text = std::fs::read_to_string(folder.0.join("out.xml")).expect("the results");
    let xml = roxmltree::Document::parse(&text).expect("valid XML");
    let all = xml.root_element();
    let numbers = ["tests", "failures", "errors"].map(|name| all.attribute(name));
    assert_eq!(numbers, [Some("3"), Some("1"), Some("1")]);
    let cases: Vec<_> = xml.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    let names: Vec<_> = cases.iter().map(|case| case.attribute("name").unwrap_or_default()).collect();
    assert_eq!(names, ["test_good", "test_bad", "compiles"]);
    let child = |n: usize, tag: &str| cases[n].children().find(|node| node.has_tag_name(tag));
    assert!(child(0, "failure").is_none());
    let failure = child(1, "failure").expect("a failure");
    assert_eq!(failure.attribute("type"), Some("assertion-failed"));
    assert!(failure.text().is_some_and(|text| text.contains("test_one.csl:3:")), "{text}");
    let printed = child(1, "system-out").and_then(|node| node.text());
    assert_eq!(printed, Some("PE(0,0): a < b & c\\x1b[2J\n"));
    assert_eq!(child(2, "error").and_then(|node| node.attribute("type")), Some("syntax-error"));
}

#[test]
fn a_file_of_results_that_cannot_be_written_is_wrong_use() {
    let folder = programs("junit-unwritable");
    answers(&folder.cslrun("test --junit missing/out.xml"), 2, &["missing/out.xml cannot be written"]);
    assert!(!folder.0.join("missing").exists());
}

#[test]
fn every_format_tells_the_same_tests() {
    let folder = programs("suite");
    let json = folder.cslrun("test --message-format json");
    let lines: Vec<Value> = String::from_utf8_lossy(&json.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    let ended: Vec<_> = lines.iter().map(|line| (&line["kind"], &line["name"], &line["passed"])).collect();
    let (test, tests) = (json!("test"), json!("tests"));
    let expected = [
        (&test, &json!("test_good"), &json!(true)),
        (&test, &json!("test_bad"), &json!(false)),
        (&test, &Value::Null, &json!(false)),
        (&tests, &Value::Null, &json!(1)),
    ];
    assert_eq!(ended, expected);
    assert_eq!(lines[1]["diagnostics"][0]["rule"], "assertion-failed");
    assert!(
        String::from_utf8_lossy(&folder.cslrun("test --message-format github").stdout)
            .contains("::error file=test_one.csl,line=3,")
    );
    let sarif: Value =
        serde_json::from_slice(&folder.cslrun("test --message-format sarif").stdout).expect("one");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(2));
}
