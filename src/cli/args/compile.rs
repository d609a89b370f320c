//! The arguments of every command that compiles.

use super::format::FormatArgs;
use super::names::{named, positive};
use crate::cli::engine::Engine;
use crate::cli::number::Number;
use crate::{Arch, CompileOptions, Fp16Format, Level, Levels, MessageFormat, ParamValue};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args};
use std::path::{Path, PathBuf};

/// What to compile, and how.
#[derive(Args, Debug)]
pub struct CompileArgs {
    /// The program: a file with a layout block, or the code of a single PE
    #[arg(value_name = "FILE.csl")]
    pub file: PathBuf,
    /// The target machine
    #[arg(long, default_value = "wse2", ignore_case = true, value_parser = arch())]
    arch: Arch,
    /// Set a `param` of the program to an integer, a float, true or false
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param)]
    params: Vec<(String, ParamValue)>,
    /// Also search this folder for imported files; may be repeated
    #[arg(long = "import-path", value_name = "DIR")]
    import_paths: Vec<PathBuf>,
    /// Import only files in this folder; for programs that you do not trust
    #[arg(long, value_name = "DIR")]
    import_root: Option<PathBuf>,
    /// Maximum number of iterations of an `inline` loop
    #[arg(long, value_name = "N", value_parser = positive)]
    max_inlined_iterations: Option<u64>,
    /// What `@fp16()` names
    #[arg(long, value_name = "TYPE", default_value = "f16", value_parser = fp16())]
    fp16_format: Fp16Format,
    #[command(flatten)]
    format: FormatArgs,
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
    /// Ignore a rule or group (hazards, undefined, style, unused, all)
    #[arg(short = 'A', long, value_name = "NAME", value_delimiter = ',')]
    allow: Vec<String>,
    /// Report a rule or group as a warning, and continue as the hardware does
    #[arg(short = 'W', long, value_name = "NAME", value_delimiter = ',')]
    warn: Vec<String>,
    /// Report a rule or group as an error
    #[arg(short = 'D', long, value_name = "NAME", value_delimiter = ',')]
    deny: Vec<String>,
}

impl WrittenLevels {
    /// What is chosen in the order of the command line, from `base` on.
    ///
    /// # Errors
    /// A message about each name that is wrong, one a line.
    fn chosen(&self, matches: &ArgMatches, mut levels: Levels) -> Result<Levels, String> {
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
        let wrong: Vec<String> =
            all.into_iter().filter_map(|(_, level, name)| levels.choose(level, name).err()).collect();
        if wrong.is_empty() { Ok(levels) } else { Err(wrong.join("\n")) }
    }
}

impl CompileArgs {
    /// Chooses the levels of rules that the command line names; all others have those of `base`.
    ///
    /// # Errors
    /// A message about each name that is wrong, one a line.
    pub(super) fn choose_levels(&mut self, matches: &ArgMatches, base: Levels) -> Result<(), String> {
        self.levels = self.written_levels.chosen(matches, base)?;
        Ok(())
    }

    /// The options that the compiler takes.
    pub fn options(&self) -> CompileOptions {
        let defaults = CompileOptions::new(self.arch);
        CompileOptions {
            params: self.params.clone(),
            import_paths: self.import_paths.clone(),
            import_root: self.import_root.clone(),
            max_inlined_iterations: self.max_inlined_iterations.unwrap_or(defaults.max_inlined_iterations),
            levels: self.levels,
            fp16: self.fp16_format,
            memo: !self.engine.is_plain(),
            ..defaults
        }
    }

    /// The folders that are searched for imported files, with their options.
    pub fn folders(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        import_folders(&self.import_paths, self.import_root.as_deref())
    }

    /// How diagnostics are shown.
    pub fn format(&self) -> MessageFormat {
        self.format.format()
    }
}

/// The folders of `--import-path` and `--import-root`, with their options.
pub(super) fn import_folders<'a>(
    paths: &'a [PathBuf],
    root: Option<&'a Path>,
) -> impl Iterator<Item = (&'static str, &'a Path)> {
    let paths = paths.iter().map(|path| ("--import-path", path.as_path()));
    paths.chain(root.map(|root| ("--import-root", root)))
}

/// Reads the name of a machine; the help and the message about another name list them.
pub(super) fn arch() -> impl TypedValueParser<Value = Arch> {
    PossibleValuesParser::new(["wse2", "wse3"])
        .map(|word| Arch::parse(&word.to_ascii_lowercase()).expect("the parser admits only these"))
}

fn fp16() -> impl TypedValueParser<Value = Fp16Format> {
    PossibleValuesParser::new(["f16", "bf16", "cb16"])
        .map(|word| Fp16Format::parse(&word).expect("the parser admits only these"))
}

fn param(text: &str) -> Result<(String, ParamValue), String> {
    let (name, value) = named(text)?;
    Ok((name, value.parse::<Number>()?.into()))
}
