//! Rules that no program on the command line can break, shown as those of the cases are: a snapshot
//! in plain and one in rich form.

use crate::root;
use cslrun::{
    Arch, Color, Compilation, CompileOptions, CopyRequest, CopyWidth, Diagnostic, DiskLoader, FabricPlace,
    Failure, LoadError, Loader, MessageFormat, PeCoord, Region, RunOptions, Runner, SourceMap, StreamRequest,
    compile, render,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The rules that are shown here.
pub const SHOWN: &[&str] = &[
    "copy-out-of-bounds",
    "copy-size",
    "fabric-too-small",
    "interrupted",
    "not-utf8",
    "region-outside",
    "stream-color",
    "symbol-absent",
    "unreadable-file",
];

#[test]
fn what_the_host_asks_for_is_checked() {
    let copy = |name: &str, elements, w| {
        let region = Region { x: 0, y: 0, w, h: 1 };
        CopyRequest { name: name.to_string(), region, elements, width: CopyWidth::Bits32 }
    };
    show("copy-out-of-bounds", &asked(|runner| runner.copy_in(&copy("x", 5, 2), &[0; 10])));
    show("copy-size", &asked(|runner| runner.copy_in(&copy("x", 4, 2), &[0; 3])));
    show("region-outside", &asked(|runner| runner.copy_in(&copy("x", 4, 3), &[0; 12])));
    let stream = StreamRequest {
        color: Color(5),
        region: Region { x: 0, y: 0, w: 2, h: 1 },
        elements: 1,
        pe_by_pe: true,
    };
    show("stream-color", &asked(|runner| runner.queue_stream_in(&stream, &[0; 2]).map(|_| ())));
    let origin = PeCoord { x: 0, y: 0 };
    show("symbol-absent", &asked(|runner| runner.read_symbol(origin, "xs").map(|_| ())));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    show("not-utf8", &loaded(LoadError::NotUtf8 { at: 9, text: "// caf\u{e9} \u{fffd}".to_string() }));
    show("unreadable-file", &loaded(LoadError::Other("it is a folder".to_string())));
}

#[test]
fn a_fabric_has_room_for_the_rectangle() {
    let mut options = CompileOptions::new(Arch::Wse2);
    options.fabric = Some(FabricPlace { width: 8, height: 1, x: 7, y: 0, channels: 1 });
    let Compilation { sources, diagnostics, .. } = example(&options);
    show("fabric-too-small", &(sources, diagnostics));
}

#[test]
fn an_interrupted_run_says_where_it_was() {
    static ASKED_TO_STOP: AtomicBool = AtomicBool::new(true);
    let options = RunOptions { stop: Some(&ASKED_TO_STOP), ..RunOptions::default() };
    show("interrupted", &refused(options, |runner| runner.launch("multiply", &[0])));
}

/// What the host is told that asks something of the program of an example.
fn asked(request: impl FnOnce(&mut Runner) -> Result<(), Failure>) -> (SourceMap, Vec<Diagnostic>) {
    refused(RunOptions::default(), request)
}

/// The same with options.
fn refused(
    options: RunOptions,
    request: impl FnOnce(&mut Runner) -> Result<(), Failure>,
) -> (SourceMap, Vec<Diagnostic>) {
    let Compilation { sources, program, .. } = example(&CompileOptions::new(Arch::Wse2));
    let program = program.expect("an example compiles");
    let mut runner = Runner::new(Arc::new(program), options);
    let failure = request(&mut runner).expect_err("the host does not get what it asks for");
    let told = failure.diagnostics(&sources);
    (sources, told)
}

/// An example, and what was said about it.
fn example(options: &CompileOptions) -> Compilation {
    let folder = root().join("examples/06-host");
    compile(Path::new("layout.csl"), &Beside(&folder), options)
}

/// What a program is told that imports a file that cannot be read.
fn loaded(error: LoadError) -> (SourceMap, Vec<Diagnostic>) {
    let options = CompileOptions::new(Arch::Wse2);
    let compilation = compile(Path::new("main.csl"), &Failing(error), &options);
    (compilation.sources, compilation.diagnostics)
}

/// The files of a folder, by their bare names, so that no path of this machine is shown.
struct Beside<'a>(&'a Path);

impl Loader for Beside<'_> {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        DiskLoader.load(&self.0.join(path))
    }
}

/// A program whose only import fails.
struct Failing(LoadError);

impl Loader for Failing {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        match path.file_name().is_some_and(|name| name == "main.csl") {
            true => Ok("const sizes = @import_module(\"sizes.csl\");\n".to_string()),
            false => Err(self.0.clone()),
        }
    }
}

fn show(rule: &str, (sources, told): &(SourceMap, Vec<Diagnostic>)) {
    assert!(SHOWN.contains(&rule) && told.iter().any(|d| d.rule == rule), "{rule}: {told:?}");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!(rule, render(sources, told, MessageFormat::Plain, false));
        let rich = render(sources, told, MessageFormat::Rich, false);
        insta::assert_snapshot!(format!("{rule}.rich"), rich);
    });
}
