//! Parses the command line.
//!
//! In: words. Out: a [`Command`], or a [`Refusal`]. Never: does anything of it.

mod check;
mod compile;
mod debug;
mod dsd;
mod explore;
mod fmt;
mod format;
mod learn;
mod names;
mod profile;
mod profile_target;
mod refusals;
mod run;
mod site;
mod suite;
mod trace;

pub use check::CheckArgs;
pub use compile::CompileArgs;
pub use debug::DebugArgs;
pub use dsd::DsdArgs;
pub use explore::ExploreArgs;
pub use fmt::FmtArgs;
pub use format::asks_for_json;
pub use learn::LearnArgs;
pub use profile::ProfileArgs;
pub use profile_target::{ProfileFormat, ProfileTarget};
pub use run::{HostStep, RunArgs, SetValues, ShownCycles};
pub use site::SiteArgs;
pub use suite::TestArgs;
pub use trace::{TraceArgs, TraceTarget, target};

use crate::Levels;
use crate::diagnostics::suggest;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use refusals::refusal;
use std::ffi::OsString;
use std::path::PathBuf;

/// What the command line asks for.
#[derive(Debug)]
pub enum Command {
    /// `cslrun FILE.csl`, `cslrun run FILE.csl` or `cslrun profile FILE.csl`
    Run(Box<RunArgs>),
    /// `cslrun check FILE.csl..`
    Check(CheckArgs),
    /// `cslrun explore FILE.csl`
    Explore(Box<ExploreArgs>),
    /// `cslrun dump FILE.csl`
    Dump(CompileArgs),
    /// `cslrun dsd FILE.csl[:LINE|:NAME]`
    Dsd(DsdArgs),
    /// `cslrun test [PATH..]`
    Test(TestArgs),
    /// `cslrun fmt [PATH..]`
    Fmt(FmtArgs),
    /// `cslrun lsp`
    Lsp,
    /// `cslrun debug [FILE.csl]`
    Debug(DebugArgs),
    /// `cslrun explain [RULE]`
    Explain(Option<String>),
    /// `cslrun learn [LESSON]`
    Learn(LearnArgs),
    /// `cslrun book`
    Book(SiteArgs),
    /// `cslrun play`
    Play(SiteArgs),
    /// `cslrun --completions SHELL`
    Completions(Shell),
    /// `cslrun --man DIR`
    Man(PathBuf),
}

/// Compiles and runs CSL, the kernel language of Cerebras' wafer-scale engines, on a simulated wafer.
#[derive(Parser, Debug)]
#[command(name = "cslrun", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = EXIT_STATUS)]
struct Cli {
    #[command(subcommand)]
    command: Option<Sub>,
    /// Print a script that completes command lines in a shell
    #[arg(long, value_name = "SHELL", exclusive = true, help_heading = INSTALLATION)]
    completions: Option<Shell>,
    /// Write man pages to a folder
    #[arg(long, value_name = "DIR", exclusive = true, help_heading = INSTALLATION)]
    man: Option<PathBuf>,
}

const INSTALLATION: &str = "Installation";

#[derive(Subcommand, Debug)]
enum Sub {
    /// Compile and run a program; the word `run` is optional
    Run(Box<RunArgs>),
    /// Run a program and show where its cycles went: lines, PEs, colors, links, and the critical path
    Profile(Box<ProfileArgs>),
    /// Compile programs and check the whole wafer of each without running it
    Check(CheckArgs),
    /// Run a program under all schedules that matter, and compare the results
    Explore(Box<ExploreArgs>),
    /// Print the compiled program: tiles, memory, registers, routes, code
    Dump(CompileArgs),
    /// Draw DSDs: the elements that they visit, in order, and the registers that they need
    Dsd(DsdArgs),
    /// Run the tests in files test_*.csl: exported functions whose names start with test_
    Test(TestArgs),
    /// Format CSL files: one layout, comments and blank lines stay
    Fmt(FmtArgs),
    /// Serve an editor on standard input and output: the Language Server Protocol (docs/editors.md)
    Lsp {
        /// What some editors add; there is nothing else to speak over
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Debug a program, also backwards: at a prompt, or for an editor by the Debug Adapter Protocol (docs/debug.md)
    Debug(DebugArgs),
    /// Explain a rule that a diagnostic names; without a name, list all rules
    Explain {
        /// A name as in `error[name]`
        rule: Option<String>,
    },
    /// Learn CSL by repairing small programs
    Learn(LearnArgs),
    /// Serve the book to a browser on this machine; its listings run there
    Book(SiteArgs),
    /// Serve the playground to a browser on this machine
    Play(SiteArgs),
}

const EXIT_STATUS: &str = "\
Exit status:
  0    success
  1    program rejected
  2    invalid command line
  3    run-time error
  4    deadlock, or limit reached
  5    unsupported feature
  70   internal error
  130  interrupted
  143  ended by SIGTERM";

/// Why there is nothing to do; `--help` and `--version` count as that.
#[derive(Debug)]
pub struct Refusal(clap::Error);

impl Refusal {
    /// What is wrong, as one text; `None` for what was asked for, such as `--help`.
    pub fn complaint(&self) -> Option<String> {
        self.0.use_stderr().then(|| self.0.to_string())
    }

    /// All of it as one text.
    pub fn text(&self) -> String {
        self.0.to_string()
    }

    /// Shows it.
    pub fn print(&self) {
        // A reader that has gone away is no fault of anyone.
        let _ = self.0.print();
    }
}

/// Reads the arguments; the first is the name of the command. Rules have the levels of `base` unless the
/// arguments choose others.
pub fn parse(args: impl IntoIterator<Item = OsString>, base: Levels) -> Result<Command, Refusal> {
    let words = debug::own_options_first(args.into_iter().collect());
    let all = definition().try_get_matches_from(&words).map_err(|error| refusal(&words, error))?;
    let matches = all.subcommand().map_or(&all, |(_, matches)| matches);
    let choose = |compile: &mut CompileArgs| {
        let refused = |why| Refusal(definition().error(ErrorKind::InvalidValue, why));
        compile.choose_levels(matches, base).map_err(refused)
    };
    let complete = |run: &mut RunArgs| {
        choose(&mut run.compile)?;
        run.order_steps(matches);
        if run.seeds.is_some() { refuse_files("--seeds", run) } else { Ok(()) }
    };
    let cli = Cli::from_arg_matches(&all).map_err(Refusal)?;
    match (cli.completions, cli.man) {
        (Some(shell), _) => return Ok(Command::Completions(shell)),
        (None, Some(folder)) => return Ok(Command::Man(folder)),
        (None, None) => {}
    }
    match cli.command {
        Some(Sub::Run(mut run)) => {
            complete(&mut run)?;
            Ok(Command::Run(run))
        }
        Some(Sub::Profile(mut profile)) => {
            complete(&mut profile.run)?;
            let refused = |why| Refusal(definition().error(clap::error::ErrorKind::ArgumentConflict, why));
            profile.into_run().map(|run| Command::Run(Box::new(run))).map_err(refused)
        }
        Some(Sub::Check(mut args)) => choose(&mut args.compile).map(|()| Command::Check(args)),
        Some(Sub::Explore(mut explore)) => {
            refuse_options_of_one_run(matches)?;
            complete(&mut explore.run)?;
            refuse_files("explore", &explore.run)?;
            Ok(Command::Explore(explore))
        }
        Some(Sub::Dump(mut args)) => choose(&mut args).map(|()| Command::Dump(args)),
        Some(Sub::Dsd(mut args)) => {
            choose(&mut args.compile)?;
            Ok(Command::Dsd(args.split()))
        }
        Some(Sub::Test(mut args)) => {
            args.levels = base;
            Ok(Command::Test(args))
        }
        Some(Sub::Fmt(args)) => Ok(Command::Fmt(args)),
        Some(Sub::Lsp { .. }) => Ok(Command::Lsp),
        Some(Sub::Debug(args)) => Ok(Command::Debug(args)),
        Some(Sub::Explain { rule }) => Ok(Command::Explain(rule)),
        Some(Sub::Learn(args)) => Ok(Command::Learn(args)),
        Some(Sub::Book(args)) => Ok(Command::Book(args)),
        Some(Sub::Play(args)) => Ok(Command::Play(args)),
        None => {
            let mut run = RunArgs::from_arg_matches(&all).map_err(Refusal)?;
            complete(&mut run)?;
            Ok(Command::Run(Box::new(run)))
        }
    }
}

/// The subcommand that a word may be a typing mistake for.
pub fn command_near(word: &str) -> Option<String> {
    let all = definition();
    let names: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
    let is_file = word.contains(['.', '/', '\\']) || names.contains(&word);
    suggest::nearest(word, names).filter(|_| !is_file).map(str::to_string)
}

/// `explore` knows the options of `run`, but not all make sense for many runs.
fn refuse_options_of_one_run(matches: &ArgMatches) -> Result<(), Refusal> {
    let is_given = |option: &&&str| matches.value_source(option) == Some(ValueSource::CommandLine);
    let Some(option) = explore::OF_ONE_RUN.iter().find(is_given) else { return Ok(()) };
    let all = definition();
    let of_run =
        all.find_subcommand("run").and_then(|run| run.get_arguments().find(|arg| arg.get_id() == *option));
    let long = of_run.and_then(clap::Arg::get_long).unwrap_or(option);
    let words =
        format!("`--{long}` is an option of `cslrun run`: `cslrun explore` runs the program many times");
    Err(Refusal(definition().error(ErrorKind::ArgumentConflict, words)))
}

/// Many runs would write one file.
fn refuse_files(what: &str, run: &RunArgs) -> Result<(), Refusal> {
    let file = run.steps.iter().find_map(|step| match step {
        HostStep::Get(name, Some(file)) => Some((name, file.display())),
        HostStep::Get(_, None) | HostStep::Set(..) | HostStep::Launch(..) => None,
    });
    let Some((name, file)) = file else { return Ok(()) };
    let words =
        format!("`{what}` runs the program many times: use `--get {name}` instead of `--get {name}={file}`");
    Err(Refusal(definition().error(ErrorKind::ArgumentConflict, words)))
}

/// The definition of the command line. The arguments of a run stand beside the subcommands, and only one of both is there.
pub fn definition() -> clap::Command {
    let all = Cli::augment_args(RunArgs::augment_args(clap::Command::new("cslrun")));
    let all = all.mut_subcommand("explore", |command| {
        explore::OF_ONE_RUN
            .iter()
            .fold(command, |command, option| command.mut_arg(option, |arg| arg.hide(true)))
    });
    all.mut_args(with_negative_numbers).mut_subcommands(|command| command.mut_args(with_negative_numbers))
}

/// The parser of an option answers a negative number, instead of advice about options that look like one.
fn with_negative_numbers(arg: clap::Arg) -> clap::Arg {
    let takes_value = arg.get_long().is_some() && arg.get_action().takes_values();
    if takes_value { arg.allow_negative_numbers(true) } else { arg }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::number::Number;
    use crate::{Arch, Level, ParamValue};

    fn parsed(line: &str) -> Result<Command, Refusal> {
        let words = std::iter::once("cslrun").chain(line.split_whitespace());
        parse(words.map(OsString::from), Levels::default())
    }

    fn run(line: &str) -> RunArgs {
        match parsed(line).unwrap() {
            Command::Run(run) => *run,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definition_of_the_arguments_is_consistent() {
        definition().debug_assert();
    }

    #[test]
    fn help_names_the_defaults_and_all_groups() {
        let all = definition();
        let help = |command: &clap::Command, option: &str| {
            let mut found = command.get_arguments().filter(|arg| arg.get_long() == Some(option));
            found.next().and_then(clap::Arg::get_help).expect("an option with help").to_string()
        };
        let of_test = all.find_subcommand("test").expect("a command");
        for (text, default) in [
            (help(&all, "max-cycles"), crate::host::DEFAULT_MAX_CYCLES),
            (help(of_test, "max-cycles"), suite::MOST_CYCLES),
            (help(&all, "trace-limit"), crate::trace::TraceFilter::DEFAULT_LIMIT as u64),
        ] {
            assert!(text.ends_with(&format!("[default: {default}]")), "{text}: {default}");
        }
        let groups = crate::diagnostics::Group::ALL.map(|group| group.name()).join(", ");
        let allow = help(&all, "allow");
        assert!(allow.contains(&format!("({groups}, all)")), "{allow}");
    }

    #[test]
    fn steps_keep_the_order_of_the_command_line() {
        let run = run("a.csl --get y --set A=1,-2 --launch f:3,0.5 --set B=b.npy --get y=o.npy --launch g");
        let expected = [
            HostStep::Get("y".into(), None),
            HostStep::Set("A".into(), SetValues::Numbers(vec![Number::Int(1), Number::Int(-2)])),
            HostStep::Launch("f".into(), vec![Number::Int(3), Number::Float(0.5)]),
            HostStep::Set("B".into(), SetValues::File("b.npy".into())),
            HostStep::Get("y".into(), Some("o.npy".into())),
            HostStep::Launch("g".into(), vec![]),
        ];
        assert_eq!(run.steps, expected);
    }

    #[test]
    fn params_are_typed_by_how_they_are_written() {
        let options =
            run("a.csl --param N=-3 --param x=1.5 --param on=true --param m=0x10").compile.options();
        let expected = [
            ("N", ParamValue::Int(-3)),
            ("x", ParamValue::Float(1.5)),
            ("on", ParamValue::Bool(true)),
            ("m", ParamValue::Int(16)),
        ];
        assert_eq!(options.params, expected.map(|(n, v)| (n.to_string(), v)));
    }

    #[test]
    fn the_machine_is_wse2_unless_said_otherwise() {
        assert_eq!(run("a.csl").compile.options().arch, Arch::Wse2);
        assert_eq!(run("a.csl --arch=wse3").compile.options().arch, Arch::Wse3);
    }

    #[test]
    fn the_last_level_that_names_a_rule_wins() {
        let levels = run("a.csl -D hazards -W overlap,map-lengths --allow=map-lengths -Aall -W overlap")
            .compile
            .levels;
        assert_eq!((levels.of("overlap"), levels.of("map-lengths")), (Level::Warn, Level::Allow));
        let Command::Check(args) = parsed("check a.csl -D style").unwrap() else { panic!("a check") };
        assert_eq!(args.compile.levels.of("old-color-config"), Level::Deny);
    }

    #[test]
    fn subcommands_take_a_file_of_their_own() {
        assert!(matches!(parsed("check a.csl --arch wse3").unwrap(), Command::Check(_)));
        assert!(matches!(parsed("dump a.csl").unwrap(), Command::Dump(_)));
        assert!(matches!(parsed("explain").unwrap(), Command::Explain(None)));
        let Command::Explore(args) = parsed("explore a.csl --launch f --arch wse3").unwrap() else {
            panic!("explore")
        };
        assert_eq!((args.budget, args.run.steps.len()), (10_000, 1));
    }

    #[test]
    fn wrong_use_is_refused() {
        for line in [
            "",
            "a.csl --arch wse9",
            "a.csl --param N",
            "a.csl --param N=wide",
            "a.csl --get y=out.txt",
            "a.csl --set =1",
            "a.csl --max-cycles -1",
            "a.csl --memory much",
            "a.csl --threads 0",
            "a.csl b.csl",
            "a.csl -W no-such-rule",
            "a.csl --schedule s.txt --seed 1",
            "explore a.csl --budget 0",
            "explore a.csl --seed 1",
            "explore a.csl --trace",
            "explore",
            "a.csl -A syntax-error",
            "check",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_refusal_tells_what_to_write() {
        for (line, told) in [
            ("a.csl --print total", "there is no option `--print`; `--get NAME` prints a variable"),
            ("run a.csl --out=y", "there is no option `--out`; `--get NAME` prints a variable"),
            ("a.csl --limit 5", "`--max-cycles N` ends the run"),
            ("a.csl --gett y", "a similar argument exists: '--get'"),
            ("--arch wse3 check a.csl", "the command comes first: `cslrun check --arch wse3 a.csl`"),
            ("a.csl check", "the command comes first: `cslrun check a.csl`"),
            ("a.csl b.csl", "`b.csl` is a second program, and only `cslrun check` takes several"),
            ("run a.csl b.csl", "`b.csl` is a second program"),
            ("a.csl --trace t.json", "the value of `--trace` stands behind `=`: `--trace=t.json`"),
            ("profile a.csl 3", "`3` is neither an option nor the value of one"),
            ("a.csl --param n:4", "write `n=4`"),
            ("chek a.csl", "there is no command `chek`; did you mean `check`?"),
            ("a.csl -W overlp -A nonsense,hazard", "`overlp`; did you mean `overlap`?"),
            ("a.csl -W overlp -A nonsense,hazard", "no rule or group `nonsense`; docs"),
            ("a.csl -W overlp -A nonsense,hazard", "`hazard`; did you mean `hazards`?"),
        ] {
            let text = parsed(line).unwrap_err().text();
            assert!(text.contains(told), "{line}: {text}");
        }
        assert!(!parsed("a.csl --nothing-like-it").unwrap_err().text().contains("tip"));
    }
}
