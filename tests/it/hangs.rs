//! Programs that hang, each with a mistake that people make: the report names the PE and the line.

use crate::case_file::{Case, all_cases};
use crate::cases::check;
use cslrun::Severity;
use cslrun::cli::Exit;
use serde_json::Value;

#[test]
fn the_report_of_every_hang_names_its_root() {
    let cases = all_cases();
    let hangs: Vec<_> = cases.iter().filter(|c| c.path.to_string_lossy().contains("cases/hangs/")).collect();
    assert!(hangs.len() >= 30, "{} programs that hang", hangs.len());
    let failures: Vec<String> = hangs.iter().filter_map(|case| names_its_root(case).err()).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The marks of the case say which line; its header says which PE.
fn names_its_root(case: &Case) -> Result<(), String> {
    let name = case.path.display();
    let outcome = check(case).map_err(|e| format!("{name}: {e}"))?;
    if outcome.exit != Exit::Stuck {
        return Err(format!("{name}: ended with {:?}", outcome.exit));
    }
    let mut errors = outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let (Some(error), None) = (errors.next(), errors.next()) else {
        return Err(format!("{name}: not one error"));
    };
    let is_marked = case.files.iter().any(|f| f.text.contains("//~ error["));
    let found = error.moment.map(|m| format!("PE({},{})", m.x, m.y));
    match is_marked && found.is_some() && found == case.root {
        true => Ok(()),
        false => {
            Err(format!("{name}: a marked line: {is_marked}; the root is {found:?}, not {:?}", case.root))
        }
    }
}

#[test]
fn programs_can_read_the_report_of_every_hang() {
    let mut cases = all_cases();
    cases.retain(|c| c.path.to_string_lossy().contains("cases/hangs/"));
    for mut case in cases {
        case.args.extend(["--message-format", "json"].map(str::to_string));
        let outcome = check(&case).unwrap_or_else(|e| panic!("{}: {e}", case.path.display()));
        let text = outcome.stderr_text(false);
        let lines = text.lines().map(|line| serde_json::from_str(line).expect("one object in each line"));
        let error = lines.filter(|d: &Value| d["severity"] == "error").collect::<Vec<_>>();
        let [error] = &error[..] else { panic!("{}: not one error", case.path.display()) };
        agrees(&case, error).unwrap_or_else(|e| panic!("{}: {e}", case.path.display()));
    }
}

/// The report begins with what the message points at.
fn agrees(case: &Case, error: &Value) -> Result<(), String> {
    let report = &error["report"];
    if report["kind"] != "deadlock" || report["cycle"] != error["cycle"] {
        return Err(format!("another kind or cycle: {report}"));
    }
    let (first, place) = match [&report["collectives"][0], &report["waits"][0], &report["host"][0]] {
        [collective, ..] if collective.is_object() => (&collective["missing"][0], &collective["at"]),
        [_, wait, _] if wait["cause"].is_object() => (&wait["cause"]["pe"], &wait["cause"]["at"]),
        [_, wait, _] if wait.is_object() => (&wait["pe"], &wait["at"]),
        [_, _, host] if host["cause"].is_object() => (&host["cause"]["pe"], &host["cause"]["at"]),
        [_, _, host] => (&host["pes"][0], &host["at"]),
    };
    if *first != error["pe"] {
        return Err(format!("the report begins with {first}, the message with {}", error["pe"]));
    }
    let is_shown = |label: &Value| label["line"] == place["line"] && label["file"] == place["file"];
    let labels = error["labels"].as_array().map(Vec::as_slice).unwrap_or_default();
    let files: Vec<&str> = case.files.iter().map(|file| file.name.as_str()).collect();
    let own = place["file"].as_str().is_some_and(|file| files.contains(&file));
    match labels.iter().any(is_shown) && own {
        true => Ok(()),
        false => Err(format!("the report begins at {place}, the message at {labels:?}")),
    }
}
