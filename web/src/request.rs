//! A request, and who answers it.

use crate::run;
use cslrun::MemoryLoader;
use cslrun::cli::{EmbeddedServer, compiled_program, language_server};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Where the files of the program lie for the language server.
const FOLDER: &str = "/p";

/// What a page asks for; `do` names it.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
enum Request {
    /// A command: the words after `cslrun`, and the files that it may read.
    Run { words: Vec<String>, files: BTreeMap<String, String> },
    /// The pictures of the DSDs of a program.
    Dsds { words: Vec<String>, files: BTreeMap<String, String> },
    /// The size of a wafer, and which PEs have the same program.
    Wafer { words: Vec<String>, files: BTreeMap<String, String> },
    /// The program that the editor shows: the words of the command line that would run it.
    Program { words: Vec<String> },
    /// A message of the Language Server Protocol. Files lie in [`FOLDER`].
    Editor { message: Value },
    /// What is wrong with the program: messages of the protocol.
    Compile,
}

/// Answers the requests of one page.
#[derive(Default)]
pub struct Tool {
    server: Option<EmbeddedServer>,
}

impl Tool {
    /// Answers a request, JSON with JSON: `{"done": ..}`, or `{"refused": ".."}` with what stands in the way.
    pub fn call(&mut self, request: &str) -> String {
        let request = serde_json::from_str(request).map_err(|e| e.to_string());
        match request.and_then(|request| self.answer(request)) {
            Ok(done) => json!({ "done": done }),
            Err(refused) => json!({ "refused": refused }),
        }
        .to_string()
    }

    fn answer(&mut self, request: Request) -> Result<Value, String> {
        match request {
            Request::Run { words, files } => Ok(run::run(&words, &loader(files))),
            Request::Dsds { words, files } => run::dsds(&words, &loader(files)),
            Request::Wafer { words, files } => run::wafer(&words, &loader(files)),
            Request::Program { words } => {
                let (root, mut options) = compiled_program(&words)?;
                let folder = Path::new(FOLDER);
                options.import_paths.iter_mut().for_each(|path| *path = folder.join(&*path));
                options.import_root = options.import_root.map(|path| folder.join(path));
                self.server()?.set_program(&folder.join(root), options);
                Ok(Value::Null)
            }
            Request::Editor { message } => as_json(self.server()?.receive(message)?),
            Request::Compile => as_json(self.server()?.compile()),
        }
    }

    fn server(&mut self) -> Result<&mut EmbeddedServer, String> {
        if self.server.is_none() {
            let snippets = json!({ "completion": { "completionItem": { "snippetSupport": false } } });
            let params = json!({ "capabilities": { "textDocument": snippets } });
            self.server = Some(language_server(params)?);
        }
        self.server.as_mut().ok_or_else(|| "there is no server".to_string())
    }
}

fn loader(files: BTreeMap<String, String>) -> MemoryLoader {
    let mut loader = MemoryLoader::default();
    files.into_iter().for_each(|(path, text)| loader.add(path, text));
    loader
}

fn as_json(messages: impl serde::Serialize) -> Result<Value, String> {
    serde_json::to_value(messages).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "var x: u16 = 20;\ntask main() void { x += 1; }\n\
        comptime { const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }\n";

    fn call(tool: &mut Tool, request: &Value) -> Value {
        serde_json::from_str(&tool.call(&request.to_string())).expect("JSON")
    }

    #[test]
    fn a_program_runs_and_its_report_is_a_file() {
        let words = ["pe.csl", "--get", "x", "--report", "report.html"];
        let request = json!({ "do": "run", "words": words, "files": { "pe.csl": PROGRAM } });
        let answer = call(&mut Tool::default(), &request);
        assert_eq!(answer["done"]["exit"], 0);
        assert!(answer["done"]["stdout"].as_str().expect("a text").starts_with("x = 21\n"), "{answer}");
        assert_eq!(answer["done"]["files"][0]["path"], "report.html");
    }

    #[test]
    fn a_wafer_that_a_page_cannot_hold_is_refused_before_it_runs() {
        let layout = "layout { @set_rectangle(250, 250); \
            for (@range(u16, 250)) |x| { for (@range(u16, 250)) |y| { @set_tile_code(x, y, \"pe.csl\", .{}); } } }";
        let large = PROGRAM
            .replace("var x: u16 = 20;", "var x: u16 = 20; var y = @zeros([20000]u16);")
            .replace("x += 1", "y[0] = x");
        let files = json!({ "layout.csl": layout, "pe.csl": large });
        let request = json!({ "do": "run", "words": ["layout.csl"], "files": files });
        let answer = call(&mut Tool::default(), &request);
        assert_eq!(answer["done"]["diagnostics"][0]["rule"], "wafer-too-large", "{answer}");
    }

    #[test]
    fn an_editor_is_told_what_is_wrong() {
        let mut tool = Tool::default();
        call(&mut tool, &json!({ "do": "program", "words": ["pe.csl", "--arch=wse3"] }));
        let document = json!({ "uri": "file:///p/pe.csl", "languageId": "csl", "version": 1, "text": "comptime { const a: u8 = 256; }" });
        let open = json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } });
        assert_eq!(call(&mut tool, &json!({ "do": "editor", "message": open }))["done"], json!([]));
        let answer = call(&mut tool, &json!({ "do": "compile" }));
        assert_eq!(answer["done"][0]["params"]["diagnostics"][0]["range"]["start"]["line"], 0, "{answer}");
    }

    #[test]
    fn the_pes_of_a_wafer_have_numbers_by_their_programs() {
        let layout = "layout { @set_rectangle(3, 1); @set_tile_code(0, 0, \"pe.csl\", .{}); \
            @set_tile_code(1, 0, \"other.csl\", .{}); @set_tile_code(2, 0, \"pe.csl\", .{}); }";
        let files = json!({ "layout.csl": layout, "pe.csl": PROGRAM, "other.csl": PROGRAM });
        let answer =
            call(&mut Tool::default(), &json!({ "do": "wafer", "words": ["layout.csl"], "files": files }));
        let expected = json!({
            "width": 3, "height": 1, "programs": [0, 1, 0], "variables": ["x"], "functions": [],
        });
        assert_eq!(answer["done"], expected, "{answer}");
    }

    #[test]
    fn nonsense_is_refused_with_words() {
        let mut tool = Tool::default();
        assert!(call(&mut tool, &json!({ "do": "dance" }))["refused"].is_string());
        let request = json!({ "do": "dsds", "words": ["--arch"], "files": {} });
        assert!(call(&mut tool, &request)["refused"].as_str().expect("words").contains("--arch"));
    }
}
