//! `cslrun debug`: what the debugger needs of the command line, files and the terminal.

use super::args::{self, Command, DebugArgs, HostStep, RunArgs, ShownCycles};
use super::named_paths::NamedPaths;
use super::outcome::Outcome;
use super::read_once::ReadOnce;
use super::running::options;
use super::steps;
use super::{Exit, interrupt, output, screen};
pub use crate::debug::{AttachedRun, Goal};
use crate::debug::{Debuggee, HostAction, Place, Services, prompt, serve};

use crate::{
    ExportKind, Failure, LoadError, Loader, MessageFormat, Program, RunOptions, Runner, Scalar, inspect,
    render,
};
use std::fs::File;
use std::io::{BufReader, stdin, stdout};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    let tell = |address: &str| {
        output::print(&format!("waiting for an editor at {address}\n"));
    };
    let stream = connection(port, tell)?;
    let input = BufReader::new(stream.try_clone().map_err(|why| format!("port {port}: {why}"))?);
    serve(Services { prepare }, input, stream)
}

/// The first editor that connects to a port of this machine; 0 chooses one. `tell` gets the address.
fn connection(port: u16, tell: impl FnOnce(&str)) -> Result<TcpStream, String> {
    let says = |why: std::io::Error| format!("port {port}: {why}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(says)?;
    tell(&listener.local_addr().map_err(says)?.to_string());
    Ok(listener.accept().map_err(says)?.0)
}

/// Who debugs the runs of a host script.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Debugger {
    /// Somebody at the terminal of the script.
    Prompt,
    /// An editor that connects to this port of this machine; 0 chooses one.
    Port(u16),
}

impl Debugger {
    /// Reads `prompt` or the number of a port.
    ///
    /// # Errors
    /// What it should be.
    pub fn parse(text: &str) -> Result<Debugger, String> {
        match text {
            "prompt" => Ok(Debugger::Prompt),
            port => port
                .parse()
                .map(Debugger::Port)
                .map_err(|_| format!("`{port}` is neither `prompt` nor the number of a port, such as 4711")),
        }
    }

    /// Begins a run that this debugger looks at; returns when it lets the run go on. `pause` becomes true at Ctrl-C.
    /// `tell` gets a line for people.
    ///
    /// # Errors
    /// A sentence: nobody can connect to the port, or the terminal cannot be used.
    pub fn attach(
        self,
        (program, options): (Arc<Program>, RunOptions),
        pause: &'static AtomicBool,
        tell: impl FnOnce(&str),
    ) -> Result<AttachedRun, String> {
        let place = match self {
            Debugger::Prompt => Place::Prompt(Box::new(BufReader::new(stdin())), Box::new(stdout())),
            Debugger::Port(port) => Place::Editor(connection(port, |address| {
                tell(&format!("waiting for a debugger at {address}"));
            })?),
        };
        AttachedRun::begin((program, options), place, pause)
            .map_err(|why| format!("the debugger cannot be used: {why}"))
    }
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
    let debuggee = match args.prompt || args.commands.is_some() || !screen::is_possible() {
        true => debuggee,
        false => match screen::debug(debuggee, pause) {
            // The terminal cannot hand over keys one by one.
            Some(debuggee) => debuggee,
            None => return outcome,
        },
    };
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
    let parsed = args::parse(all, levels);
    if let Some(why) = parsed.as_ref().ok().and_then(|command| NamedPaths::of(command).obstacle()) {
        return Err(why);
    }
    match parsed {
        Ok(Command::Run(run)) => {
            refuse_what_is_not_for_a_debugger(&run)?;
            debuggee(&run, &ReadOnce::default())
        }
        Ok(_) => Err("only a run can be debugged".to_string()),
        Err(refusal) => {
            let why = refusal.complaint().unwrap_or_else(|| "there is nothing to run".to_string());
            Err(why.trim_end().trim_start_matches("error: ").to_string())
        }
    }
}

/// Options of `cslrun run` that have no effect on a run that somebody debugs.
fn refuse_what_is_not_for_a_debugger(args: &RunArgs) -> Result<(), String> {
    let given = [
        ("--schedule", args.schedule.is_some(), "`--seed` chooses another order of tasks"),
        ("--seeds", args.seeds.is_some(), "debug one of the runs with `--seed`"),
        ("--trace", args.trace.trace.is_some(), "the debugger shows each cycle"),
        ("--report", args.report.is_some(), "the debugger shows each cycle"),
        ("--message-format", args.compile.format() != MessageFormat::Plain, "the debugger writes plain text"),
        ("--cycles off", args.shown_cycles == ShownCycles::Off, "the debugger always shows cycles"),
        ("--threads", args.threads.is_some(), "the debugger runs the program on one thread"),
    ];
    match given.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, instead)) => {
            Err(format!("`{option}` is an option of `cslrun run` and not of `cslrun debug`: {instead}"))
        }
        None => Ok(()),
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
    Ok(Debuggee { program, facts: Some(facts), options, host: Some(actions) })
}

/// Adds what a step of the command line does. What it would print can be looked at in the debugger.
fn add(runner: &mut Runner, step: &HostStep, actions: &mut Vec<HostAction>) -> Result<(), steps::Trouble> {
    match step {
        HostStep::Set(name, source) => {
            let dealt = steps::dealt(runner, name, source)?;
            let values = dealt.of_each_pe().map(|(at, its)| (at, its.into_owned())).collect();
            let variable = dealt.variable;
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
