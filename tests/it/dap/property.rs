//! However a moment is reached, forward or back, the PEs hold what they hold in a fresh run.

use super::client::Client;
use crate::root;
use serde_json::json;

/// Cycles that are compared.
const CYCLES: usize = 6;
/// Requests between two of them.
const STEPS: usize = 4;

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

fn client() -> Client {
    let mut client = Client::new(&root().join("examples/09-wavefront"));
    client.ask("initialize", json!({})).expect("a greeting");
    client.ask("launch", json!({ "program": "layout.csl", "stopOnEntry": true })).expect("a launch");
    client.ask("configurationDone", json!({})).expect("a start");
    client
}

fn command(client: &mut Client, text: &str) -> String {
    let answer = client.ask("evaluate", json!({ "expression": text, "context": "repl" })).expect("an answer");
    answer["result"].as_str().unwrap_or_default().to_string()
}

/// What the first PEs hold at the beginning of a cycle.
fn held(client: &mut Client, cycle: u64) -> String {
    let mut text = String::new();
    command(client, &format!("cycle {cycle}"));
    for pe in ["0 0", "1 0", "1 1"] {
        command(client, &format!("pe {pe}"));
        for part in ["globals", "locals", "tasks", "queues", "registers", "operations"] {
            text += &command(client, &format!("info {part}"));
        }
        text += &command(client, "backtrace");
    }
    text
}

#[test]
fn however_a_cycle_is_reached_the_pes_hold_the_same() {
    let mut numbers = Numbers(5);
    let mut wanderer = client();
    wanderer
        .ask("setFunctionBreakpoints", json!({ "breakpoints": [{ "name": "main" }] }))
        .expect("an answer");
    for _ in 0..CYCLES {
        for _ in 0..STEPS {
            let requests = ["next", "stepIn", "stepOut", "stepBack", "reverseContinue", "continue"];
            let request = requests[numbers.below(requests.len() as u64) as usize];
            let thread = 1 + numbers.below(2);
            wanderer.ask(request, json!({ "threadId": thread })).expect("a step");
        }
        let cycle = numbers.below(540);
        assert_eq!(held(&mut wanderer, cycle), held(&mut client(), cycle), "cycle {cycle}");
    }
}
