use super::engine::Engine;
use super::picture::Chosen;
use super::trace::TraceArgs;
use super::{Exit, learn::LearnArgs, memory, number::Number, threads};
use crate::arch::ArchName;
use crate::diagnostics::render::MessageFormat;
use crate::diagnostics::{Level, Levels};
use crate::sema::{CompileOptions, ParamValue};
use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// What the command line asks for.
#[derive(Debug)]
pub enum Command {
    /// `cslrun FILE.csl` or `cslrun run FILE.csl`
    Run(Box<RunArgs>),
    /// `cslrun check FILE.csl`
    Check(CompileArgs),
    /// `cslrun dump FILE.csl`
    Dump(CompileArgs),
    /// `cslrun dsd FILE.csl[:LINE|:NAME]`
    Dsd(DsdArgs),
    /// `cslrun explain [RULE]`
    Explain(Option<String>),
    /// `cslrun learn [LESSON]`
    Learn(LearnArgs),
}

/// What to compile, and how.
#[derive(Args, Debug)]
pub struct CompileArgs {
    /// The program: a file with a layout block, or the code of a single PE
    #[arg(value_name = "FILE.csl")]
    pub file: PathBuf,
    /// The target machine
    #[arg(long, default_value = "wse2", value_parser = arch)]
    arch: ArchName,
    /// Set a `param` of the program to an integer, a float, true or false
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param)]
    params: Vec<(String, ParamValue)>,
    /// Also search this folder for imported files; may be repeated
    #[arg(long = "import-path", value_name = "DIR")]
    import_paths: Vec<PathBuf>,
    /// Maximum number of iterations of an `inline` loop
    #[arg(long, value_name = "N")]
    max_inlined_iterations: Option<u64>,
    /// Format of diagnostics
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    message_format: Format,
    /// Compile and run with all fast paths or with none; the result is the same
    #[arg(long, hide = true, value_name = "ENGINE", default_value = "fast")]
    pub engine: Engine,
    #[command(flatten)]
    written_levels: WrittenLevels,
    /// The levels of rules.
    #[arg(skip)]
    pub levels: Levels,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Levels of diagnostics; the last option that names a rule wins")]
struct WrittenLevels {
    /// Ignore a rule or group (hazards, undefined, style, all)
    #[arg(short = 'A', long, value_name = "NAME", value_parser = level_name, value_delimiter = ',')]
    allow: Vec<String>,
    /// Report a rule or group as a warning, and continue as the hardware does
    #[arg(short = 'W', long, value_name = "NAME", value_parser = level_name, value_delimiter = ',')]
    warn: Vec<String>,
    /// Report a rule or group as an error
    #[arg(short = 'D', long, value_name = "NAME", value_parser = level_name, value_delimiter = ',')]
    deny: Vec<String>,
}

impl WrittenLevels {
    /// What is chosen in the order of the command line, from `base` on.
    fn chosen(&self, matches: &ArgMatches, mut levels: Levels) -> Levels {
        let options = [
            ("allow", &self.allow, Level::Allow),
            ("warn", &self.warn, Level::Warn),
            ("deny", &self.deny, Level::Deny),
        ];
        let mut all: Vec<(usize, Level, &String)> = Vec::new();
        for (option, names, level) in options {
            let indices = matches.indices_of(option).into_iter().flatten();
            all.extend(indices.zip(names).map(|(index, name)| (index, level, name)));
        }
        all.sort_by_key(|(index, ..)| *index);
        for (_, level, name) in all {
            levels.choose(level, name).expect("the parser has looked at each name");
        }
        levels
    }
}

fn level_name(name: &str) -> Result<String, String> {
    Levels::default().choose(Level::Warn, name).map(|()| name.to_string())
}

/// Draws the DSDs that a program builds: the elements that they visit, in order; their start and steps;
/// whether they stay inside their array; the registers that they need.
#[derive(Args, Debug)]
pub struct DsdArgs {
    /// The program; `FILE.csl:LINE`, `FILE.csl:NAME` and `FILE.csl:OTHER.csl:LINE` choose a DSD.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Also write the picture of the first DSD to a file
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// What stands behind the file.
    #[arg(skip)]
    pub chosen: Chosen,
}

impl DsdArgs {
    /// Takes `:LINE`, `:NAME` and `:OTHER.csl:LINE` off the file.
    fn split(mut self) -> DsdArgs {
        let text = self.compile.file.to_string_lossy().into_owned();
        let Some((file, mut which)) = text.split_once(".csl:") else { return self };
        self.compile.file = format!("{file}.csl").into();
        if let Some((other, rest)) = which.split_once(".csl:") {
            self.chosen.file = Some(format!("{other}.csl"));
            which = rest;
        }
        match which.parse() {
            Ok(line) => self.chosen.line = Some(line),
            Err(_) => self.chosen.name = Some(which.to_string()),
        }
        self
    }
}

/// What to run, and how.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// What to compile.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Stop with an error after this many cycles
    #[arg(long, value_name = "N")]
    pub max_cycles: Option<u64>,
    /// Turn off the run-time checks for undefined behaviour: faster, but detects fewer errors
    #[arg(long)]
    pub unchecked: bool,
    /// Change the order of tasks that are ready at the same time; the result must not change
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Number of threads for a large wafer [default: automatic]. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = threads::number)]
    pub threads: Option<usize>,
    /// Memory that the simulation may use, such as 8G [default: the free memory]
    #[arg(long, value_name = "BYTES", value_parser = memory::size)]
    pub memory: Option<u64>,
    /// Simulate every hop of every wavelet, even in unobstructed streams: slower, with the same results
    #[arg(long)]
    pub hop_by_hop: bool,
    /// What to record.
    #[command(flatten)]
    pub trace: TraceArgs,
    /// Write an HTML page that shows the run cycle by cycle
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    written: WrittenSteps,
    /// The steps in the order given.
    #[arg(skip)]
    pub steps: Vec<HostStep>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Host steps, performed in the order given")]
struct WrittenSteps {
    /// Write a variable: numbers separated by commas, or a .npy file
    ///
    /// One number fills the variable. As many numbers as it has elements go to every PE. As many as all PEs
    /// need together are distributed row by row.
    #[arg(long, value_name = "NAME=VALUES|NAME=FILE.npy", value_parser = set, allow_hyphen_values = true)]
    set: Vec<HostStep>,
    /// Launch an exported function on every PE
    #[arg(long, value_name = "FN[:ARG,..]", value_parser = launch)]
    launch: Vec<HostStep>,
    /// Print a variable, or write it to a .npy file
    #[arg(long, value_name = "NAME[=FILE.npy]", value_parser = get)]
    get: Vec<HostStep>,
}

/// One thing that the host does with the running program.
#[derive(Clone, Debug, PartialEq)]
pub enum HostStep {
    /// Write a variable.
    Set(String, Source),
    /// Launch a function with these arguments.
    Launch(String, Vec<Number>),
    /// Read a variable, into a file if one is named.
    Get(String, Option<PathBuf>),
}

/// Where the values of `--set` come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// The command line.
    Numbers(Vec<Number>),
    /// A `.npy` file.
    File(PathBuf),
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum Format {
    /// Source excerpts in ASCII
    Plain,
    /// Source excerpts with drawn arrows
    Rich,
    /// One line per diagnostic
    Short,
    /// One JSON object per line
    Json,
}

/// Compiles and runs CSL, the kernel language of Cerebras' wafer-scale engines, on a simulated wafer.
#[derive(Parser, Debug)]
#[command(name = "cslrun", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = EXIT_STATUS)]
struct Cli {
    #[command(subcommand)]
    command: Option<Sub>,
}

#[derive(Subcommand, Debug)]
enum Sub {
    /// Compile and run a program; the word `run` is optional
    Run(Box<RunArgs>),
    /// Compile a program and check the whole wafer without running it
    Check(CompileArgs),
    /// Print the compiled program: tiles, memory, registers, routes, code
    Dump(CompileArgs),
    /// Draw DSDs: the elements that they visit, in order, and the registers that they need
    Dsd(DsdArgs),
    /// Explain a rule that a diagnostic names; without a name, list all rules
    Explain {
        /// A name as in `error[name]`
        rule: Option<String>,
    },
    /// Learn CSL by repairing small programs
    Learn(LearnArgs),
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
  130  interrupted";

/// Why there is nothing to do; `--help` and `--version` count as that.
#[derive(Debug)]
pub struct Refusal(clap::Error);

impl Refusal {
    /// Shows it, and tells how the command ends.
    pub fn print(&self) -> Exit {
        // A reader that has gone away is no fault of anyone.
        let _ = self.0.print();
        if self.0.use_stderr() { Exit::Usage } else { Exit::Fine }
    }
}

/// Reads the arguments; the first is the name of the command. Rules have the levels of `base` unless the
/// arguments choose others.
pub fn parse(args: impl IntoIterator<Item = OsString>, base: Levels) -> Result<Command, Refusal> {
    let all = definition().try_get_matches_from(args).map_err(Refusal)?;
    let matches = all.subcommand().map_or(&all, |(_, matches)| matches);
    let choose = |compile: &mut CompileArgs| compile.levels = compile.written_levels.chosen(matches, base);
    match Cli::from_arg_matches(&all).map_err(Refusal)?.command {
        Some(Sub::Run(mut run)) => {
            choose(&mut run.compile);
            run.steps = in_order(matches, &run.written);
            Ok(Command::Run(run))
        }
        Some(Sub::Check(mut args)) => {
            choose(&mut args);
            Ok(Command::Check(args))
        }
        Some(Sub::Dump(mut args)) => {
            choose(&mut args);
            Ok(Command::Dump(args))
        }
        Some(Sub::Dsd(mut args)) => {
            choose(&mut args.compile);
            Ok(Command::Dsd(args.split()))
        }
        Some(Sub::Explain { rule }) => Ok(Command::Explain(rule)),
        Some(Sub::Learn(args)) => Ok(Command::Learn(args)),
        None => {
            let mut run = RunArgs::from_arg_matches(&all).map_err(Refusal)?;
            choose(&mut run.compile);
            run.steps = in_order(matches, &run.written);
            Ok(Command::Run(Box::new(run)))
        }
    }
}

/// The arguments of a run stand beside the subcommands, and only one of both is there.
fn definition() -> clap::Command {
    Cli::augment_args(RunArgs::augment_args(clap::Command::new("cslrun")))
}

/// The library sorts arguments by option; their indices remember the order.
fn in_order(matches: &ArgMatches, written: &WrittenSteps) -> Vec<HostStep> {
    let options = [("set", &written.set), ("launch", &written.launch), ("get", &written.get)];
    let indexed = options.into_iter().flat_map(|(option, steps)| {
        matches.indices_of(option).into_iter().flatten().zip(steps.iter().cloned())
    });
    let mut all: Vec<(usize, HostStep)> = indexed.collect();
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, step)| step).collect()
}

impl CompileArgs {
    /// The options that the compiler takes.
    pub fn options(&self) -> CompileOptions {
        let defaults = CompileOptions::new(self.arch);
        CompileOptions {
            params: self.params.clone(),
            import_paths: self.import_paths.clone(),
            max_inlined_iterations: self.max_inlined_iterations.unwrap_or(defaults.max_inlined_iterations),
            levels: self.levels,
            memo: !self.engine.is_plain(),
            ..defaults
        }
    }

    /// How diagnostics are shown.
    pub fn format(&self) -> MessageFormat {
        match self.message_format {
            Format::Plain => MessageFormat::Plain,
            Format::Rich => MessageFormat::Rich,
            Format::Short => MessageFormat::Short,
            Format::Json => MessageFormat::Json,
        }
    }
}

fn arch(word: &str) -> Result<ArchName, String> {
    ArchName::parse(word).ok_or_else(|| "the machine must be wse2 or wse3".to_string())
}

fn param(text: &str) -> Result<(String, ParamValue), String> {
    let (name, value) = named(text)?;
    Ok((name, value.parse::<Number>()?.into()))
}

fn set(text: &str) -> Result<HostStep, String> {
    let (name, value) = named(text)?;
    let source = match value.ends_with(".npy") {
        true => Source::File(value.into()),
        false => Source::Numbers(numbers(value.trim_start_matches('[').trim_end_matches(']'))?),
    };
    Ok(HostStep::Set(name, source))
}

fn launch(text: &str) -> Result<HostStep, String> {
    let (name, args) = text.split_once(':').unwrap_or((text, ""));
    let args = if args.is_empty() { Vec::new() } else { numbers(args)? };
    Ok(HostStep::Launch(identifier(name)?, args))
}

fn get(text: &str) -> Result<HostStep, String> {
    let Some((name, file)) = text.split_once('=') else {
        return Ok(HostStep::Get(identifier(text)?, None));
    };
    if !file.ends_with(".npy") {
        return Err(format!("`{file}` must end in .npy"));
    }
    Ok(HostStep::Get(identifier(name)?, Some(file.into())))
}

fn numbers(text: &str) -> Result<Vec<Number>, String> {
    text.split(',').map(|n| n.trim().parse()).collect()
}

fn named(text: &str) -> Result<(String, &str), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((identifier(name)?, value.trim()))
}

fn identifier(name: &str) -> Result<String, String> {
    match name.trim() {
        "" => Err("the name is missing".to_string()),
        name => Ok(name.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn steps_keep_the_order_of_the_command_line() {
        let run = run("a.csl --get y --set A=1,-2 --launch f:3,0.5 --set B=b.npy --get y=o.npy --launch g");
        let expected = [
            HostStep::Get("y".into(), None),
            HostStep::Set("A".into(), Source::Numbers(vec![Number::Int(1), Number::Int(-2)])),
            HostStep::Launch("f".into(), vec![Number::Int(3), Number::Float(0.5)]),
            HostStep::Set("B".into(), Source::File("b.npy".into())),
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
        assert_eq!(run("a.csl").compile.options().arch, ArchName::Wse2);
        assert_eq!(run("a.csl --arch=wse3").compile.options().arch, ArchName::Wse3);
    }

    #[test]
    fn the_last_level_that_names_a_rule_wins() {
        let levels = run("a.csl -D hazards -W overlap,map-lengths --allow=map-lengths -Aall -W overlap")
            .compile
            .levels;
        assert_eq!((levels.of("overlap"), levels.of("map-lengths")), (Level::Warn, Level::Allow));
        let Command::Check(args) = parsed("check a.csl -D style").unwrap() else { panic!("a check") };
        assert_eq!(args.levels.of("old-color-config"), Level::Deny);
    }

    #[test]
    fn subcommands_take_a_file_of_their_own() {
        assert!(matches!(parsed("check a.csl --arch wse3").unwrap(), Command::Check(_)));
        assert!(matches!(parsed("dump a.csl").unwrap(), Command::Dump(_)));
        assert!(matches!(parsed("explain").unwrap(), Command::Explain(None)));
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
            "a.csl -A syntax-error",
            "check",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
