//! `cslrun debug`: what the debugger needs of the command line, files and the terminal.

use super::args::{self, Command, DebugArgs, HostStep, RunArgs};
use super::outcome::Outcome;
use super::running::options;
use super::steps;
use super::{Exit, interrupt, output};
use crate::debug::{Debuggee, HostAction, Services, prompt, serve};
use crate::{
    DiskLoader, ExportKind, Failure, LoadError, Loader, MessageFormat, Runner, Scalar, inspect, render,
};
use std::fs::File;
use std::io::{BufReader, stdin, stdout};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

/// `cslrun debug`
pub fn debug(args: &DebugArgs) -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    let served = if args.dap {
        serve(Services { prepare }, BufReader::new(stdin()), stdout())
    } else if let Some(port) = args.port {
        listen(port)
    } else {
        return at_prompt(args, outcome);
    };
    match served {
        Ok(true) => {}
        // The protocol asks for a word of farewell.
        Ok(false) => outcome.exit = Exit::Rejected,
        Err(why) => outcome.refuse(format!("the editor breaks the Debug Adapter Protocol: {why}")),
    }
    outcome
}

/// Serves the first editor that connects.
fn listen(port: u16) -> Result<bool, String> {
    let says = |why: std::io::Error| format!("port {port}: {why}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(says)?;
    let address = listener.local_addr().map_err(says)?;
    output::print(&format!("waiting for an editor at {address}\n"));
    let (stream, _) = listener.accept().map_err(says)?;
    let input = BufReader::new(stream.try_clone().map_err(says)?);
    serve(Services { prepare }, input, stream)
}

fn at_prompt(args: &DebugArgs, mut outcome: Outcome) -> Outcome {
    let debuggee = match prepare(&args.run) {
        Ok(debuggee) => debuggee,
        Err(why) => {
            outcome.refuse(why);
            return outcome;
        }
    };
    let pause = interrupt::debugger_begins();
    let done = match &args.commands {
        None => prompt(debuggee, pause, (&mut stdin().lock(), &mut stdout().lock()), false),
        Some(path) => match File::open(path) {
            Ok(file) => prompt(debuggee, pause, (&mut BufReader::new(file), &mut stdout().lock()), true),
            Err(why) => {
                outcome.refuse(format!("{}: {why}", path.display()));
                return outcome;
            }
        },
    };
    interrupt::run_ends();
    if let Err(why) =
        done.or_else(|why| if why.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(why) })
    {
        outcome.refuse(format!("the terminal cannot be used: {why}"));
    }
    outcome
}

/// The program that the words of a call of `cslrun run` name.
fn prepare(words: &[String]) -> Result<Debuggee, String> {
    if words.is_empty() {
        return Err(
            "name a program, such as `cslrun debug layout.csl`; or serve an editor with `--dap`".to_string()
        );
    }
    let levels = super::levels_of_environment()?;
    let all = ["cslrun", "run"].into_iter().map(Into::into).chain(words.iter().map(Into::into));
    match args::parse(all, levels) {
        Ok(Command::Run(run)) => debuggee(&run, &DiskLoader),
        Ok(_) => Err("only a run can be debugged".to_string()),
        Err(refusal) => {
            let why = refusal.complaint().unwrap_or_else(|| "there is nothing to run".to_string());
            Err(why.trim_end().trim_start_matches("error: ").to_string())
        }
    }
}

fn debuggee(args: &RunArgs, loader: &dyn Loader) -> Result<Debuggee, String> {
    let file = &args.compile.file;
    if loader.load(file) == Err(LoadError::NotFound) {
        return Err(format!("there is no file {}", file.display()));
    }
    let inspection = inspect(file, loader, &args.compile.options());
    let (compilation, facts) = (inspection.compilation, inspection.facts);
    let Some(program) = compilation.program else {
        let text = render(&compilation.sources, &compilation.diagnostics, MessageFormat::Plain, false);
        return Err(format!("the program has errors\n{}", text.trim_end()));
    };
    let says = |failure: Failure| {
        let diagnostics = failure.diagnostics(&compilation.sources);
        render(&compilation.sources, &diagnostics, MessageFormat::Plain, false).trim_end().to_string()
    };
    Runner::check_memory(&program, args.memory).map_err(says)?;
    let (program, options) = (Arc::new(program), options(args));
    let mut runner = Runner::new(Arc::clone(&program), options);
    let mut actions = Vec::new();
    for step in &args.steps {
        add(&mut runner, step, &mut actions).map_err(|trouble| match trouble {
            steps::Trouble::Run(failure) => says(failure),
            steps::Trouble::Words(words) => words,
        })?;
    }
    Ok(Debuggee { program, facts, options, actions })
}

/// Adds what a step of the command line does. What it would print can be looked at in the debugger.
fn add(runner: &mut Runner, step: &HostStep, actions: &mut Vec<HostAction>) -> Result<(), steps::Trouble> {
    match step {
        HostStep::Set(name, source) => {
            let (variable, dealt) = steps::dealt(runner, name, source)?;
            let values = variable.pes.iter().map(|(at, _)| *at).zip(dealt).collect();
            actions.push(HostAction::Settle);
            actions.push(HostAction::Write { name: variable.name, scalar: variable.scalar, values });
        }
        HostStep::Launch(name, args) => {
            let inputs = match runner.exports().iter().find(|e| e.name == *name).map(|e| &e.kind) {
                Some(ExportKind::Fn { inputs }) => inputs.clone(),
                Some(ExportKind::Var { .. }) => Vec::new(),
                None => vec![Scalar::U32; args.len()],
            };
            let words = steps::words_of(name, &inputs, args)?;
            // A launch that makes no sense is refused before the run.
            runner.queue_launch(name, &words)?;
            actions.push(HostAction::Launch(name.clone(), words));
        }
        HostStep::Get(..) => actions.push(HostAction::Settle),
    }
    Ok(())
}
