//! `cslc`, the compiler command that build scripts call: its flags, its output folder.
//!
//! In: the words of its command line. Out: a folder that host scripts and `SdkRuntime` read.
//! Never: runs a program.

mod folder;
mod geometry;
mod options;

pub use options::known_options;

use options::{Invocation, UsageError, parse};

use super::{Exit, levels_of_environment, named_paths, output};
use crate::compile::compile_with;
use crate::{CompileOptions, DiskLoader, Levels, MessageFormat, Program};
use std::path::PathBuf;

const HELP: &str = "\
Usage: cslc [options] <top.csl>

  -o NAME                       output folder (default: out)
  --arch=wse2|wse3              machine (default: wse2)
  --params=a:1,b:2              values for params of the top file; may be repeated
  --colors=x:1,y:3              colors for params of the top file; may be repeated
  --fabric-dims=W,H             columns and rows of the whole fabric
  --fabric-offsets=X,Y          position of the program rectangle in the fabric
  --memcpy, --channels=K        enable <memcpy>, with K channels to the host (1 to 16)
  --width-west-buf=K, --width-east-buf=K
                                buffer columns to the west and east of the program
  --import-path DIR             another folder to search for imports; may be repeated
  --import-root DIR             imports may only read files under this folder
  --fp16-format=f16|cb16|bf16   the type that @fp16() returns
  --output-json[=PATH]          also write the content of out.json to this file
  --max-inlined-iterations=N    maximum number of iterations of an inline loop
  -A NAME, -W NAME, -D NAME     allow, warn about or deny a rule or group of rules;
                                docs/levels.md lists them
  --warnings-as-errors          treat warnings as errors
  --out-routes                  also write the routes to bin/out_routes.txt
  --verbose                     print what is compiled
  -h, --help, --version

The environment variable CSL_IMPORT_PATH lists more folders to search, separated by colons;
CSLRUN_FLAGS may contain more -A, -W and -D options.
";

/// The options of the help, each with what it does.
pub fn listed_options() -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    for line in HELP.lines().filter(|line| line.starts_with("  ")) {
        let line = line.trim_start();
        let (option, help) = match line.starts_with('-') {
            true => line.split_once("  ").unwrap_or((line, "")),
            false => ("", line),
        };
        match options.last_mut().filter(|_| option.is_empty()) {
            Some((_, before)) => *before = format!("{before} {help}").trim().to_string(),
            None => options.push((option.to_string(), help.trim().to_string())),
        }
    }
    options
}

/// The variables of the environment, as the help describes them.
pub fn environment() -> String {
    let lines = HELP.lines().skip_while(|line| !line.starts_with("The environment"));
    lines.collect::<Vec<_>>().join(" ")
}

/// The file and the options in the words of a command line; `None` if they make no sense.
pub fn compiled_file(words: &[String]) -> Option<(PathBuf, CompileOptions)> {
    parse(words, Levels::default()).ok().map(|invocation| (invocation.input, invocation.options))
}

/// The command `cslc`, from the words after its name to exit status 0 or 1.
pub fn run(words: &[String]) -> Exit {
    if words.iter().any(|w| matches!(w.as_str(), "-h" | "--help" | "--help-hidden")) {
        output::print(HELP);
        return Exit::Fine;
    }
    if words.iter().any(|w| w == "--version") {
        output::print(&format!("cslc (cslrun) {}\n", env!("CARGO_PKG_VERSION")));
        return Exit::Fine;
    }
    let invocation = levels_of_environment()
        .map_err(UsageError)
        .and_then(|levels| parse(words, levels))
        .map_err(|UsageError(text)| format!("cslc: error: {text}\n"));
    match invocation.and_then(compile) {
        Ok(()) => Exit::Fine,
        Err(text) => {
            output::print_error(&text);
            Exit::Rejected
        }
    }
}

fn compile(mut invocation: Invocation) -> Result<(), String> {
    for warning in &invocation.warnings {
        output::print_error(&format!("cslc: warning: {warning}\n"));
    }
    for warning in missing_beside_memcpy(&invocation) {
        output::print_error(&format!("cslc: warning: {warning}\n"));
    }
    for path in &invocation.options.import_paths {
        if let Some(why) = named_paths::missing_folder("--import-path", path) {
            output::print_error(&format!("cslc: warning: {why}\n"));
        }
    }
    let root = invocation.options.import_root.as_deref();
    if let Some(why) = root.and_then(|root| named_paths::missing_folder("--import-root", root)) {
        return Err(format!("cslc: error: {why}\n"));
    }
    invocation.options.import_paths.extend(import_paths_of_environment());
    if invocation.verbose {
        output::print(&format!("cslc: {} for {}\n", invocation.input.display(), invocation.options.arch));
    }
    compile_into_folder(&invocation)
}

/// What `--memcpy` needs beside it in the vendor's `cslc`, which stops without. Here there are defaults.
fn missing_beside_memcpy(invocation: &Invocation) -> Vec<String> {
    let offsets = format!("--fabric-offsets={},1", 4 + u32::from(invocation.west_buffers));
    let needed = [
        (invocation.channels.is_none(), "--channels=1".to_string()),
        (invocation.fabric_offsets.is_none(), offsets),
    ];
    let missing = needed.into_iter().filter(|(is_missing, _)| *is_missing && invocation.memcpy);
    missing.map(|(_, option)| format!("the vendor's cslc needs {option} beside --memcpy; add it")).collect()
}

/// Compiles and writes the folder; warnings go to stderr, the error is its text.
fn compile_into_folder(invocation: &Invocation) -> Result<(), String> {
    // A folder of an earlier success must not pass for the result of a failure.
    folder::forget(&invocation.output);
    let settle = |program| geometry::settle(program, invocation);
    let compilation = compile_with(&invocation.input, &DiskLoader, &invocation.options, settle);
    let text = compilation.render(MessageFormat::Plain, false);
    let Some(program) = compilation.program else { return Err(text) };
    output::print_error(&text);
    if program.uses_memcpy() && !invocation.memcpy {
        output::print_error(
            "cslc: warning: --memcpy is missing; the program imports <memcpy>, so it is enabled\n",
        );
    }
    write(&program, invocation)
}

fn write(program: &Program, invocation: &Invocation) -> Result<(), String> {
    let folder = &invocation.output;
    folder::write(program, invocation)
        .map_err(|e| format!("cslc: error: cannot write the output folder {}: {e}\n", folder.display()))
}

fn import_paths_of_environment() -> Vec<PathBuf> {
    let Some(value) = std::env::var_os("CSL_IMPORT_PATH") else { return Vec::new() };
    output::print(&format!("[INFO] User specified CSL_IMPORT_PATH={}\n", value.to_string_lossy()));
    std::env::split_paths(&value).filter(|p| !p.as_os_str().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_the_help_is_listed_with_what_it_does() {
        let listed = listed_options();
        let find = |start: &str| listed.iter().find(|(option, _)| option.starts_with(start));
        let buffers =
            find("--width-west-buf=K, --width-east-buf=K").expect("an option without help beside it");
        assert_eq!(buffers.1, "buffer columns to the west and east of the program");
        let levels = find("-A NAME, -W NAME, -D NAME").expect("an option with two lines of help");
        assert!(levels.1.ends_with("rules; docs/levels.md lists them"), "{}", levels.1);
        assert!(find("-h, --help").is_some() && environment().starts_with("The environment variable"));
    }
}
