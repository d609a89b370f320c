//! `cslrun debug --dap`, driven by a scripted client.

mod client;
mod property;
mod recording;
mod speed;

use crate::cli::Folder;
use crate::root;
use client::Client;
use serde_json::{Value, json};

/// Exchanges in all recordings, at least.
const LEAST_EXCHANGES: usize = 40;

#[test]
fn recordings_come_out_as_they_were() {
    crate::recordings_come_out_as_they_were("tests/dap", LEAST_EXCHANGES, recording::replay);
}

#[test]
fn an_editor_can_connect_over_tcp() {
    let folder = root().join("examples/07-deadlock");
    let mut client = Client::connected(&folder);
    client.ask("initialize", json!({})).expect("a greeting");
    client.ask("launch", json!({ "program": "layout.csl", "stopOnEntry": true })).expect("a launch");
    client.ask("configurationDone", json!({})).expect("a start");
    let threads = client.ask("threads", json!({})).expect("threads");
    assert_eq!(threads["threads"].as_array().map(Vec::len), Some(2));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_run_that_does_not_end_can_be_paused() {
    let folder = Folder::new("dap-pause");
    let program = "var n: u32 = 0;\ntask main() void {\n  n +%= 1;\n  @activate(id);\n}\nconst id = @get_local_task_id(8);\n\
                   comptime {\n  @bind_local_task(main, id);\n  @activate(id);\n}\n";
    let program = program.replace("+%=", "+=");
    std::fs::write(folder.0.join("pe.csl"), program).expect("a writable file");
    let mut client = Client::new(&folder.0);
    client.ask("initialize", json!({})).expect("a greeting");
    client.ask("launch", json!({ "program": "pe.csl" })).expect("a launch");
    client.ask("configurationDone", json!({})).expect("a start");
    std::thread::sleep(std::time::Duration::from_millis(200));
    client.ask("pause", json!({ "threadId": 1 })).expect("a pause");
    let stopped = client.events.iter().find(|event| event["event"] == "stopped").expect("a stop");
    assert_eq!(stopped["body"]["reason"], "pause");
    let n = client.ask("evaluate", json!({ "expression": "n > 0" })).expect("a value");
    assert_eq!(n["result"], "true");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn whatever_is_sent_the_server_answers_with_a_sentence() {
    let folder = root().join("examples/07-deadlock");
    let mut client = Client::new(&folder);
    let requests = [
        "initialize",
        "launch",
        "attach",
        "setBreakpoints",
        "setFunctionBreakpoints",
        "setDataBreakpoints",
        "dataBreakpointInfo",
        "setExceptionBreakpoints",
        "configurationDone",
        "threads",
        "stackTrace",
        "scopes",
        "variables",
        "source",
        "evaluate",
        "exceptionInfo",
        "continue",
        "next",
        "stepIn",
        "stepOut",
        "stepBack",
        "reverseContinue",
        "restart",
        "pause",
        "gotoTargets",
        "",
        "terminate",
    ];
    let nonsense = [
        Value::Null,
        json!([]),
        json!(7),
        json!({ "threadId": 99, "frameId": 99, "variablesReference": 99, "expression": "((", "program": 3 }),
        json!({ "breakpoints": [null, 7, { "line": -1, "name": {}, "dataId": "1 2" }], "filters": ["x"] }),
        json!({ "source": { "path": "receiver.csl", "sourceReference": 99 }, "breakpoints": [{ "line": 1e9 }] }),
        json!({ "breakpoints": [{ "dataId": "9 9 99999 99999999 x", "name": "color 99", "condition": "1 +" }] }),
    ];
    for round in 0..2 {
        for request in requests {
            for arguments in &nonsense {
                if let Err(why) = client.ask(request, arguments.clone()) {
                    assert!(why.len() > 10, "{request} {arguments}: {why}");
                }
            }
        }
        if round == 0 {
            client.ask("launch", json!({ "program": "layout.csl" })).expect("a launch");
        }
    }
    client.send_text("{}");
    client.send_text("[1]");
    assert!(client.ask("threads", json!({})).is_ok());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn an_editor_that_leaves_without_a_word_is_noted() {
    let client = Client::new(root());
    assert_eq!(client.leave(), Some(1));
}
